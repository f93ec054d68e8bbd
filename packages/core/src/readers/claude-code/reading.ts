import { asCount, asObject, asText, type JsonObject } from '../../session/json-values.ts'
import type { EventPlace, LogRecord, SessionWriter } from '../reader/reader.ts'
import { createTextSet } from '../shared/text-set.ts'
import { createWriter } from '../shared/writer.ts'

export type Reading = ReturnType<typeof startReading>

/** The state at the beginning. `byAgent`: an agent wrote the text, not a human, as the record is on a side chain. */
export function startReading(out: SessionWriter) {
  return Object.assign(createWriter(out), {
    agents: createAgentTree(out),
    queue: createPromptQueue(),
    tools: new Map<string, string>(),
    records: createTextSet(),
    /** The first record of each uuid, with the data that distinguishes a copy from another record of the same uuid. */
    originals: createTextSet(),
    blocks: createTextSet(),
    /** What a fork copied from its parent session: the number of events, and the calls whose results may still come. */
    copies: { events: 0, calls: new Set<string>() },
    place: { file: 0, line: 1 } as Place,
    /** Agent of the main file, if that is a subagent's. */
    soloAgent: undefined as string | undefined,
    compaction: undefined as Compaction | undefined,
    agentVersion: undefined as string | undefined,
    sessionId: undefined as string | undefined,
    /** Whether the log holds records of more than one session. */
    mixed: false,
    /** Titles by their precedence: by the agent, by the user. */
    titles: { ai: undefined as string | undefined, custom: undefined as string | undefined },
    /** Titles of conversations, by the record that ends each one. */
    summaries: [] as { readonly leaf: string; readonly title: string }[],
  })
}

interface Compaction {
  readonly at: EventPlace
  readonly time: string | undefined
  readonly trigger: string | undefined
  readonly tokensBefore: number | undefined
}

export function beginAt(reading: Reading, place: Place, time: string | undefined): void {
  Object.assign(reading, { place, at: place, time, agent: 'main', byAgent: false })
}

/** Remembers a compaction until its summary arrives. */
export function awaitSummary(reading: Reading, record: JsonObject): void {
  const { preTokens, trigger } = asObject(record.compactMetadata) ?? {}
  const { place: at, time } = reading
  reading.compaction = { at, time, trigger: asText(trigger), tokensBefore: asCount(preTokens) }
}

/** Writes the waiting compaction, with its summary if that arrived. */
export function writeCompaction(reading: Reading, summary?: string): void {
  const { at, compaction, time } = reading
  const { trigger, tokensBefore } = compaction ?? {}
  reading.compaction = undefined
  if (summary === undefined) Object.assign(reading, { at: compaction?.at ?? at, time: compaction?.time })
  else reading.time ??= compaction?.time
  reading.write({ type: 'compaction', text: summary ?? '', trigger, tokensBefore })
  Object.assign(reading, { at, time })
}

/** A text that was typed, or a notice that arrived, while the agent worked. */
interface QueuedText {
  readonly text: string
  readonly place: Place
  readonly time: string | undefined
}

/** Follows the queue of prompts, so that each is counted once no matter how it is delivered. */
function createPromptQueue() {
  let entries: QueuedText[] = []
  const passed = new Set<string>()
  const delivered = new Set<string>()
  return {
    enqueue(entry: QueuedText): void {
      entries.push(entry)
      passed.add(entry.text.trim())
    },
    /** An entry left the queue: delivered in the middle of a turn or as a record that follows, or removed. */
    remove(text: string | undefined): QueuedText | undefined {
      const index = text === undefined ? 0 : entries.findIndex((entry) => entry.text.trim() === text.trim())
      return index === -1 ? undefined : entries.splice(index, 1)[0]
    },
    clear(): void {
      entries = []
    },
    /** Whether this text went through the queue. Marks it as seen. */
    seen(text: string): boolean {
      const isPassed = passed.has(text.trim())
      if (isPassed) delivered.add(text.trim())
      return isPassed
    },
    waiting: (): readonly QueuedText[] => entries.filter(({ text }) => !delivered.has(text.trim())),
  }
}

