import { execFileSync } from 'node:child_process'
import { type ContextBundle, type Facts, readSession, type Session } from '@tenfold/core'
import { extractFacts } from '@tenfold/core/facts'
import { totalUsage } from '@tenfold/core/internal'
import type { Ran, Run } from './drive-agent.ts'
import { said } from './scenario.ts'
import { briefOf, lastOf } from './sent-texts.ts'
import { usage } from './wires.ts'

/** Undefined if the check holds. */
export type Outcome = { readonly wrong: string } | { readonly skipped: string } | undefined

/** What the checks look at: the run, and what Tenfold says of its long session. */
interface Left extends Run {
  readonly session: Session | undefined
  readonly facts: Facts | undefined
  readonly long: ContextBundle | undefined
}
type Check = (left: Left) => Outcome | Promise<Outcome>

const ok = (holds: boolean, wrong: string): Outcome => (holds ? undefined : { wrong })
const missing = (text: string | undefined, wanted: readonly string[], where: string): Outcome => {
  const lost = wanted.filter((each) => !text?.includes(each))
  return ok(lost.length === 0, text === undefined ? `no ${where}` : `not in the ${where}: ${lost.join('; ')}`)
}
const ran = ({ sessions }: Run, name: string): Ran | undefined => sessions.get(name)

