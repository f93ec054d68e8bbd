import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { bundleStore, type ContextBundle, extractFacts, readSession, totalUsage } from '@tenfold/core'
import { fileStorage } from '@tenfold/storage-fs'
import type { DrivenAgent } from './agent-list.ts'
import { filesIn, makeScratch, program, type Scratch } from './scratch.ts'
import type { ScriptedStep, StandIn } from './stand-in.ts'
import { usage } from './wires.ts'

/** What was checked with one agent: undefined if it holds, otherwise what was found instead. */
export type Checks = Readonly<Record<string, string | undefined>>

const maxWait = 90_000
const next = 'document the sum module'
const failing = 'node check.mjs'
const rule = 'Never change check.mjs'

/** Runs two sessions of an agent with the hooks installed, and checks all that follows from them. */
export async function driveAgent(agent: DrivenAgent, work: string, standIn: StandIn): Promise<Checks> {
  const scratch = makeScratch(agent, work, standIn.url)
  const { home, project } = scratch.at
  const tenfold = (...args: string[]) => scratch.run([process.execPath, program, ...args])
  const before = filesIn(home)
  const installed = await tenfold('install', agent.hooks)
  const removed = await tenfold('install', agent.hooks, '--uninstall')
  const uninstall = difference(before, filesIn(home))
  await tenfold('install', agent.hooks)

  standIn.play([
    {
      text: 'I write the module.',
      call: agent.write(join(project, 'src/sum.mjs'), 'export const sum = (a, b) => a - b\n'),
    },
    { text: 'I run the check.', call: agent.shell(failing) },
    { text: 'The sign is wrong.', call: agent.shell("sed -i 's/a - b/a + b/' src/sum.mjs") },
    { text: 'I run it again.', call: agent.shell(failing) },
    { text: `The sum is right and its check passes. Next step: ${next}.` },
  ])
  const first = await session(agent, scratch, `Write src/sum.mjs so that the check passes. ${rule}.`)
  const requests = standIn.requests().length
  const log = await endedLog(work, agent, 1)
  const bundles = bundleStore(fileStorage(join(project, '.agents/bundles')))
  const one = (await bundles.latest('main'))?.bundle

  const look: ScriptedStep[] = [{ text: 'I look.', call: agent.list }]
  standIn.play([
    ...look,
    { text: 'There is one module so far, and it is about sums. Nothing else was asked for.' },
  ])
  const second = await session(agent, scratch, 'Which modules are there so far, and what do they do?')
  const asked = standIn.requests()
  await endedLog(work, agent, 2)
  const two = (await bundles.latest('main'))?.bundle
  await tenfold('install', agent.hooks, '--uninstall')
  return {
    install: installed.code === 0 && removed.code === 0 ? undefined : installed.output.slice(-200),
    uninstall,
    session:
      first.code === 0 && second.code === 0 ? undefined : `${first.output}${second.output}`.slice(-300),
    hooks: log === undefined ? 'no hook queued the log of the session' : undefined,
    log: log === undefined ? 'no log' : await faultOfLog(log, requests),
    bundle: one === undefined ? 'no bundle' : faultOfBundle(one),
    brief:
      one !== undefined && asked.some((body) => body.includes(`Brief of bundle ${one.id}`))
        ? undefined
        : 'not sent',
    memory: one === undefined || two === undefined ? 'no bundle' : faultOfMemory(one, two),
    mcp: asked.some((body) => body.includes('## Bundles (')) ? undefined : 'the list did not reach the model',
  }
}

async function session(agent: DrivenAgent, scratch: Scratch, prompt: string) {
  return await scratch.run(agent.command(prompt, scratch.at))
}

/** The log that a job of the hooks was about, once the bundle of that session is made. */
async function endedLog(work: string, agent: DrivenAgent, count: number): Promise<string | undefined> {
  const path = join(work, agent.name, 'state', 'hooks.log')
  let made: string[] = []
  for (const end = Date.now() + maxWait; Date.now() < end; await sleep(500)) {
    const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n').filter(Boolean) : []
    const entries = lines.map((line): Record<string, unknown> => JSON.parse(line))
    made = [
      ...new Set(
        entries.flatMap(({ log, bundle }) => (typeof bundle === 'string' && log ? [String(log)] : [])),
      ),
    ]
    if (made.length >= count) break
  }
  return made[count - 1]
}

async function faultOfLog(log: string, requests: number): Promise<string | undefined> {
  const read = await readSession(log)
  const { commands, files } = extractFacts(read)
  const checks = commands.filter(({ command }) => command.includes(failing))
  const statuses = checks.map(
    ({ status, exitCode }) => `${status}${status === 'error' ? ` ${exitCode}` : ''}`,
  )
  if (statuses.join(', ') !== 'error 3, ok') return `the checks are ${statuses.join(', ') || 'missing'}`
  const sum = files.find(({ path }) => path === 'src/sum.mjs')
  if (sum?.status !== 'created') return `src/sum.mjs is ${sum?.status ?? 'missing'}`
  const { inputTokens = 0, outputTokens = 0 } = totalUsage(read.usage)
  const counted = `${inputTokens} / ${outputTokens}`
  const sent = `${requests * usage.input} / ${requests * usage.output}`
  if (counted !== sent) return `tokens are ${counted} instead of ${sent}`
  const unknown = read.events.filter(({ type }) => type === 'other').length
  return unknown === 0 ? undefined : `${unknown} unknown records`
}

function faultOfBundle(bundle: ContextBundle): string | undefined {
  const { validation } = bundle
  const said = JSON.stringify(bundle)
  if (!said.includes('src/sum.mjs')) return 'src/sum.mjs is missing'
  if (validation?.status !== 'green') return `the check is ${validation?.status ?? 'missing'}`
  if (!said.includes(rule)) return 'the constraint is missing'
  return said.includes(next) ? undefined : 'the next step is missing'
}

/** The second session did nothing of what the first left, so that its bundle carries all of it. */
function faultOfMemory(one: ContextBundle, { previous, carried = [] }: ContextBundle): string | undefined {
  if (previous !== one.id) return `the bundle before is ${previous ?? 'not named'}`
  const lost = [rule, next].filter((text) => !carried.some((item) => item.text.includes(text)))
  return lost.length === 0 ? undefined : `not carried over: ${lost.join('; ')}`
}

/** What differs between two states of a folder. */
function difference(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): string | undefined {
  const names = [...new Set([...before.keys(), ...after.keys()])].filter(
    (name) => before.get(name) !== after.get(name),
  )
  return names.length === 0 ? undefined : names.slice(0, 5).join(', ')
}
