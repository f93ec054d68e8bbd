import { purposeOf } from '../../shell/command-purpose.ts'
import { quoteWord, type ShellRun } from '../../shell/shell-runs.ts'

/** Scripts that hook runners echo before they run them, one a line. */
const echoed = /^\$ (\S.{0,199})$/gm
const maxEchoed = 6

/**
 * Returns what of a run checked the work, if the run also commits or pushes: its checks without the rest, or
 * `git commit (its hook ran: …)` if they are those of a hook. `undefined` if the run is the check.
 */
export function checkedPart(run: ShellRun | undefined, program: string): string | undefined {
  if (run === undefined) return undefined
  const { commands, use } = run
  const isGit = (sub: RegExp) => commands.some(({ words }) => words[0] === 'git' && sub.test(words[1] ?? ''))
  const checks = commands.filter((command) => purposeOf(command) !== undefined)
  if (checks.length > 0) {
    if (!isGit(/^(?:commit|push)$/) || checks.some(({ heredocs }) => heredocs.length > 0)) return undefined
    return checks.map(({ words }) => words.map(quoteWord).join(' ')).join(' && ')
  }
  if (!/^git (?:commit|push)$/.test(program)) return undefined
  const ran = [...(use.result?.text ?? '').slice(0, 200_000).matchAll(echoed)].map(
    ([, script = '']) => script,
  )
  const scripts = [...new Set(ran)].slice(0, maxEchoed)
  return `${program} (its hook${scripts.length === 0 ? '' : ` ran: ${scripts.join('; ')}`})`
}
