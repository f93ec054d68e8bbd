import { readSession, type Session, TenfoldError } from '@tenfold/core'
import { extractFacts } from '@tenfold/core/facts'
import { totalUsage } from '@tenfold/core/internal'
import { openLog, type ToolCallEvent, type ToolResultEvent } from '@tenfold/core/readers'
import type { CallTruth, SessionTruth } from './load-truth.ts'

/** Found and expected numbers. */
export interface Share {
  readonly found: number
  readonly of: number
}

/** What a reader finds in one log, against the truth. */
export interface AgentResult {
  readonly name: string
  readonly agent: string
  /** Prompts that are words of the user. */
  readonly prompts: Share
  /** Tool calls found, with the right agent and mark of copied history. */
  readonly calls: Share
  /** Calls of the session that it did not make. */
  readonly extra: number
  readonly exits: Share
  readonly files: Share
  readonly usage: boolean
  readonly subagents: Share
  /** Records of unknown kinds, and notes of records that were not understood. */
  readonly unknown: number
  /** What is wrong, in words. */
  readonly faults: readonly string[]
}

/** Reads each log and compares it with the truth. */
export async function measureAgents(truths: readonly SessionTruth[]): Promise<AgentResult[]> {
  const results: AgentResult[] = []
  for (const truth of truths) {
    try {
      results.push(compare(truth, await readSession(await openLog(truth.path))))
    } catch (error) {
      if (!TenfoldError.isInstance(error)) throw error
      results.push(unread(truth, error instanceof Error ? error.message : String(error)))
    }
  }
  return results
}

function unread(truth: SessionTruth, message: string): AgentResult {
  // A session of one line without a word is no log.
  const isEmpty = truth.calls.length === 0 && truth.usage === undefined
  return {
    name: truth.name,
    agent: truth.agent,
    prompts: { found: 0, of: isEmpty || truth.isSubagent ? 0 : truth.prompts.length },
    calls: { found: 0, of: truth.calls.length },
    extra: 0,
    exits: { found: 0, of: truth.calls.filter(({ exitCode }) => exitCode !== undefined).length },
    files: { found: 0, of: truth.files.length },
    usage: isEmpty,
    subagents: { found: 0, of: truth.subagents },
    unknown: 0,
    faults: isEmpty ? [] : [message],
  }
}

interface ExpectedCall {
  readonly what: string
  readonly command?: string
  readonly exitCode?: number
  readonly status?: string
  readonly find: (calls: readonly ToolCallEvent[]) => ToolCallEvent | undefined
}

function compare(truth: SessionTruth, session: Session): AgentResult {
  const faults: string[] = []
  const events = session.events
  const calls = events.filter((event) => event.type === 'tool_call')
  const results = new Map<string, ToolResultEvent>()
  for (const event of events) if (event.type === 'tool_result') results.set(event.callId, event)
  const taken = new Set<ToolCallEvent>()
  const expected = truth.calls.flatMap((call) => expectedCalls(call, taken))
  let exits = 0
  let found = 0
  for (const one of expected) {
    const call = one.find(calls)
    if (call === undefined) {
      faults.push(`missing: ${one.what}`)
      continue
    }
    taken.add(call)
    found++
    const result = results.get(call.callId)
    if (endedAs(one, result)) exits++
    else faults.push(`${one.what}: ${result?.status ?? 'no result'} ${result?.exitCode ?? ''}`)
  }
  const envelopes = new Set(truth.calls.flatMap(({ id, inner }) => (inner.length > 0 ? [id] : [])))
  const ownCalls = calls.filter(({ agent, copied }) => agent === mainAgent(session) && copied !== true)
  const extra = ownCalls.filter((call) => !taken.has(call) && !envelopes.has(call.callId))
  for (const call of extra) faults.push(`extra: ${call.name} ${call.callId}`)
  const prompts = truth.isSubagent ? [] : truth.prompts
  const said = events.flatMap((event) => (event.type === 'user' ? [event.text.trim()] : []))
  const typed = prompts.filter((prompt) => said.includes(prompt.trim()))
  for (const prompt of prompts) if (!typed.includes(prompt)) faults.push(`not the user's: ${prompt}`)
  const created = extractFacts(session).files.filter(({ status }) => status === 'created')
  const files = truth.files.filter((path) => created.some((file) => file.path === path))
  if (files.length < truth.files.length) faults.push(`files: ${created.map(({ path }) => path).join(' ')}`)
  const usage = sameUsage(truth, session, faults)
  const children = session.agents.filter(
    ({ id }) => id !== 'main' && events.some(({ agent, copied }) => agent === id && copied !== true),
  )
  if (children.length !== truth.subagents && !truth.isSubagent)
    faults.push(`subagents: ${children.length} of ${truth.subagents}`)
  return {
    name: truth.name,
    agent: truth.agent,
    prompts: { found: typed.length, of: prompts.length },
    calls: { found, of: expected.length },
    extra: extra.length,
    exits: { found: exits, of: expected.length },
    files: { found: files.length, of: truth.files.length },
    usage,
    subagents: { found: Math.min(children.length, truth.subagents), of: truth.subagents },
    unknown: unknownIn(session, faults),
    faults,
  }
}

