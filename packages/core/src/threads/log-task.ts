import type { MessagePort } from 'node:worker_threads'
import type { CompressLogOptions } from '../compress-log.ts'
import type { CompressedBundle } from '../finish-log.ts'
import type { DoneWork } from '../ledger/ledger.ts'
import { budgetChecks } from '../options/bundle-options.ts'
import { wrongType } from '../options/check.ts'
import type { BudgetOptions } from '../plan/budget.ts'
import { defaultReaders } from '../readers/default-readers.ts'
import { known } from '../session/known.ts'
import type { Recipe } from '../session/recipe.ts'
import type { Session } from '../session/session.ts'
import type { Summarizer } from '../summarize/summarizer.ts'
import {
  outlineOfStorage,
  outlineOfSummarizer,
  type StorageOutline,
  type SummarizerOutline,
} from './port-calls.ts'
import type { ErrorWire } from './thread-errors.ts'

const plainNames = [
  ...(['kind', 'track', 'task', 'previous', 'given', 'format', 'maxLogBytes'] as const),
  ...(Object.keys(budgetChecks) as (keyof BudgetOptions)[]),
  ...(['archive', 'dropUnverified', 'limits', 'timeoutMs'] as const),
] as const

type PlainOptions = Pick<CompressLogOptions, (typeof plainNames)[number]>

export interface ThreadLogOptions
  extends PlainOptions,
    Pick<CompressLogOptions, 'summarizer' | 'store' | 'counter' | 'redactors' | 'readers' | 'signal'> {}

/** A log for a thread: its path, which may end in `#ID`, or its JSON as a value that can be cloned. */
export type BatchLog = string | { readonly parsed: unknown }

export const nameOf = (log: BatchLog): string => (typeof log === 'string' ? log : 'log')

export interface LogTask {
  readonly log: BatchLog
  readonly keepSession: boolean
  readonly options: PlainOptions
  readonly again: boolean
  readonly exclusive: boolean
  readonly maxMegabytes?: number | undefined
  readonly requests: number
  readonly summarizers: readonly SummarizerOutline[]
  readonly storage?: StorageOutline
  readonly counter?: Recipe
  readonly redactors?: readonly Recipe[]
  readonly readers?: readonly (string | Recipe)[]
  readonly port: MessagePort
}

/** Result of a log that was compressed in a thread. */
export interface CompressedInThread extends CompressedBundle {
  /** How long it took. */
  readonly durationMs: number
  /** Present with `keepSession`. */
  readonly session?: Session
}

export type LogTaskResult = CompressedInThread | { readonly known: DoneWork } | { readonly error: ErrorWire }

/** Returns the common part of the tasks for logs with the same options. */
export function taskOf(options: ThreadLogOptions, summarizers: readonly Summarizer[], requests: number) {
  const { store, counter, redactors, readers } = options
  const plain: PlainOptions = known(
    Object.fromEntries(plainNames.map((name) => [name, options[name]])) as PlainOptions,
  )
  return {
    options: plain,
    requests,
    summarizers: summarizers.map(outlineOfSummarizer),
    ...known({
      storage: store && outlineOfStorage(store.storage),
      counter: counter && recipeOf('counter', counter),
      redactors: redactors?.map((redactor, index) => recipeOf(`redactors[${index}]`, redactor)),
      readers: readers?.map((reader, index) =>
        defaultReaders.includes(reader) ? reader.name : recipeOf(`readers[${index}]`, reader),
      ),
    }),
  }
}

function recipeOf(name: string, made: { readonly recipe?: Recipe }): Recipe {
  if (made.recipe === undefined)
    throw wrongType(name, 'one with a recipe, by which a thread makes its own', made)
  return made.recipe
}
