import { ModelError } from '../../provider/model.ts'

/**
 * JSON values of a downloaded file, one per line, as they arrive. Throws a retryable ModelError `cut-off` if the
 * download breaks off or the last line is cut.
 */
export async function* jsonLines(response: Response, signal: AbortSignal): AsyncGenerator<unknown> {
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for await (const bytes of response.body ?? []) {
      const lines = `${rest}${decoder.decode(bytes as Uint8Array, { stream: true })}`.split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) yield* parsed(line)
    }
  } catch (cause) {
    signal.throwIfAborted()
    if (cause instanceof ModelError) throw cause
    throw new ModelError('the download of the results broke off', {
      reason: 'cut-off',
      retryable: true,
      cause,
    })
  }
  yield* parsed(`${rest}${decoder.decode()}`)
}

function* parsed(line: string): Generator<unknown> {
  if (line.trim() === '') return
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    throw new ModelError('the download of the results has a line that is not JSON: it was cut', {
      reason: 'cut-off',
      retryable: true,
    })
  }
  yield value
}
