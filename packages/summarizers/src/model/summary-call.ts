import { eventIndex, tiktokenCounter, updateSummary } from '@tenfold/core/internal/summarizer'
import type {
  Facts,
  SessionSummary,
  SettledClaim,
  SummaryRequest,
  TokenCounter,
} from '@tenfold/core/summarizer'
import en from 'zod/v4/locales/en.js'
import { ModelError, type ModelReply, type ModelRequest, modelMessage } from '../provider/model.ts'
import { type FactsTextOptions, factsText, shownEvents } from './facts-text.ts'
import { findJsonObject } from './find-json.ts'
import { isShort, systemPrompt, taskText } from './prompt.ts'
import { readDelta, readSettled, readSummary } from './read-summary.ts'
import { rulesText } from './rules-text.ts'
import { carriedText, earlierText } from './statements.ts'
import { dataBlock, dataMark, transcriptText } from './transcript.ts'
import { looseWireSchema, wireJsonSchema } from './wire-schema.ts'

/** `zod/mini` has no messages of its own. */
const english = en().localeError

/** How a summary is asked for. */
export interface SummaryRequestOptions {
  /** Most output tokens of the answer. */
  readonly maxOutputTokens: number
  /** Counts the tokens of the request. */
  readonly counter: TokenCounter
  /** Most tokens of the model for one token of the counter. @default 1.35 */
  readonly tokenFactor?: number | undefined
  /**
   * Tokens of the model that the request must stay below: facts and earlier statements are cut for it, items are not.
   */
  readonly maxInputTokens?: number | undefined
  /**
   * Returns numbers from 0 up to 1, for the marks around the data; a guessable one is for tests only. @default crypto
   */
  readonly random?: (() => number) | undefined
}

/** Newer tokenizers of Claude take some 30 % more tokens than o200k_base. */
export const defaultTokenFactor = 1.35

/** The one call that summarizes a session, a part of it, or what is new in it. Pure except for the random marks. */
export function modelRequestFor(request: SummaryRequest, options: SummaryRequestOptions): ModelRequest {
  const { counter, maxOutputTokens, tokenFactor = defaultTokenFactor } = options
  const { kind, items, earlier, carried = [] } = request
  const short = isShort(request.sourceTokens)
  const system = systemPrompt(kind, short)
  const schema = wireJsonSchema(kind, { updates: earlier !== undefined, carries: carried.length > 0, short })
  const mark = dataMark(options.random)
  const transcript =
    items.length === 0 && earlier !== undefined ? [] : [dataBlock('transcript', mark, transcriptText(items))]
  const left = carried.length === 0 ? [] : [dataBlock('carried', mark, carriedText(carried))]
  const task = taskText(request)
  const taken =
    counter.count([system, JSON.stringify(schema), ...transcript, ...left, task].join('\n')) + frameTokens
  const room = Math.max(0, Math.floor((options.maxInputTokens ?? Infinity) / tokenFactor) - taken)
  const source =
    request.sourceTokens ?? items.reduce((sum, { text }) => sum + counter.count(text), 0) * sourceOfRead
  // A merge has only facts and summaries to go by.
  const wanted = items.length === 0 ? maxFactsTokens : factsTokens(source, short)
  const factsRoom = Math.min(wanted, earlier === undefined ? room : room / 3)
  const shown = shownEvents(items)
  const facts = factsText(request.facts, { maxTokens: factsRoom, counter, shown, ...within(request) })
  const rulesRoom = Math.min(rulesTokens(source), (room - counter.count(facts)) / 2)
  const rules =
    items.length === 0 || short
      ? ''
      : rulesText(request.facts, { maxTokens: rulesRoom, counter, idOf: shown.idOf, ...within(request) })
  const beside = counter.count(facts) + counter.count(rules)
  const before =
    earlier === undefined
      ? ''
      : earlierText(earlier, {
          maxTokens: Math.min(room - beside, earlierTokens(request, taken + beside)),
          counter,
          beside: items,
        })
  const blocks = [
    ...(earlier === undefined ? [] : [dataBlock('earlier', mark, before)]),
    ...transcript,
    dataBlock('facts', mark, facts),
    ...(rules === '' ? [] : [dataBlock('rules', mark, rules)]),
    ...left,
  ]
  const tokens = taken + [facts, rules, before].reduce((sum, text) => sum + counter.count(text), 0)
  return {
    system,
    messages: [modelMessage('user', `${blocks.join('\n\n')}\n\n${task}`)],
    schema,
    schemaName: earlier === undefined ? 'summary' : 'summary_update',
    maxOutputTokens,
    inputTokens: Math.ceil(tokens * tokenFactor),
  }
}

