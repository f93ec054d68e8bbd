import { createHash } from 'node:crypto'
import { type Redactor, secretRedactor } from '@tenfold/redact'
import { defaultEncoding } from '@tenfold/tokens'
import type { BundleKind } from '../bundle/bundle-names.ts'
import type { BudgetOptions } from '../plan/budget.ts'
import { defaultReadRatio } from '../plan/budget.ts'
import { defaultReaders } from '../readers/default-readers.ts'
import type { Reader } from '../readers/reader/reader.ts'
import { known } from '../session/known.ts'
import type { Summarizer } from '../summarize/summarizer.ts'

export interface CompressionRequest extends BudgetOptions {
  readonly summarizer: Summarizer | readonly Summarizer[]
  /** Id of the session if the log holds several: they share the digest of the log. */
  readonly session?: string | undefined
  readonly kind?: BundleKind | 'auto' | undefined
  readonly track?: string | undefined
  readonly task?: string | undefined
  readonly previous?:
    | {
        readonly id: string
        readonly previous?: string | undefined
        readonly source?: { readonly sha256: string }
      }
    | undefined
  readonly format?: string | undefined
  readonly readers?: readonly Reader[] | undefined
  readonly redactors?: readonly Redactor[] | undefined
  readonly counter?: { readonly name: string } | undefined
  readonly archive?: boolean | undefined
  readonly dropUnverified?: boolean | undefined
}

/**
 * Returns the digests under which a piece of work may be entered, its own first. If `previous` was made from this very
 * log, there is nothing new, so the work that made `previous` is the same.
 */
export function workDigests(
  sha256: string,
  request: CompressionRequest,
): readonly [own: string, ...same: string[]] {
  const own = workDigest(sha256, request)
  const { previous } = request
  if (previous?.source?.sha256 !== sha256) return [own]
  const before = previous.previous === undefined ? [] : [{ id: previous.previous }]
  return [
    own,
    ...[...before, undefined].map((earlier) => workDigest(sha256, { ...request, previous: earlier })),
  ]
}

/**
 * Identifies a piece of work: the digest of the log and everything that shapes the bundle. Requests that differ only in
 * explicit defaults have the same digest. It includes no secret value, since it names a stored key.
 */
export function workDigest(sha256: string, request: CompressionRequest): string {
  const {
    maxRatio = 0.1,
    maxReadRatio = defaultReadRatio,
    redactors = [secretRedactor()],
    readers = defaultReaders,
  } = request
  const work = {
    version: 1,
    log: sha256,
    kind: request.kind ?? 'context',
    track: request.track ?? 'main',
    ...known({
      session: request.session,
      task: request.task,
      previous: request.previous?.id,
      format: request.format,
    }),
    maxRatio,
    minRatio: request.minRatio ?? Math.min(0.05, maxRatio / 2),
    ...known({
      maxTokens: request.maxTokens,
      maxReadRatio: maxReadRatio === defaultReadRatio ? undefined : maxReadRatio,
    }),
    minSourceTokens: request.minSourceTokens ?? 4000,
    counter: request.counter?.name ?? defaultEncoding,
    archive: request.archive ?? true,
    dropUnverified: request.dropUnverified ?? false,
    readers: readers.filter((reader) => !defaultReaders.includes(reader)).map(({ name }) => name),
    redactors: redactors.map(({ name, settings }) => ({ name, ...known({ settings }) })),
    summarizers: [request.summarizer].flat().map(({ name, model, promptVersion, settings }) => ({
      name,
      ...known({ model, promptVersion, settings }),
    })),
  }
  // Half of a SHA-256 is still safe from collisions, and keeps the keys short.
  return createHash('sha256').update(JSON.stringify(work)).digest('hex').slice(0, 32)
}
