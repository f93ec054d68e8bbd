import { createdAtOf } from '../bundle/bundle-id.ts'
import type { ContextBundle } from '../bundle/schema.ts'
import { saysNothingOpen } from '../bundle/session-summary.ts'
import { isStep } from '../bundle/sorts.ts'
import type { LiveCheck } from '../git/live-check.ts'
import { type RunGitOptions, runGit } from '../git/run-git.ts'
import { cleanLine } from '../session/clean-text.ts'
import { cutHead } from '../session/cut-text.ts'
import { contentTime } from './gather.ts'

/** Milliseconds by which clocks may differ, and by which git rounds, since it records whole seconds. */
const slack = 3_000

/** Maximum characters of a commit's subject, which anybody may have written. */
const maxSubject = 100

/**
 * Adds to the open steps of a bundle the later commits that seem to do them: a killed agent may have committed, and a
 * later session may not have been compressed.
 */
export async function withDoneSince(
  bundle: ContextBundle,
  { git, findings }: LiveCheck,
  cwd: string,
  options: RunGitOptions,
): Promise<ContextBundle> {
  if (git.state !== 'repository' || findings.some(({ code }) => code === 'other-repository')) return bundle
  const { nextSteps, carried = [] } = bundle
  const ended = Date.parse(contentTime(bundle)) - slack
  const left = (from: string) => Date.parse(createdAtOf(from)) - slack
  const open = nextSteps.filter((step) => !saysNothingOpen(step))
  const times = [...open.map(() => ended), ...carried.filter(isStep).map(({ from }) => left(from))]
  const commits = times.length === 0 ? [] : await commitsSince(cwd, Math.min(...times), options)
  if (commits.length === 0) return bundle
  const [{ isDone }, { topicWords }] = await Promise.all([
    import('../facts/state/open-work.ts'),
    import('../facts/statements/words.ts'),
  ])
  const saysDone = (text: string, { subject }: Commit): boolean => {
    const isCall = /\bgit commit\b/.test(text) && subject.includes(' ') && text.includes(subject)
    const work = { commands: new Set<string>(), done: [topicWords(subject)], changed: [], committed: [] }
    return isCall || isDone({ text }, work)
  }
  const marked = (text: string, since: number): string => {
    const commit = commits.find((each) => each.at >= since && saysDone(text, each))
    return commit === undefined
      ? text
      : `${text} (done since, it seems: commit ${commit.id.slice(0, 8)} "${cutHead(commit.subject, maxSubject)}")`
  }
  return {
    ...bundle,
    nextSteps: nextSteps.map((step) =>
      open.includes(step) ? { ...step, action: marked(step.action, ended) } : step,
    ),
    carried: carried.map((item) =>
      isStep(item) ? { ...item, text: marked(item.text, left(item.from)) } : item,
    ),
  }
}

/** A commit of the current branch. `at` is in milliseconds. */
interface Commit {
  readonly id: string
  readonly at: number
  readonly subject: string
}

const maxCommits = 100

async function commitsSince(cwd: string, since: number, options: RunGitOptions): Promise<Commit[]> {
  const limits = [`--max-count=${maxCommits}`, `--since=${new Date(since).toISOString()}`]
  const listed = await runGit(cwd, ['rev-list', ...limits, '--format=%ct %s', 'HEAD', '--'], options)
  if (listed.end !== 'ok') return []
  return [...listed.stdout.matchAll(/^commit ([0-9a-f]{40,64})\n(\d+) (.*)$/gm)].map(
    ([, id = '', seconds, subject = '']) => ({ id, at: Number(seconds) * 1000, subject: cleanLine(subject) }),
  )
}