/** Tokens of an ordinary request about so many source tokens, without its items. */
export function tokensBeside(facts: Facts, sourceTokens: number, counter: TokenCounter): number {
  const short = isShort(sourceTokens)
  const schema = JSON.stringify(wireJsonSchema('context', { short }))
  const text = [
    systemPrompt('context', short),
    schema,
    factsText(facts, { maxTokens: factsTokens(sourceTokens, short), counter }),
    short ? '' : rulesText(facts, { maxTokens: rulesTokens(sourceTokens), counter }),
  ].join('\n')
  return counter.count(text) + taskTokens + frameTokens
}

/** Of the task of a request, about. */
const taskTokens = 120

/** Lines around data, roles of messages, and what a provider adds for structured output. */
const frameTokens = 120

export const maxFactsTokens = 3000

/** Tokens that the facts about so many source tokens may take. The transcript of few shows most of them. */
function factsTokens(sourceTokens: number, short: boolean): number {
  const least = short ? Math.min(leastFactsTokens, sourceTokens * mostFactsShare) : leastFactsTokens
  return Math.round(Math.min(maxFactsTokens, Math.max(least, sourceTokens * factsShare)))
}

const leastFactsTokens = 300
const factsShare = 0.04
const mostFactsShare = 0.1

/** Tokens that the project rules of so many source tokens may take. */
function rulesTokens(sourceTokens: number): number {
  return Math.round(Math.min(maxRulesTokens, Math.max(leastFactsTokens, sourceTokens * rulesShare)))
}

const maxRulesTokens = 3000
const rulesShare = 0.1

/** Tokens for the earlier summary: an update reads at most twice what is new, if that leaves room for it at all. */
function earlierTokens({ sourceTokens }: SummaryRequest, taken: number): number {
  if (sourceTokens === undefined) return Number.POSITIVE_INFINITY
  return Math.max(leastEarlierTokens, sourceTokens * mostOfNew - taken)
}

const mostOfNew = 1.95
const leastEarlierTokens = 600

/** Source tokens for a token that is read, about. */
const sourceOfRead = 5

/** A part is summarized only from its own content: facts of other parts would distract the model. */
function within({ part, items }: SummaryRequest): Pick<FactsTextOptions, 'within' | 'atEnd'> {
  const first = items[0]
  const last = items.at(-1)
  if (part === undefined || first === undefined || last === undefined) return {}
  const from = eventIndex(first.event)
  const to = Math.max(...[last.until ?? last.event, ...(last.results ?? [])].map(eventIndex))
  return {
    within: (event) => eventIndex(event) >= from && eventIndex(event) <= to,
    atEnd: part.number === part.of,
  }
}

/** What a reply says: the summary, and which carried items it calls settled. */
export interface ReadAnswer {
  readonly summary: SessionSummary
  readonly settled: readonly SettledClaim[]
}

/**
 * Parses the summary in a reply; if the request has an `earlier` one, updates that one. Throws ModelError:
 * `refused`, `content-filter`, `truncated`, `empty`, `inflated`, `invalid-output` or, on an unknown stop, `cut-off`.
 */
export function summaryFrom(
  request: SummaryRequest,
  reply: ModelReply,
  options: { readonly counter?: TokenCounter } = {},
): SessionSummary {
  return answerFrom(request, reply, options).summary
}