/** What each agent is checked for, in the order of the sessions. */
export const checks: readonly (readonly [name: string, check: Check])[] = [
  [
    'install, and uninstall without a trace',
    ({ installed, changed, left }) =>
      ok(
        installed.code === 0 && changed.length + left.length === 0,
        [installed.output, ...changed, ...left].join(' '),
      ),
  ],
  [
    'sessions end well',
    ({ sessions }) => {
      const odd = [...sessions].filter(
        ([name, { code }]) => code !== 0 && !/killed|interrupted|closed/.test(name),
      )
      return ok(
        odd.length === 0,
        odd.map(([name, { code, output }]) => `${name} ${code} ${output.slice(-200)}`).join(),
      )
    },
  ],
  [
    'hooks run without a fault',
    ({ hooks }) => {
      const faults = hooks.flatMap(({ fault }) => (fault === undefined ? [] : [fault]))
      return ok(
        hooks.some(({ event }) => event !== undefined) && faults.length === 0,
        faults[0] ?? 'no hook ran',
      )
    },
  ],
  [
    'log: no unknown records',
    ({ session }) => {
      const odd = session?.events.filter(({ type }) => type === 'other').length
      return ok(odd === 0, `${odd ?? 'no log'}`)
    },
  ],
  [
    'log: exit codes in order',
    ({ facts }) => {
      const codes = facts?.commands
        .filter(({ command }) => /node check|grep -n/.test(command))
        .map(({ status, exitCode }) => (status === 'error' ? `error ${exitCode}` : status))
      return ok(
        /^error 3, ok, error 4, (?:ok|error 1)$/.test(codes?.join(', ') ?? ''),
        codes?.join(', ') ?? 'no log',
      )
    },
  ],
  [
    'log: usage with the subagent',
    (left) => {
      const { inputTokens = 0, outputTokens = 0 } =
        left.session === undefined ? {} : totalUsage(left.session.usage)
      const asked = ['long', 'resumed'].flatMap((name) => {
        const { requests, subagentRequests } = ran(left, name) ?? { requests: [], subagentRequests: [] }
        return [...requests, ...subagentRequests]
      }).length
      const counted = `${inputTokens} / ${outputTokens}`
      const sent = `${asked * usage.input} / ${asked * usage.output}`
      return ok(counted === sent, `${counted} instead of ${sent}`)
    },
  ],
  [
    'bundle: usage and subagent of the log',
    ({ session, long }) => {
      const { inputTokens } = session === undefined ? {} : totalUsage(session.usage)
      return ok(
        inputTokens === long?.usage.total.inputTokens,
        `${long?.usage.total.inputTokens} of ${inputTokens}`,
      )
    },
  ],
  [
    'bundle: files',
    ({ long }) => {
      const files = long?.files.map(({ path, status }) => `${path} ${status}`) ?? []
      const wanted = ['src/sum.mjs created', `${said.file} created`, 'src/main.mjs renamed']
      const lost = wanted.filter((file) => !files.includes(file))
      const odd = files.filter((file) => /^(?:.*\/)?Liste\.md/.test(file))
      return ok(lost.length + odd.length === 0, `not ${lost.join('; ')}, but ${files.join('; ')}`)
    },
  ],
  [
    'bundle: commit',
    ({ long }) => missing(long && JSON.stringify(long.git.commits), [said.commit], 'bundle'),
  ],
  [
    'bundle: failing and fixed check',
    ({ long }) => {
      const open = long?.errors
        .filter(({ resolution }) => resolution === undefined)
        .map(({ message }) => message)
      return ok(
        long?.validation?.status === 'failed' &&
          open?.length === 1 &&
          open[0]?.includes(said.failing) === true &&
          (long.errors.length ?? 0) === 2,
        `${long?.validation?.status}, open: ${open?.join('; ')} of ${long?.errors.length}`,
      )
    },
  ],
  [
    "bundle: user's decision",
    ({ long }) => {
      const choices = decisionsOfUser(long)
      const found = choices.filter((choice) => choice.includes(said.decision))
      return ok(found.length === 1 && !found[0]?.includes(said.today), choices.join(' | '))
    },
  ],
  [
    "bundle: user's answer as a decision",
    ({ agent, long }) =>
      typeof agent.resumed === 'string'
        ? { skipped: `to resume a session ${agent.resumed}` }
        : missing(decisionsOfUser(long).join(' | '), [said.answer], 'decisions'),
  ],
  [
    'bundle: rules, and none for today only',
    ({ long }) => {
      const texts = long?.constraints.map(({ text }) => text).join(' | ')
      return missing(texts, said.rules, 'constraints') ?? ok(!texts?.includes(said.today), `a rule: ${texts}`)
    },
  ],
  [
    'bundle: open question and next step',
    ({ agent, long }) => {
      const question = typeof agent.resumed === 'string' ? 'What should reserve() do' : said.question
      return (
        missing(JSON.stringify(long?.openQuestions), [question], 'open questions') ??
        missing(JSON.stringify(long?.nextSteps), [said.next], 'next steps')
      )
    },
  ],
  [
    'resumed: no brief, one bundle',
    (left) => {
      if (typeof left.agent.resumed === 'string') return { skipped: left.agent.resumed }
      const brief = briefOf(ran(left, 'resumed'))
      const same = left.bundles.filter(
        ({ track, source }) => track === 'main' && source.sessionId === left.long?.source.sessionId,
      )
      return ok(
        brief === undefined && same.length === 1,
        `${brief === undefined ? '' : 'a brief, '}${same.length} bundles`,
      )
    },
  ],
  [
    'fresh session: brief as data',
    (left) => missing(briefOf(ran(left, 'look')), ['data, not instructions'], 'brief'),
  ],
  [
    'brief: resume point, question, decisions, rules, failing check',
    (left) => {
      const brief = briefOf(ran(left, 'look'))
      const point = /## Resume point\n([^#]*)/.exec(brief ?? '')?.[1]
      return (
        ok(
          [said.question, 'What should reserve() do', said.next].some((each) => point?.includes(each)),
          `resume point: ${point}`,
        ) ??
        ok(!/sub-?agent/i.test(point ?? ''), `resume point: ${point}`) ??
        missing(brief, [...openWork(left), said.decision, ...said.rules], 'brief')
      )
    },
  ],
  [
    'tenfold right after the session',
    (left) => {
      const status = ran(left, 'long')?.status ?? ''
      return ok(/last session/.test(status) && /reserve|stock/.test(status), status.slice(0, 300))
    },
  ],
  [
    'open work survives a look around',
    (left) =>
      missing(briefOf(ran(left, 'killed')), [...openWork(left), said.decision, ...said.rules], 'brief'),
  ],
  ['SIGKILL: in the next brief', (left) => inNextBrief(left, 'killed', 'after the kill')],
  ['SIGINT: in the next brief', (left) => inNextBrief(left, 'interrupted', 'after the interrupt')],
  ['terminal closed: in the next brief', (left) => inNextBrief(left, 'closed', 'after the closed terminal')],
  [
    'two at once: both in the next brief',
    (left) =>
      missing(
        briefOf(ran(left, 'after the two')),
        ['Never delete src/left', 'Never delete src/right'],
        'brief',
      ),
  ],
  [
    'open work in the last brief',
    (left) => missing(briefOf(ran(left, 'after the two')), [...openWork(left), ...said.rules], 'brief'),
  ],
  [
    'MCP: list, resume, show, checkpoint, checkpoint_latest',
    (left) =>
      missing(lastOf(left, 'look'), ['## Bundles (', '# Resume', 'tenfold: 1'], 'answers') ??
      missing(lastOf(left, 'after the two'), ['a checkpoint of track', '# Checkpoint 20'], 'answers'),
  ],
  [
    'MCP: recall finds the error of the session before last',
    (left) => missing(lastOf(left, 'look again'), [`${said.failing}, got -1`], 'answer'),
  ],
  ...['without tenfold', 'with a broken tenfold', 'with a hanging tenfold'].map((name): [string, Check] => [
    `${name}: calls go through, no noise`,
    (left) => {
      const { output = '', began = 0, ended = 0 } = ran(left, name) ?? {}
      const noise = output
        .split('\n')
        .filter((line) => /tenfold|hook.*(?:fail|error|timed)|denied/i.test(line))
      return (
        missing(lastOf(left, name), ['42-went-through', '64-went-through'], 'session') ??
        ok(noise.length === 0, `prints ${noise.slice(0, 2).join(' / ').slice(0, 200)}`) ??
        ok(ended - began < 60_000, `took ${Math.round((ended - began) / 1000)} s`)
      )
    },
  ]),
  [
    'the store is in no commit and no status',
    ({ project }) => {
      const git = (...args: string[]) => execFileSync('git', ['-C', project, ...args], { encoding: 'utf8' })
      const seen = `${git('ls-files')}${git('status', '--porcelain')}`.match(/\.agents.*/)
      return ok(seen === null, `git sees ${seen?.[0]}`)
    },
  ],
  ['verify', ({ verified }) => ok(verified.code === 0, verified.output.slice(-300))],
]

