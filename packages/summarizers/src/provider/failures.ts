import { cleanLine, stringOf } from '@tenfold/core/internal/summarizer'
import type { SummarizerFailure } from '@tenfold/core/summarizer'
import { ModelError, type ModelErrorOptions } from './model.ts'

/** Known facts about a call that failed. */
export interface FailedCall extends Pick<ModelErrorOptions, 'usage' | 'model' | 'requestId'> {
  /** Who was asked, at the beginning of a message. @default 'the server' */
  readonly vendor?: string | undefined
  /** Whether the answer had begun. @default false */
  readonly answering?: boolean | undefined
  /** Keys that no message may contain. */
  readonly secrets?: readonly string[] | undefined
  /** What to do about a failure; replaces the general advice. */
  readonly advice?: ((failure: Failure) => string | undefined) | undefined
  /** What to do if the server is not reached. */
  readonly ifUnreached?: string | undefined
}

/** What a provider reported of a call that failed, no matter how it arrived. */
export interface Failure {
  readonly status?: number | undefined
  readonly code?: string | undefined
  readonly type?: string | undefined
  readonly message: string
}

interface Signs {
  readonly status?: readonly number[]
  /** Of `code` or `type`. */
  readonly code?: RegExp
  readonly said?: RegExp
}

// A message that only names the context window says nothing about the input: a smaller part would fail too.
const tooLong =
  /context_(?:length|window)_exceeded|exceed_context_size|string_above_max_length|max_model_len|maximum (?:model|context|prompt) length|(?:prompt|input)(?: length| tokens?| token count)?(?: \([^)]{1,40}\))? (?:is too long|was too long|too long|exceeds?\b)|\b(?:exceed\w*|greater than|overflow\w*)\b.{0,60}\bcontext.?(?:length|window|size|limit)|\bcontext.?(?:length|window|size|limit)\b.{0,60}\b(?:exceed\w*|only)\b/i

/** The signs of each reason in the reports of all vendors: the first reason of which one fits holds. */
const signsOf: readonly (readonly [reason: SummarizerFailure, signs: Signs])[] = [
  [
    'spend-limit',
    {
      status: [402],
      code: /^(?:insufficient_quota|insufficient_credits|billing_.+)$|spend_limit_reached$/,
      said: /credit balance is too low/i,
    },
  ],
  ['auth', { status: [401], code: /^authentication_error$/ }],
  ['content-filter', { code: /content_filter|policy|moderation/i, said: /\bflagged\b|requires moderation/i }],
  ['auth', { status: [403], code: /^permission_error$/ }],
  // Also if it is larger than the tokens per minute: waiting does not help, a smaller part does.
  ['prompt-too-long', { status: [413], code: /^request_too_large$/, said: /request too large/i }],
  ['rate-limited', { status: [429], code: /^rate_limit_/ }],
  ['prompt-too-long', { code: tooLong, said: tooLong }],
  // Groq: the model did not keep to the schema.
  ['invalid-output', { code: /^json_validate_failed$/ }],
  // Ollama: waiting does not make the machine larger. LM Studio answers 200 if it does not know the path.
  ['bad-request', { said: /requires more (?:system|gpu)? ?memory|unexpected endpoint/i }],
  ['timeout', { status: [408, 504], code: /^timeout_error$/ }],
  ['overloaded', { status: [503, 529], code: /overloaded/i }],
  ['server-error', { status: [409], code: /server_error|internal|^(?:api|conflict)_error$/i }],
  ['bad-request', { code: /invalid_request|^not_found_error$/ }],
]

function reasonOf({ status = 0, code = '', type = '', message }: Failure): SummarizerFailure {
  const found = signsOf.find(
    ([, signs]) =>
      signs.status?.includes(status) ||
      signs.code?.test(code) ||
      signs.code?.test(type) ||
      signs.said?.test(message),
  )
  if (found !== undefined) return found[0]
  return status < 500 && (status >= 400 || code !== '') ? 'bad-request' : 'server-error'
}

