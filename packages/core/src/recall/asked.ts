import { createRedaction, type Redaction, type Redactor, secretRedactor } from '@tenfold/redact'
import type { Steps } from '../session/pauses.ts'
import { tiktokenCounter } from '../tokens/tiktoken-counter.ts'
import type { TokenCounter } from '../tokens/token-counter.ts'
import { type FoundEntry, oneOfTurn } from './found-entry.ts'
import { fitHits, type HitCandidate, hitOf } from './hit.ts'
import { parseQuery } from './query.ts'
import { type Recalled, textAround } from './recalled.ts'
import type { RecallFacets } from './search-log.ts'

/** Options of {@link recall} and {@link recallAll}. */
export interface RecallOptions extends RecallFacets {
  /** Only events that contain the query verbatim, ignoring case. @default false */
  readonly exact?: boolean | undefined
  /** Maximum number of hits. @default 10 */
  readonly limit?: number | undefined
  /** Maximum tokens of the result as text. Throws RangeError below 200. @default 2000 */
  readonly maxTokens?: number | undefined
  /** Number of events of the same agent shown before and after each hit. @default 0 */
  readonly context?: number | undefined
  /** @default the counter of `tiktokenCounter('o200k_base')` */
  readonly counter?: TokenCounter | undefined
  /** Find secrets that the archive still contains, which are replaced by marks. @default secretRedactor() */
  readonly redactors?: readonly Redactor[] | undefined
}

export type Asked = ReturnType<typeof ask>

const minTokens = 200
const maxContext = 20

/** Checks a query and its options. Throws {@link TenfoldError} `bad-query` or RangeError. */
export function ask(query: string, options: RecallOptions) {
  const { limit = 10, maxTokens = 2000, context = 0, counter = tiktokenCounter() } = options
  const { redactors = [secretRedactor()], exact = false } = options
  if (!(maxTokens >= minTokens))
    throw new RangeError(`expected maxTokens of at least ${minTokens}, got ${maxTokens}`)
  if (!Number.isInteger(limit) || limit < 1)
    throw new RangeError(`expected a limit of at least 1, got ${limit}`)
  if (!Number.isInteger(context) || context < 0 || context > maxContext)
    throw new RangeError(`expected a context of 0 to ${maxContext} events, got ${context}`)
  const { kinds, agent, tool, path, turns, events } = options
  return {
    query: parseQuery(query),
    facets: { kinds, agent, tool, path, turns, events } satisfies RecallFacets,
    ...{ exact, limit, maxTokens, context, counter },
    ...(redactors.length > 0 && { redaction: createRedaction(redactors) }),
  }
}

const maxExcerptTokens = 400
const minExcerptTokens = 80

/** Makes the hits of the best matches. Named events get all the room there is. */
function* hitsOf(
  found: readonly FoundEntry[],
  { query, limit, maxTokens, context, counter, redaction }: Asked,
): Steps<HitCandidate[]> {
  const first = oneOfTurn(found).slice(0, limit)
  const most = first[0]?.match === 'event' ? maxTokens : maxExcerptTokens
  const parts = first.map(
    ({ near }) => 1 + (context * 2 + (near.request ? 1 : 0) + (near.answer ? 1 : 0)) / 3,
  )
  const share = Math.floor(
    maxTokens /
      Math.max(
        1,
        parts.reduce((sum, part) => sum + part, 0),
      ),
  )
  const excerptTokens = Math.max(minExcerptTokens, Math.min(most, share - headTokens))
  const { terms } = query
  const hits: HitCandidate[] = []
  for (const entry of first) {
    hits.push(hitOf(entry, { excerptTokens, context, counter, redaction, terms }))
    yield
  }
  return hits
}

/** Approximate tokens of the line above an excerpt. */
const headTokens = 40

export function* fitRecalled(
  found: Omit<Recalled, 'hits'>,
  best: readonly FoundEntry[],
  asked: Asked,
): Steps<Recalled> {
  const { maxTokens, counter, redaction } = asked
  const hits = yield* hitsOf(best, asked)
  const clean = redaction === undefined ? found : { ...found, ...withoutSecrets(found, redaction) }
  const room = maxTokens - counter.count(textAround(clean)) - edge
  return { ...clean, hits: fitHits(hits, { maxTokens: room, counter, several: found.searched > 1 }) }
}

/** Titles, ids and notes come from the log, too. */
function withoutSecrets({ logs, notes }: Omit<Recalled, 'hits'>, redaction: Redaction) {
  redaction.learnValue([logs, notes])
  return { logs: redaction.redactValue(logs), notes: redaction.redactValue(notes) }
}

/** Maximum difference in tokens when two texts are joined. */
const edge = 4
