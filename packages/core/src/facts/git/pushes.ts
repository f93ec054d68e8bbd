import type { ShellRun } from '../../shell/shell-runs.ts'
import { isDone } from '../../tools/tool-uses.ts'
import { renameLast } from './made-commits.ts'
import type { GitState } from './state.ts'

/** `   1a2b3c4..5d6e7f8  main -> main`, ` + 1a2b3c4...5d6e7f8 x -> x (forced update)`, ` * [new branch]      x -> x` */
const sentRef =
  /^ ?[ +*] ?(?:[\da-f]{7,40}\.{2,3}([\da-f]{7,40})|\[new branch\])\s+(\S{1,200}) -> \S{1,200}/gm
const notSent =
  /^ ! \[(?:remote )?rejected\]|^error: failed to push|(?:^|\bstderr: )fatal: |^To .{1,300}\n ! /m

/**
 * Reads whether `git push`, the command at `at` of a run, sent the branch: from the lines that git prints of each ref,
 * also if the run failed later, otherwise from the outcome of the run.
 */
export function readPush(
  state: GitState,
  args: readonly string[],
  run: ShellRun,
  at: number,
  text: string,
): void {
  const { use, commands } = run
  const branches = [state.branch, state.commits.at(-1)?.branch]
  if (use.result === undefined || !sendsBranch(args, branches)) return
  const sent = [...printedByPush(text).matchAll(sentRef)].find(
    ([, , ref = '']) => state.branch === undefined || ref === 'HEAD' || branches.includes(ref),
  )
  if (sent !== undefined) {
    if (sent[1] !== undefined) renameLast(state, sent[1])
    state.pushed = use.result.id
    return
  }
  if (/^Everything up-to-date$|^[Bb]ranch '.{1,200}' set up to track /m.test(text)) {
    state.pushed = use.result.id
    return
  }
  if (use.outcome === 'denied' || notSent.test(text)) return
  const isSure = isDone(use) && commands.slice(at + 1).every(({ joiner }) => joiner === '&&')
  if (isSure) state.pushed = use.result.id
  else state.pushed ??= 'unknown'
}

/** The lines below `To …`, if a fetch in the same run printed lines of the same form. */
function printedByPush(text: string): string {
  if (!/^From \S/m.test(text)) return text
  const to = /^To \S/m.exec(text)
  return to === null ? '' : text.slice(to.index)
}

/** Whether a push is about the branch: not about tags, a removal, another branch or nothing at all. */
function sendsBranch(args: readonly string[], branches: readonly (string | undefined)[]): boolean {
  if (args.some((arg) => /^(?:--dry-run|-n|--delete|-d|--tags)$/.test(arg))) return false
  const refs = args.filter((arg) => !arg.startsWith('-')).slice(1)
  if (refs.length === 0 || branches[0] === undefined) return true
  return refs.some((ref) => {
    const from =
      ref
        .replace(/^\+/, '')
        .replace(/^refs\/heads\//, '')
        .split(':', 1)[0] ?? ''
    return from === 'HEAD' || from.startsWith('$') || branches.includes(from)
  })
}
