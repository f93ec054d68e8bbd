import { messageOf, TenfoldError } from '@tenfold/core'

/** The text that Redis keeps of a failure: the code of the error, then its message. */
export function failureText(error: unknown): string {
  const code = TenfoldError.isInstance(error) ? error.code : 'unexpected'
  return `${code}: ${messageOf(error)}`
}

/** The code and the message of such a text; BullMQ writes others, such as for a job whose workers were all killed. */
export function parseFailure(text: string): { readonly code: string; readonly message: string } {
  const [, code, message] = /^([a-z]+(?:-[a-z]+)*): ([\s\S]*)$/.exec(text) ?? []
  if (code !== undefined && message !== undefined) return { code, message }
  if (/stalled more than/.test(text))
    return {
      code: 'worker-killed',
      message: 'Each worker that took the log was killed or stopped; it may need more memory.',
    }
  return { code: 'unexpected', message: text }
}

/** Whether the same log may be compressed if it is tried again later. */
export function mayPass(error: unknown): boolean {
  if (!TenfoldError.isInstance(error)) return true
  if ('retryable' in error) return error.retryable === true
  return error.code === 'log-changed' || error.code === 'closed'
}