/** A call of the tool that starts a subagent. */
interface AgentCall {
  readonly callId: string
  readonly agent: string
  readonly turn: number
  readonly prompt: string
  readonly type: string | undefined
  readonly title: string | undefined
}

/** The file and line of a record. */
export type Place = Pick<LogRecord, 'file' | 'line'>

/** An empty tree of subagents that writes to `out`: which call started which, and when each began and ended. */
function createAgentTree(out: SessionWriter) {
  const calls = new Map<string, AgentCall>()
  const callOfAgent = new Map<string, string>()
  const childOfCall = new Map<string, string>()
  const began = new Map<string, AgentCall | undefined>()
  const ended = new Set<string>()
  const agentOfRecord = new Map<string, string>()
  let inlineAgents = 0
  let lastInline: string | undefined

  function callOf(agentId: string, prompt: string, reported?: string): AgentCall | undefined {
    const callId = reported ?? callOfAgent.get(agentId)
    if (callId !== undefined) return calls.get(callId)
    const wanted = prompt.trim()
    if (wanted === '') return undefined
    return [...calls.values()].find((call) => !childOfCall.has(call.callId) && call.prompt === wanted)
  }

  /** Writes `subagent_start` at the first record of a subagent; `prompt` links it to its call if no id does. */
  function begin(agentId: string, prompt: string, place: Place, reported?: string): void {
    if (began.has(agentId)) return
    const call = callOf(agentId, prompt, reported)
    began.set(agentId, call)
    if (call !== undefined) childOfCall.set(call.callId, agentId)
    const callId = call?.callId ?? reported
    const parent = call?.agent ?? 'main'
    out.agent({ id: agentId, parent, callId, type: call?.type, title: call?.title })
    const start = { type: 'subagent_start', agent: parent, child: agentId, callId } as const
    out.event(start, placeIn(call, place))
  }

  return {
    /** Call for each tool call; it is kept if it starts a subagent. */
    called(callId: string, name: string, input: JsonObject | undefined, agent: string, turn: number): void {
      if (name !== 'Task' && name !== 'Agent') return
      const { subagent_type, description, prompt } = input ?? {}
      const described = { type: asText(subagent_type), title: asText(description) }
      calls.set(callId, { callId, agent, turn, prompt: (asText(prompt) ?? '').trim(), ...described })
    },
    /** Call if the result of a call named the subagent that it started. */
    named(callId: string, agentId: string): void {
      if (!callOfAgent.has(agentId)) callOfAgent.set(agentId, callId)
    },
    begin,
    /** Writes `subagent_end`, once, for an agent that began. */
    end(agentId: string, place: Place): void {
      if (!began.has(agentId) || ended.has(agentId)) return
      ended.add(agentId)
      const call = began.get(agentId)
      // A separate file is read after the log that started its subagent.
      const inTurnOfCall = place.file !== 0 || call?.agent !== 'main'
      const end = { type: 'subagent_end', child: agentId, callId: call?.callId } as const
      out.event({ ...end, agent: call?.agent ?? 'main' }, placeIn(inTurnOfCall ? call : undefined, place))
    },
    /** The subagent that a call started, if it has already begun. */
    childOf: (callId: string): string | undefined => childOfCall.get(callId),
    /** Agent of a record on a side chain without an agent id (1.0.x), known from its parent record. */
    inline(record: JsonObject, prompt: string, place: Place): string {
      const parent = asText(record.parentUuid)
      const known = parent === undefined ? undefined : (agentOfRecord.get(parent) ?? lastInline)
      const agent = known ?? `sub${++inlineAgents}`
      if (known === undefined) begin(agent, prompt, place)
      lastInline = agent
      const uuid = asText(record.uuid)
      if (uuid !== undefined) agentOfRecord.set(uuid, agent)
      return agent
    },
  }
}

/** The place of a record, in the turn of a call. */
function placeIn(call: AgentCall | undefined, { file, line }: Place): EventPlace {
  return call === undefined ? { file, line } : { file, line, turn: call.turn }
}
