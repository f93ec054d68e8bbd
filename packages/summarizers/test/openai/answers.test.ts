import { beforeEach, describe, expect, it } from 'vitest'
import type { ScenarioLike } from '../../../../test/stand-in/index.ts'
import { testStandIn } from '../../../../test/support/test-stand-in.ts'
import type { OpenAIOptions } from '../../src/openai/openai-model.ts'
import { billed, failureOf } from '../support/ask.ts'
import { ask } from './sample.ts'

const standIn = testStandIn('all')
beforeEach(() => standIn.always('ok'))

const apis = ['responses', 'chat'] as const
const ways = apis.flatMap((api) => [true, false].map((stream) => ({ api, stream })))

describe.each(ways)('openaiModel, $api, stream $stream', ({ api, stream }) => {
  const call = (scenario: ScenarioLike, more: Partial<OpenAIOptions> = {}) => {
    standIn.script([scenario])
    return ask({ model: 'stand-in', baseURL: standIn.openaiUrl, apiKey: 'key-1', api, stream, ...more })
  }
  const lastBill = () => {
    const { cacheWriteTokens, ...usage } = billed(standIn.bill.at(-1))
    // Chat does not report writes to a cache if there were none.
    return api === 'chat' && cacheWriteTokens === 0 ? usage : { ...usage, cacheWriteTokens }
  }

  it.each([
    ['refusal', 'refusal'],
    [{ scenario: 'refusal', text: 'Some prose.' }, 'refusal'],
    ['context_exceeded', 'max-tokens'],
    ['content_filter', 'content-filter'],
    ['two_text_blocks', 'end'],
  ] as const)('returns %j as stop %s, with what was billed', async (scenario, stop) => {
    const reply = await call(scenario)
    expect(reply.stop).toBe(stop)
    expect(reply.usage).toEqual(lastBill())
  })

  if (stream)
    it('continues while bytes come that are not events', async () => {
      const options = { idleTimeoutMs: 1500 }
      expect(await call({ scenario: 'pings', n: 6, everyMs: 300 }, options)).toMatchObject({ stop: 'end' })
    })

  it('accepts no answer from a stream that is cut before its first word', async () => {
    expect(await failureOf(call({ scenario: 'stream_cut', after: 0 }))).toMatchObject({ reason: 'cut-off' })
  })

  it('reports a Response that failed, with its cost', async () => {
    const error = await failureOf(call('failed'))
    expect(error).toMatchObject({ reason: 'server-error', retryable: true })
    expect(error.usage).toEqual(api === 'responses' ? lastBill() : {})
  })

  if (api === 'responses')
    it('accepts no answer that is incomplete without a reason, but keeps its cost', async () => {
      expect(await failureOf(call('incomplete'))).toMatchObject({ reason: 'cut-off', usage: lastBill() })
    })
})