/** Parses a reply like `summaryFrom`, with what it says of carried items. */
export function answerFrom(
  request: SummaryRequest,
  reply: ModelReply,
  options: { readonly counter?: TokenCounter } = {},
): ReadAnswer {
  const fail = failure(reply)
  if (reply.stop === 'refusal') throw fail('refused', 'the model refused to summarize the session')
  if (reply.stop === 'content-filter')
    throw fail('content-filter', 'a content filter of the provider ended the answer')
  if (reply.stop === 'max-tokens')
    throw fail('truncated', 'the answer reached maxOutputTokens: give it more, or let it read less at once')
  if (reply.stop === 'context-exceeded')
    throw fail('truncated', 'the answer reached the window of the model: let it read less at once')
  if (reply.stop !== 'end') throw fail('cut-off', 'the answer ended without its end')
  if (reply.text.trim() === '') throw fail('empty', 'the model answered with nothing')
  const found = findJsonObject(reply.text)
  if (found === undefined) throw fail('invalid-output', 'expected one JSON object and nothing else')
  if (isInflated(found.json, request, options.counter ?? tiktokenCounter()))
    throw fail(
      'inflated',
      'the answer is longer than what it summarizes, or than four times what was asked for',
    )
  const { earlier } = request
  const answer = looseWireSchema(request.kind, {
    updates: earlier !== undefined,
    short: isShort(request.sourceTokens),
  }).safeParse(found.value, { error: english })
  if (!answer.success) {
    const issues = answer.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
    const more = issues.length > 8 ? ` and ${issues.length - 8} more` : ''
    throw fail(
      'invalid-output',
      `the answer does not match the schema: ${issues.slice(0, 8).join('; ')}${more}`,
    )
  }
  const summary =
    earlier === undefined
      ? readSummary(answer.data, request)
      : updateSummary(earlier, readDelta(answer.data, request, earlier))
  if (summary.overview === '' && (request.items.length > 0 || earlier !== undefined))
    throw fail('invalid-output', 'the answer does not match the schema: summary: expected some text')
  return { summary, settled: readSettled(answer.data, request) }
}

function failure(reply: ModelReply) {
  const { usage, requestId, model } = reply
  return (reason: ModelError['reason'], message: string) =>
    new ModelError(message, {
      reason,
      // An invalid answer may come out right the next time; a refusal will not.
      retryable: reason === 'empty' || reason === 'cut-off' || reason === 'invalid-output',
      usage,
      requestId,
      model,
    })
}

/** JSON takes tokens of its own, and a summary of a short session may be longer than the session. */
const inflationFloor = 1500

function isInflated(json: string, request: SummaryRequest, counter: TokenCounter): boolean {
  const answered = counter.count(json.replace(/\s+/g, ' '))
  if (answered <= inflationFloor) return false
  if (answered > request.maxTokens * 4 + inflationFloor) return true
  let read =
    inflationFloor + (request.earlier === undefined ? 0 : counter.count(JSON.stringify(request.earlier)))
  for (const { text } of request.items) {
    if (read >= answered) return false
    read += counter.count(text)
  }
  return answered > read
}

/**
 * Sends the model its answer and what is wrong with it, together with all data again. `inputTokens` grows by an upper
 * estimate of the addition.
 */
export function repairRequest(request: ModelRequest, reply: ModelReply, error: ModelError): ModelRequest {
  const order = `This answer cannot be used: ${error.message}. Answer again with the whole corrected JSON object and nothing else: no prose, no code fence.`
  const added = Buffer.byteLength(reply.text) + Buffer.byteLength(order)
  return {
    ...request,
    messages: [...request.messages, modelMessage('assistant', reply.text), modelMessage('user', order)],
    // Two bytes per token: JSON has three to four, and no tokenizer in use is that wasteful with other scripts.
    inputTokens: request.inputTokens + Math.ceil(added / 2),
  }
}
