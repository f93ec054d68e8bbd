import type { MessagePort } from 'node:worker_threads'
import type { CompressLogOptions } from '../compress-log.ts'
import type { CompressedBundle } from '../finish-log.ts'
import type { DoneWork } from '../ledger/ledger.ts'
import type { Recipe } from '../session/recipe.ts'
import type { StorageOutline } from './storage-port.ts'
import type { SummarizerOutline } from './summarizer-port.ts'
import type { ErrorWire } from './thread-errors.ts'

/** Names of the options that are plain data. */
export const plainNames = [
  ...(['kind', 'track', 'task', 'previous', 'given', 'format', 'maxLogBytes'] as const),
  ...(['maxRatio', 'minRatio', 'maxTokens', 'minSourceTokens', 'maxReadRatio'] as const),
  ...(['archive', 'dropUnverified', 'limits', 'timeoutMs'] as const),
] as const

export type PlainOptions = Pick<CompressLogOptions, (typeof plainNames)[number]>

/** One log to compress, as the main thread sends it to another. */
export interface LogTask {
  readonly log: string
  readonly options: PlainOptions
  readonly again: boolean
  readonly exclusive: boolean
  /** Requests of one session at a time. */
  readonly requests: number
  readonly summarizers: readonly SummarizerOutline[]
  /** Absent if nothing is stored. */
  readonly storage?: StorageOutline
  readonly counter?: Recipe
  readonly redactors?: readonly Recipe[]
  /** Names of built-in readers, and how to make the others. */
  readonly readers?: readonly (string | Recipe)[]
  readonly port: MessagePort
}

/** A log that was compressed. */
export interface CompressedInThread extends CompressedBundle {
  readonly durationMs: number
}

/** What a thread returns for a task. */
export type LogTaskResult = CompressedInThread | { readonly known: DoneWork } | { readonly error: ErrorWire }
