import type { JsonObject } from '../../session/json-values.ts'
import { asCount, asObject, asText } from '../../session/json-values.ts'
import { known } from '../../session/known.ts'
import type { SessionWriter } from '../reader/reader.ts'
import { createTextSet, type TextSet } from '../shared/text-set.ts'
import type { AgentTree, Place } from './agents.ts'
import { createAgentTree } from './agents.ts'
import { createPromptQueue, type PromptQueue } from './queue.ts'

/** The state of reading one Claude Code log. */
export interface Reading {
  readonly out: SessionWriter
  readonly agents: AgentTree
  readonly queue: PromptQueue
  /** Names of tools by call id. */
  readonly tools: Map<string, string>
  /** Uuids of the records read. */
  readonly records: TextSet
  /** The first record of each uuid, with the data that distinguishes a copy from another record of the same uuid. */
  readonly originals: TextSet
  /** Content blocks of the model's responses. */
  readonly blocks: TextSet
  /** What a fork copied from its parent session: the number of events, and the calls whose results may still come. */
  readonly copies: { events: number; readonly calls: Set<string> }
  /** Position of the current record. */
  place: Place
  /** Agent of the main file, if that is a subagent's. */
  soloAgent?: string
  /** A compaction that still lacks its summary. */
  compaction?: {
    readonly place: Place
    readonly time?: string
    readonly trigger?: string
    readonly tokensBefore?: number
  }
  agentVersion?: string
  sessionId?: string
  /** Whether the log holds records of more than one session. */
  mixed?: boolean
  /** Titles by their precedence: of a summary, by the agent, by the user. */
  readonly titles: { summary?: string; ai?: string; custom?: string }
  /** Titles of conversations, by the record that ends each one. */
  readonly summaries: { readonly leaf: string; readonly title: string }[]
}

/** The state at the beginning. */
export function startReading(out: SessionWriter): Reading {
  return {
    out,
    agents: createAgentTree(out),
    queue: createPromptQueue(),
    tools: new Map(),
    records: createTextSet(),
    originals: createTextSet(),
    blocks: createTextSet(),
    copies: { events: 0, calls: new Set() },
    place: { file: 0, line: 1 },
    titles: {},
    summaries: [],
  }
}

/** The time of a record as an optional field of an event. */
export function timeOf(record: JsonObject): { readonly time?: string } {
  const time = asText(record.timestamp)
  return time === undefined ? {} : { time }
}

/** Remembers a compaction until its summary arrives. */
export function awaitSummary(reading: Reading, record: JsonObject): void {
  const metadata = asObject(record.compactMetadata)
  const trigger = asText(metadata?.trigger)
  const tokensBefore = asCount(metadata?.preTokens)
  reading.compaction = {
    place: reading.place,
    ...timeOf(record),
    ...known({ trigger, tokensBefore }),
  }
}

/** Writes the waiting compaction, with its summary if that arrived. */
export function writeCompaction(
  reading: Reading,
  agent: string,
  summary?: { text: string; record: JsonObject },
): void {
  const { place, ...known } = reading.compaction ?? { place: reading.place }
  delete reading.compaction
  const time = summary === undefined ? {} : timeOf(summary.record)
  const draft = { type: 'compaction', agent, text: summary?.text ?? '', ...known, ...time } as const
  reading.out.event(draft, summary === undefined ? place : reading.place)
}
