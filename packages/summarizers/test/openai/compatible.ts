import type { Readable } from 'node:stream'
import nock from 'nock'

export const host = 'http://compatible.test'
export const options = { model: 'qwen3', baseURL: `${host}/v1` }
export const cost = { inputTokens: 9, outputTokens: 3 }
export const usage = { prompt_tokens: 9, completion_tokens: 3 }

export type Body = Record<string, unknown>

/** Answers the next call, and adds the request to the list. */
export function answer(
  status: number,
  body: string | Readable | object,
  headers: Record<string, string> = {},
): Body[] {
  const sent: Body[] = []
  nock(host)
    .post('/v1/chat/completions', (posted: Body) => sent.push(posted) > 0)
    .reply(status, body as nock.Body, headers)
  return sent
}

export function refuse(status: number, message: string, more: object = {}): Body[] {
  return answer(status, { error: { message, ...more } }, { 'content-type': 'application/json' })
}

export const whole = {
  id: 'c1',
  model: 'qwen3',
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', content: '{"a":1}' }, finish_reason: 'stop' }],
  usage,
}
