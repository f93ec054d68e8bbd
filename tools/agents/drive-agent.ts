import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { bundleStore, type ContextBundle } from '@tenfold/core'
import { fileStorage } from '@tenfold/storage-fs'
import type { DrivenAgent } from './agent-list.ts'
import { type ScriptedSession, scenario, task } from './scenario.ts'
import {
  type Ended,
  endLeftovers,
  filesIn,
  makeScratch,
  program,
  runCommand,
  runInTerminal,
  type Scratch,
} from './scratch.ts'
import type { Script, StandIn } from './stand-in.ts'

/** A line of hooks.log: an event of the agent, or a job that followed from it. */
interface HookLine {
  readonly at: string
  readonly event?: string
  readonly session?: string
  readonly log?: string
  readonly bundle?: string
  readonly track?: string
  readonly job?: string
  readonly queued?: boolean
  readonly fault?: string
}

/** A session that was run. */
export interface Ran extends Ended {
  readonly began: number
  readonly ended: number
  /** Bodies of its requests, and of those of its subagent. */
  readonly requests: readonly string[]
  readonly subagentRequests: readonly string[]
  /** What `tenfold` printed after it. */
  readonly status: string
}

/** What the sessions of an agent left. */
export interface Run {
  readonly agent: DrivenAgent
  readonly project: string
  readonly sessions: ReadonlyMap<string, Ran>
  /** All bundles of the store, oldest first. */
  readonly bundles: readonly ContextBundle[]
  readonly hooks: readonly HookLine[]
  readonly times: ReturnType<Scratch['times']>
  readonly installed: Ended
  readonly verified: Ended
  /** Files of the home that installing and uninstalling left changed, before and after the sessions. */
  readonly changed: readonly string[]
  readonly left: readonly string[]
}

/** How long the bundle of a session may take that ended with an event. */
const maxWait = 30_000

/** Runs the sessions of the scenario with the hooks installed. */
export async function driveAgent(agent: DrivenAgent, work: string, standIn: StandIn): Promise<Run> {
  const scratch = makeScratch(agent, work, standIn.url)
  endLeftovers(scratch)
  const { home, project } = scratch.at
  const base = join(work, agent.name)
  const tenfold = (...args: string[]) => runCommand([process.execPath, program, ...args], scratch)
  const before = filesIn(home)
  const install = ['install', agent.hooks, ...(agent.options ?? [])]
  const installed = await tenfold(...install)
  const touched = difference(before, filesIn(home))
  await tenfold('install', agent.hooks, '--uninstall')
  const changed = difference(before, filesIn(home))
  await tenfold(...install)
  const hooks = (): HookLine[] => linesOf(join(base, 'state', 'hooks.log'))

  standIn.reset()
  const sessions = new Map<string, Ran>()
  const run = async (session: ScriptedSession): Promise<void> => {
    const began = Date.now()
    standIn.play(scriptsOf(agent, session))
    rmSync(scratch.started, { force: true })
    const ended = await runSession(agent, session, scratch, standIn)
    if (session.ending === 'by itself') await settled(hooks, began)
    const status = (await tenfold()).output
    const requests = standIn.requests(session.name)
    const subagentRequests = standIn.requests(subagentOf(session))
    sessions.set(session.name, { ...ended, began, ended: Date.now(), requests, subagentRequests, status })
    writeFileSync(join(base, `${session.name}.json`), JSON.stringify(sessions.get(session.name), null, 1))
  }
  const all = scenario(agent, scratch.at, scratch.started)
  const named = (name: string) => all.filter((session) => session.name === name)
  const tenfolds = new Map([
    ['without tenfold', undefined],
    ['with a broken tenfold', 'echo broken >&2\nexit 9\n'],
    ['with a hanging tenfold', 'sleep 90\n'],
  ])
  const hasTerminal = spawnSync('tmux', ['-V']).status === 0
  for (const session of all) {
    if (session.name === 'second of two' || (session.ending === 'terminal closed' && !hasTerminal)) continue
    if (tenfolds.has(session.name)) scratch.setTenfold(tenfolds.get(session.name))
    if (session.name === 'first of two') await Promise.all([session, ...named('second of two')].map(run))
    else await run(session)
  }
  scratch.setTenfold(scratch.tenfold)
  const verified = await tenfold('verify')
  const store = bundleStore(fileStorage(join(project, '.agents/bundles')))
  const bundles = await Promise.all((await store.list()).map(({ id }) => store.load(id)))
  const lines = hooks()
  endLeftovers(scratch)
  await tenfold('install', agent.hooks, '--uninstall')
  const files = filesIn(home)
  const left = touched.filter((name) => files.get(name)?.includes(` hook ${agent.hooks}`))
  return {
    ...{ agent, project, sessions, bundles, hooks: lines, times: scratch.times() },
    ...{ installed, verified, changed, left },
  }
}

const subagentOf = ({ name }: ScriptedSession): string => `subagent of ${name}`

function scriptsOf(agent: DrivenAgent, session: ScriptedSession): Script[] {
  const { name, prompt, steps, subagent } = session
  const main = { name, mark: prompt.slice(0, 25), steps }
  if (subagent.length === 0) return [main]
  const mark = agent.subagent?.mark
  const other = { name: subagentOf(session), mark: mark ?? task, steps: subagent }
  return mark === undefined ? [main, other] : [other, main]
}

async function runSession(
  agent: DrivenAgent,
  { name, prompt, ending, resumed, steps }: ScriptedSession,
  scratch: Scratch,
  standIn: StandIn,
): Promise<Ended> {
  const command = agent.command(scratch.at)
  const once = resumed && typeof agent.resumed !== 'string' ? agent.resumed : agent.once
  switch (ending) {
    case 'by itself':
      return await runCommand([...command, ...once, prompt], scratch)
    case 'SIGKILL':
    case 'SIGINT': {
      const when = until(() => existsSync(scratch.started))
      return await runCommand([...command, ...once, prompt], scratch, { when, signal: ending })
    }
    case 'terminal closed': {
      // The last answer is shown and written down.
      const when = until(() => standIn.requests(name).length >= steps.length).then(() => sleep(2_000))
      await runInTerminal([...command, ...agent.terminal, prompt], scratch, when)
      return { code: 0, output: '' }
    }
  }
}

async function until(holds: () => boolean, wait = 60_000): Promise<void> {
  for (const end = Date.now() + wait; Date.now() < end && !holds(); ) await sleep(200)
}

/** Waits for the bundles that the hooks asked for; a turn that ends may be left to the next start of the agent. */
async function settled(hooks: () => readonly HookLine[], began: number): Promise<void> {
  const open = (): HookLine[] => {
    const lines = hooks().filter(({ at }) => Date.parse(at) >= began)
    // A job that was not begun yet takes the newest event of its log.
    return lines.filter(
      (line) =>
        line.queued &&
        line === lines.findLast(({ queued, log }) => queued && log === line.log) &&
        !lines.some(({ job, log, at }) => job === line.event && log === line.log && at >= line.at),
    )
  }
  const isEnd = ({ event = '' }: HookLine): boolean => /end$|complete$|shutdown$/i.test(event)
  await until(() => open().length === 0, open().some(isEnd) ? maxWait : 3_000)
}

function linesOf(path: string): HookLine[] {
  const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n').filter(Boolean) : []
  return lines.map((line): HookLine => JSON.parse(line))
}

/** The files that differ between two states of a folder. */
function difference(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  return [...new Set([...before.keys(), ...after.keys()])].filter(
    (name) => before.get(name) !== after.get(name),
  )
}