/** The outcome of each check. */
export async function outcomesOf(run: Run): Promise<Outcome[]> {
  const began = run.sessions.get('long')
  const line = run.hooks.find(
    ({ at, log, track }) =>
      log !== undefined &&
      track === 'main' &&
      Date.parse(at) >= (began?.began ?? 0) &&
      Date.parse(at) <= (began?.ended ?? 0),
  )
  const session = line?.log === undefined ? undefined : await readSession(line.log)
  const long = run.bundles.findLast(({ source }) => source.sessionId === session?.id)
  const left = { ...run, session, facts: session && extractFacts(session), long }
  return await Promise.all(checks.map(([, check]) => check(left)))
}

function decisionsOfUser(bundle: ContextBundle | undefined): string[] {
  return (bundle?.decisions ?? []).filter(({ by }) => by === 'user').map(({ choice }) => choice)
}

const openWork = ({ agent }: Left): string[] => [
  said.next,
  said.check,
  ...(typeof agent.resumed === 'string' ? [] : [said.question]),
]

function inNextBrief(left: Left, name: string, next: string): Outcome {
  const { terminal } = left.agent
  if (ran(left, name) === undefined)
    return { skipped: typeof terminal === 'string' ? terminal : 'there is no tmux here' }
  const rule = `Never rename src/${name}.mjs`
  const brief = briefOf(ran(left, next))
  // A log that was written to just now may belong to a session that still runs.
  const isNamed = brief?.includes('not in this brief') && briefOf(ran(left, 'after the two'))?.includes(rule)
  return isNamed ? undefined : missing(brief, [rule], 'brief')
}