function mainAgent({ agents, events }: Session): string {
  const first = events.find(({ type }) => type === 'tool_call' || type === 'assistant')
  return agents.some(({ id }) => id === 'main') ? 'main' : (first?.agent ?? 'main')
}

/** A script's own calls count, not the script. */
function expectedCalls(call: CallTruth, taken: ReadonlySet<ToolCallEvent>): ExpectedCall[] {
  const byId: ExpectedCall = {
    what: `${call.tool} ${call.command ?? ''} (${call.exitCode ?? call.status})`,
    ...(call.command !== undefined && { command: call.command }),
    ...(call.exitCode !== undefined && { exitCode: call.exitCode }),
    ...(call.status !== undefined && { status: call.status }),
    find: (calls) =>
      calls.find(
        ({ callId, copied, agent }) =>
          callId === call.id &&
          (copied === true) === call.copied &&
          (call.by === undefined || agent.includes(call.by)),
      ),
  }
  if (call.tool !== 'exec') return [byId]
  return call.inner.map(({ command, exitCode }) => ({
    what: `in exec: ${command ?? 'tool'} (${exitCode ?? 'ok'})`,
    ...(exitCode === undefined ? { status: 'ok' } : { exitCode }),
    find: (calls) =>
      calls.find(
        (one) =>
          !taken.has(one) &&
          one.name !== call.tool &&
          (command === undefined
            ? one.kind !== 'execute'
            : JSON.stringify(one.input).includes(JSON.stringify(command).slice(1, -1))),
      ),
  }))
}

const statuses: Readonly<Record<string, readonly string[]>> = {
  ok: ['ok', 'unknown'],
  error: ['error'],
  denied: ['denied'],
  aborted: ['cancelled', 'error'],
  'timed out': ['ok', 'error', 'cancelled'],
}

/** A success without an exit code in the log counts as 0. */
function endedAs({ exitCode, status }: ExpectedCall, result: ToolResultEvent | undefined): boolean {
  if (exitCode !== undefined)
    return result?.exitCode === exitCode || (exitCode === 0 && result?.status === 'ok')
  return status === undefined || (statuses[status] ?? []).includes(result?.status ?? '')
}

function sameUsage({ usage, isSubagent }: SessionTruth, session: Session, faults: string[]): boolean {
  if (usage === undefined) return true
  const agent = mainAgent(session)
  const own = session.usage.filter((entry) => isSubagent || entry.agent === agent)
  const { inputTokens = 0, outputTokens = 0 } = totalUsage(own)
  const more = usage.compactions ?? { input: 0, output: 0 }
  const same =
    (inputTokens === usage.input && outputTokens === usage.output) ||
    (inputTokens === usage.input + more.input && outputTokens === usage.output + more.output)
  if (!same) faults.push(`usage: ${inputTokens}/${outputTokens}, not ${usage.input}/${usage.output}`)
  return same
}

function unknownIn({ events, notes, source }: Session, faults: string[]): number {
  const kinds = new Map<string, number>()
  for (const event of events)
    if (event.type === 'other') kinds.set(event.name, (kinds.get(event.name) ?? 0) + 1)
  for (const { code, message, count } of notes)
    if (/unknown|malformed|unexpected/.test(code)) kinds.set(`${code}: ${message}`, count ?? 1)
  if (kinds.size > 0)
    faults.push(`unknown: ${[...kinds].map(([kind, count]) => `${count} ${kind}`).join(', ')}`)
  const others = [...kinds.values()].reduce((sum, count) => sum + count, 0)
  return Math.max(others, source.account.other)
}
