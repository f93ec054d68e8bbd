import * as json from '../../session/json.ts'
import type { EventPlace, LogRecord, SessionWriter } from '../reader/reader.ts'
import { createWriter } from '../shared/writer.ts'

export type Reading = ReturnType<typeof startReading>

export function startReading(out: SessionWriter) {
  return Object.assign(createWriter(out), {
    agents: createAgentTree(out),
    queue: createPromptQueue(),
    tools: new Map<string, string>(),
    /** Mark of the first record of each uuid, to distinguish copies from other records with the same uuid. */
    records: new Map<string, string>(),
    blocks: new Set<string>(),
    /** Parts copied from the parent session of a fork: the number of events, and calls whose results may follow. */
    copies: { events: 0, calls: new Set<string>() },
    place: { file: 0, line: 1 } as Place,
    soloAgent: undefined as string | undefined,
    /** Folder of the shell, from each record; the branch, and whether no event has it yet. */
    cwd: undefined as string | undefined,
    branch: undefined as string | undefined,
    isBranchNew: false,
    compaction: undefined as ReturnType<typeof compactionAt> | undefined,
    agentVersion: undefined as string | undefined,
    sessionId: undefined as string | undefined,
    mixed: false,
    titles: { ai: undefined as string | undefined, custom: undefined as string | undefined },
    summaries: [] as { readonly leaf: string; readonly title: string }[],
  })
}

export function beginAt(reading: Reading, place: Place, time: string | undefined): void {
  Object.assign(reading, { place, at: place, time, agent: 'main', byAgent: false })
}

export function compactionAt(at: Place, time: string | undefined, { compactMetadata }: json.Fields) {
  const { preTokens: tokensBefore, trigger } = json.fields(compactMetadata)
  return { at, time, trigger: json.text(trigger), tokensBefore }
}

export function writeCompaction(reading: Reading, summary?: string): void {
  const { at: place, compaction, time } = reading
  const { trigger, tokensBefore } = compaction ?? {}
  reading.compaction = undefined
  if (summary === undefined) Object.assign(reading, { at: compaction?.at ?? place, time: compaction?.time })
  else reading.time ??= compaction?.time
  reading.compact(summary, { trigger, tokensBefore })
  Object.assign(reading, { at: place, time })
}

type QueuedText = { readonly text: string; readonly place: Place; readonly time: string | undefined }

/** Tracks the queue of prompts, so that each is counted once however it is delivered. */
function createPromptQueue() {
  let entries: QueuedText[] = []
  const passed = new Set<string>()
  const delivered = new Set<string>()
  return {
    enqueue(entry: QueuedText): void {
      entries.push(entry)
      passed.add(entry.text.trim())
    },
    remove(text: string | undefined): QueuedText | undefined {
      const named = (entry: QueuedText) => entry.text.trim() === text?.trim()
      // Reports of background tasks stay in the queue while typed texts are taken.
      const first = entries.findIndex((entry) => !isTaskReport(entry.text))
      const index = text === undefined ? Math.max(first, 0) : entries.findIndex(named)
      return index === -1 ? undefined : entries.splice(index, 1)[0]
    },
    clear(): void {
      entries = []
    },
    seen(text: string): boolean {
      const isPassed = passed.has(text.trim())
      if (isPassed) delivered.add(text.trim())
      return isPassed
    },
    waiting: (): readonly QueuedText[] => entries.filter(({ text }) => !delivered.has(text.trim())),
  }
}

/** Whether a text is the JSON with which a background task describes itself. */
export function isTaskReport(text: string): boolean {
  return text.startsWith('{"task_id"')
}

interface AgentCall extends Readonly<Record<'callId' | 'agent' | 'prompt', string>> {
  readonly turn: number
  readonly about: Readonly<Record<'type' | 'title', string | undefined>>
}

export type Place = Pick<LogRecord, 'file' | 'line'>

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
  function begin(child: string, prompt: string, place: Place, reported?: string): void {
    if (began.has(child)) return
    const call = callOf(child, prompt, reported)
    const { about, agent = 'main', callId = reported } = call ?? {}
    began.set(child, call)
    if (call !== undefined) childOfCall.set(call.callId, child)
    out.agent({ id: child, parent: agent, callId, ...about })
    out.event({ type: 'subagent_start', agent, child, callId }, placeIn(call, place))
  }

  return {
    called(callId: string, name: string, input: json.Fields, agent: string, turn: number): void {
      if (name !== 'Task' && name !== 'Agent') return
      const prompt = json.text(input.prompt)?.trim() ?? ''
      const about = { type: json.text(input.subagent_type), title: json.text(input.description) }
      calls.set(callId, { callId, agent, turn, prompt, about })
    },
    named(callId: string, agentId: string): void {
      if (!callOfAgent.has(agentId)) callOfAgent.set(agentId, callId)
    },
    begin,
    end(child: string, place: Place): void {
      if (!began.has(child) || ended.has(child)) return
      ended.add(child)
      const call = began.get(child)
      const { agent = 'main', callId } = call ?? {}
      // A subagent's file is read after the log with the call that started it.
      const at = place.file !== 0 || agent !== 'main' ? placeIn(call, place) : place
      out.event({ type: 'subagent_end', agent, child, callId }, at)
    },
    childOf: (callId: string): string | undefined => childOfCall.get(callId),
    /** Returns the agent of a sidechain record without an agent id (1.0.x), from its parent record. */
    inline(record: json.Fields, prompt: string, place: Place): string {
      const parent = json.text(record.parentUuid)
      const known = parent === undefined ? undefined : (agentOfRecord.get(parent) ?? lastInline)
      const agent = known ?? `sub${++inlineAgents}`
      if (known === undefined) begin(agent, prompt, place)
      lastInline = agent
      agentOfRecord.set(json.text(record.uuid) ?? '', agent)
      return agent
    },
  }
}

function placeIn(call: AgentCall | undefined, { file, line }: Place): EventPlace {
  return call === undefined ? { file, line } : { file, line, turn: call.turn }
}
