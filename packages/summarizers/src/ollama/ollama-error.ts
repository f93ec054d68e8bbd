import type { SummarizerFailure } from '@tenfold/core/summarizer'
import { codesOf, retriesAfter } from '../provider/error-codes.ts'
import { ModelError } from '../provider/model.ts'
import { plainLine } from '../provider/plain-line.ts'
import { retryAfterMs } from '../provider/retry-after.ts'

/** Known facts about a call that failed. */
export interface FailedChat {
  readonly model: string
  /** Server that it was sent to, without user and password; undefined if a client was passed in. */
  readonly host?: string | undefined
  /** Whether the answer had begun. */
  readonly answering: boolean
  readonly headers?: Headers | undefined
}

/** Converts what the client threw to a ModelError. Leaves out a `cause` that may quote the prompt. */
export function ollamaError(error: unknown, call: FailedChat): ModelError {
  const { model } = call
  const name = error instanceof Error ? error.name : ''
  const text = error instanceof Error ? error.message : String(error)
  const status = error instanceof Error && 'status_code' in error ? error.status_code : undefined
  if (typeof status === 'number') return refusal(status, text, call)
  const codes = codesOf(error)
  if (codes.some((code) => code === 'UND_ERR_HEADERS_TIMEOUT'))
    return new ModelError(
      'Ollama gave no answer in time: Node ends a request after five minutes of silence',
      {
        reason: 'timeout',
        retryable: true,
        model,
      },
    )
  // Failures that the server reports within an answer are plain Errors, and so is this one of the client.
  const isCut = name !== 'Error' || codes.length > 0 || /did not receive done|missing body/i.test(text)
  if (call.answering && isCut) {
    const code = codes.at(-1)
    return new ModelError(
      `Ollama's answer broke off before its end${code === undefined ? '' : ` (${code})`}`,
      {
        reason: 'cut-off',
        retryable: true,
        model,
      },
    )
  }
  if (call.answering)
    return new ModelError(`Ollama broke off its answer: ${plainLine(text)}`, {
      reason: 'server-error',
      retryable: true,
      model,
    })
  if (codes.includes('ERR_INVALID_URL'))
    return new ModelError('Ollama was not asked: its host is not a valid URL', {
      reason: 'bad-request',
      model,
    })
  const where = call.host === undefined ? '' : ` at ${call.host}`
  const code = codes.at(-1)
  return new ModelError(
    `Ollama was not reached${where}: is it running (\`ollama serve\`)?${code === undefined ? '' : ` (${code})`}`,
    { reason: 'connection', retryable: true, ...retriesAfter(codes), model },
  )
}

function refusal(status: number, text: string, { model, headers }: FailedChat): ModelError {
  const said = plainLine(text)
  const [reason, retryable, hint] = classify(status, said, model)
  const wait = retryAfterMs((name) => headers?.get(name))
  return new ModelError(`Ollama answered ${status}: ${said}${hint === undefined ? '' : ` (${hint})`}`, {
    reason,
    retryable,
    model,
    retryAfterMs: wait,
  })
}

function classify(
  status: number,
  said: string,
  model: string,
): [reason: SummarizerFailure, retryable: boolean, hint?: string] {
  if (status === 404)
    return /model/i.test(said)
      ? ['bad-request', false, `pull it with \`ollama pull ${model}\``]
      : ['bad-request', false, 'is the host an Ollama server?']
  if (status === 401 || status === 403) return ['auth', false]
  if (status === 402) return ['spend-limit', false]
  if (
    status === 413 ||
    (status === 400 && /(?:input|prompt|context) (?:length|is too long)|exceeds/i.test(said))
  )
    return ['prompt-too-long', false, 'raise numCtx, or let the model read less at once']
  if (status === 429) return ['rate-limited', true]
  if (status === 503) return ['overloaded', true]
  if (/requires more (?:system|gpu)? ?memory/i.test(said))
    return ['bad-request', false, 'a smaller numCtx takes less']
  if (status === 408 || status === 409 || status >= 500) return ['server-error', true]
  return ['bad-request', false]
}
