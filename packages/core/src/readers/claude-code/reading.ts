import * as json from '../../session/json.ts'
import type { SessionWriter } from '../reader/reader.ts'
import { createWriter } from '../shared/writer.ts'
import { createAgentTree, type Place } from './agents.ts'

export type Reading = ReturnType<typeof startReading>

/** The state at the beginning. `byAgent`: an agent wrote the text, not a human, as the record is on a side chain. */
export function startReading(out: SessionWriter) {
  return Object.assign(createWriter(out), {
    agents: createAgentTree(out),
    queue: createPromptQueue(),
    tools: new Map<string, string>(),
    /** The first record of each uuid: what distinguishes a copy from another record of the same uuid. */
    records: new Map<string, string>(),
    blocks: new Set<string>(),
    /** What a fork copied from its parent session: the number of events, and the calls whose results may still come. */
    copies: { events: 0, calls: new Set<string>() },
    place: { file: 0, line: 1 } as Place,
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
  readonly at: Place
  readonly time: string | undefined
  readonly trigger: string | undefined
  readonly tokensBefore: number | undefined
}

export function beginAt(reading: Reading, place: Place, time: string | undefined): void {
  Object.assign(reading, { place, at: place, time, agent: 'main', byAgent: false })
}

export function awaitSummary(reading: Reading, { compactMetadata }: json.Fields): void {
  const tokensBefore = json.count(compactMetadata, 'preTokens')
  const trigger = json.text(compactMetadata, 'trigger')
  reading.compaction = { at: reading.place, time: reading.time, trigger, tokensBefore }
}

export function writeCompaction(reading: Reading, summary?: string): void {
  const { at: place, compaction, time } = reading
  const { trigger, tokensBefore } = compaction ?? {}
  reading.compaction = undefined
  if (summary === undefined) Object.assign(reading, { at: compaction?.at ?? place, time: compaction?.time })
  else reading.time ??= compaction?.time
  reading.write({ type: 'compaction', text: summary ?? '', trigger, tokensBefore })
  Object.assign(reading, { at: place, time })
}

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
    seen(text: string): boolean {
      const isPassed = passed.has(text.trim())
      if (isPassed) delivered.add(text.trim())
      return isPassed
    },
    waiting: (): readonly QueuedText[] => entries.filter(({ text }) => !delivered.has(text.trim())),
  }
}