/** Reasons that a retry may overcome. */
const passing: ReadonlySet<SummarizerFailure> = new Set<SummarizerFailure>([
  'rate-limited',
  'overloaded',
  'server-error',
  'timeout',
  'invalid-output',
])

/** Reasons that no retry overcomes, whatever the provider says. */
const lasting: ReadonlySet<SummarizerFailure> = new Set<SummarizerFailure>(['auth', 'spend-limit'])

const adviceFor: { readonly [K in SummarizerFailure]?: string } = {
  auth: 'check the API key and what it may do',
  'spend-limit': 'raise the limit or add credit: retrying does not help',
}

/** The error for a failure that a provider reported. `shouldRetry` is what it says of that itself. */
export function failureError(
  failure: Failure,
  call: FailedCall = {},
  { shouldRetry, retryAfterMs }: { shouldRetry?: string | undefined; retryAfterMs?: number | undefined } = {},
): ModelError {
  const { vendor = 'the server', secrets, advice, usage, model, requestId } = call
  const { status, code, type = code, message } = failure
  const reason = reasonOf(failure)
  const hint =
    advice?.(failure) ??
    adviceFor[reason] ??
    (status === 404 ? 'check the name of the model, and the base URL: often it ends in /v1' : undefined)
  const said = plainLine(message.replace(/^\d{3} /, ''), secrets)
  const answered = status === undefined ? 'reported' : `answered ${status}`
  const what = type === undefined ? answered : `${answered}, ${type}`
  return new ModelError(`${vendor} ${what}: ${said}${hint === undefined ? '' : ` (${hint})`}`, {
    reason,
    retryable:
      !lasting.has(reason) && (shouldRetry === undefined ? passing.has(reason) : shouldRetry === 'true'),
    retryAfterMs,
    usage,
    model,
    requestId,
  })
}

/** A failure from fields of any type: `{ code, type, message }`. */
export function failureOf(
  { code, type, message }: { readonly code?: unknown; readonly type?: unknown; readonly message?: unknown },
  status?: number,
): Failure {
  return {
    status,
    code: stringOf(code),
    type: type === 'error' ? undefined : stringOf(type),
    message: stringOf(message) ?? '',
  }
}

const maxLength = 300

const keyLike = [
  // Header values. Without the capital it may be the ordinary word: `a bearer of news`.
  /\bBearer\s+[^\s"',]+/g,
  /\bbearer\s+[^\s"',]{6,}/gi,
  /\b(?:sk|pk|rk|gsk|hf|xai|key|r8)[-_][\w*.-]{6,}/gi,
  /\bAIza[\w-]{10,}/gi,
  // User and password in a URL.
  /(?<=:\/\/)[^/@\s]+(?=@)/g,
  // Keys that the provider masked in part.
  /[\w-]*\*{3,}[\w*-]*/g,
  // Opaque words: a key in another form, or base64 from a prompt.
  /\b[A-Za-z0-9_]{32,}\b/g,
  /[A-Za-z0-9+/_=-]{40,}/g,
]

/**
 * A provider's message, fit for an error message: its first line without keys, at most 300 characters. Every occurrence
 * of `secrets` is removed.
 */
export function plainLine(text: string, secrets: readonly string[] = []): string {
  let said = text.trimStart().slice(0, 10_000)
  for (const secret of secrets) if (secret.length > 3) said = said.replaceAll(secret, '[key]')
  // Cut before the patterns run: their cost grows faster than the line.
  let line = cleanLine((said.split(/[\r\n]/, 1)[0] ?? '').slice(0, 2000))
  if (line === '') return 'without a message'
  if (/^(?:\d{3} )?\s*</.test(line)) return 'a web page instead of an answer'
  for (const pattern of keyLike) line = line.replace(pattern, '[key]')
  return line.length > maxLength
    ? `${line
        .slice(0, maxLength - 1)
        .trimEnd()
        .toWellFormed()}…`
    : line
}
