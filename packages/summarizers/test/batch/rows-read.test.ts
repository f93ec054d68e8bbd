import { describe, expect, it } from 'vitest'
import { batchRowOf as anthropicRow } from '../../src/anthropic/anthropic-batch.ts'
import { batchRowSchema } from '../../src/batch/job.ts'
import { jsonLines } from '../../src/batch/vendor-calls.ts'
import { batchRowOf as openaiRow } from '../../src/openai/openai-batch.ts'

const { signal } = new AbortController()

/** Lines of a download that comes in the pieces given. */
async function linesOf(pieces: readonly Uint8Array[], breaks = false): Promise<unknown[]> {
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const [piece] = pending.splice(0, 1)
      if (piece !== undefined) controller.enqueue(piece)
      else if (breaks) controller.error(new TypeError('terminated'))
      else controller.close()
    },
  })
  const pending = [...pieces]
  const lines: unknown[] = []
  for await (const line of jsonLines(new Response(body), signal)) lines.push(line)
  return lines
}

describe('lines of a download', () => {
  it('are the same for any cut into pieces, with or without a newline at the end', async () => {
    const text = `{"a":"ä€😀"}\n\n{"b":1}\r\n{"c":null}`
    for (const end of ['', '\n'])
      for (const size of [1, 2, 3, 7, 1000]) {
        const bytes = Buffer.from(text + end)
        const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
          bytes.subarray(index * size, (index + 1) * size),
        )
        expect(await linesOf(pieces)).toEqual([{ a: 'ä€😀' }, { b: 1 }, { c: null }])
      }
  })

  it('end with a retryable failure if the download does', async () => {
    const failure = { reason: 'cut-off', retryable: true }
    await expect(linesOf([Buffer.from('{"a":1}\n')], true)).rejects.toMatchObject(failure)
    await expect(linesOf([Buffer.from('{"a":1}\n{"b":')])).rejects.toMatchObject(failure)
  })
})

describe.each([
  ['Anthropic', (line: unknown) => anthropicRow(line, ['sk-secret'])],
  ['OpenAI', openaiRow],
] as const)('a row of %s', (_, read) => {
  it('is a retryable failure if it is not valid', () => {
    for (const line of [null, 1, 'x', [], {}, { custom_id: 1 }])
      expect(() => read(line)).toThrow(expect.objectContaining({ reason: 'cut-off', retryable: true }))
  })

  it('is a reply or an error that can be stored, for any content', () => {
    const values = [
      null,
      1,
      'x',
      [],
      {},
      { type: 'x' },
      { status_code: 500, body: null },
      { status_code: 200 },
    ]
    for (const value of values)
      for (const line of [
        {
          custom_id: 'a',
          result: { type: 'errored', error: { error: value } },
          response: value,
          error: value,
        },
        { custom_id: 'a', result: { type: 'succeeded', message: value }, response: value, error: value },
        { custom_id: 'a', result: { type: 'new' }, response: { status_code: 400, body: { error: value } } },
      ]) {
        const row = read(line)
        expect(JSON.parse(JSON.stringify(row))).toEqual(batchRowSchema.parse(JSON.parse(JSON.stringify(row))))
        expect(row.error).toBeDefined()
      }
  })
})

describe('an error in a row', () => {
  const anthropic = (type: string, message = 'no') =>
    anthropicRow(
      { custom_id: 'a', result: { type: 'errored', error: { type: 'error', error: { type, message } } } },
      ['sk-secret'],
    ).error
  const openai = (status_code: number, error: unknown) =>
    openaiRow({ custom_id: 'a', response: { status_code, request_id: 'r', body: { error } }, error: null })
      .error

  it('gives advice if it is from Anthropic', () => {
    expect(anthropic('overloaded_error')).toMatchObject({ reason: 'overloaded', retryable: true })
    expect(anthropic('api_error')).toMatchObject({ reason: 'server-error', retryable: true })
    expect(anthropic('invalid_request_error', 'max_tokens: too large')).toMatchObject({
      reason: 'bad-request',
      retryable: false,
    })
    expect(anthropic('invalid_request_error', 'prompt is too long: 9 > 8')?.reason).toBe('prompt-too-long')
    expect(anthropic('authentication_error', 'bad key sk-secret')?.message).not.toContain('sk-secret')
  })

  it('gives advice if it is from OpenAI', () => {
    expect(openai(500, { message: 'sorry' })).toMatchObject({ reason: 'server-error', retryable: true })
    expect(openai(429, { message: 'slow down', code: 'rate_limit_exceeded' })).toMatchObject({
      retryable: true,
    })
    expect(openai(400, { message: 'bad', type: 'invalid_request_error' })).toMatchObject({
      reason: 'bad-request',
      retryable: false,
      requestId: 'r',
    })
    expect(openai(400, { message: 'x', code: 'context_length_exceeded' })?.reason).toBe('prompt-too-long')
    const expired = { custom_id: 'a', response: null, error: { code: 'batch_expired', message: 'x' } }
    expect(openaiRow(expired).error).toMatchObject({ reason: 'timeout', retryable: true })
  })
})
