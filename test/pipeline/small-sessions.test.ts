import { compressLog, type Summarizer, tiktokenCounter } from '@tenfold/core'
import { extractiveSummarizer } from '@tenfold/summarizers/extractive'
import { type ModelRequest, modelSummarizer } from '@tenfold/summarizers/model'
import { describe, expect, it } from 'vitest'
import { type Line, logOf } from '../support/claude-log.ts'

const counter = tiktokenCounter()

/** Output of a program in which no line repeats another. */
function output(lines: number): string {
  return Array.from(
    { length: lines },
    (_, index) => `Order ${index * 37} of the shop waits for its ${index % 2 === 0 ? 'parcel' : 'invoice'}.`,
  ).join('\n')
}

function session(lines: number): Uint8Array {
  const said: Line[] = [
    { user: 'List the orders that wait, and say how many there are. Never change an order.' },
    { call: 'Bash', input: { command: 'shop orders --waiting' }, result: output(lines) },
    { agent: `${lines} orders wait. Next I would send a reminder for each.` },
  ]
  return logOf('small', 3, undefined, said)
}

/** A model that answers with empty fields and a summary, and the requests that it got. */
function recordingModel(): { summarizer: Summarizer; requests: ModelRequest[] } {
  const requests: ModelRequest[] = []
  const summarizer = modelSummarizer({
    name: 'fake',
    contextWindow: 200_000,
    call: async (request) => {
      requests.push(request)
      const fields = Object.entries(request.schema.properties as Record<string, { type: string }>)
      const empty = fields.map(([name, { type }]) => [name, type === 'array' ? [] : ''])
      const text = JSON.stringify({ ...Object.fromEntries(empty), summary: 'Orders were listed.' })
      return { text, usage: { inputTokens: 900, outputTokens: 40 }, stop: 'end' }
    },
  })
  return { summarizer, requests }
}

const sizeOf = ({ system, schema, messages }: ModelRequest) =>
  counter.count([system, JSON.stringify(schema), ...messages.map(({ text }) => text)].join('\n'))

describe('a session of fewer than 4,000 tokens', () => {
  it.each([170, 200, 260, 310])('of %i lines takes a prompt that is no longer', async (lines) => {
    const { summarizer, requests } = recordingModel()
    const { bundle } = await compressLog(session(lines), { summarizer })
    const { sourceTokens } = bundle.compression
    expect(sourceTokens).toBeGreaterThan(1900)
    expect(sourceTokens).toBeLessThan(4000)
    const [request] = requests
    expect(request && sizeOf(request)).toBeLessThan(sourceTokens)
    expect(request?.messages[0]?.text).toContain('Never change an order.')
    expect(request?.messages[0]?.text).toContain(`${lines} orders wait.`)
    expect(bundle.summary).toBe('Orders were listed.')
  })

  it('is read whole if it is smaller than the instructions and only a model is given', async () => {
    const { summarizer, requests } = recordingModel()
    const { plan } = await compressLog(session(40), { summarizer })
    const [request] = requests
    expect(plan.tokens.total).toBeLessThan(1000)
    expect(request && sizeOf(request)).toBeLessThan(plan.tokens.total + 1500)
    expect(request?.messages[0]?.text).toContain(output(40).split('\n').slice(0, 12).join('\n| '))
  })

  it('costs no call if it is smaller than the instructions and a summarizer without a model is given', async () => {
    const { summarizer, requests } = recordingModel()
    const { bundle } = await compressLog(session(40), { summarizer: [summarizer, extractiveSummarizer()] })
    expect(requests).toHaveLength(0)
    expect(bundle.compression).toMatchObject({ summarizer: 'extractive', calls: [] })
    expect(bundle.compression.fallback).toBeUndefined()
    expect(bundle.notes).toContainEqual({
      code: 'model-not-asked',
      message: `the session has ${bundle.compression.sourceTokens} tokens, fewer than a request to fake takes: extractive summarized it; maxReadRatio 1 asks fake in any case`,
    })
  })

  it('is summarized by the model in any case if all of it is to be read', async () => {
    const { summarizer, requests } = recordingModel()
    const chain = [summarizer, extractiveSummarizer()]
    const { bundle } = await compressLog(session(40), { summarizer: chain, maxReadRatio: 1 })
    expect(requests).toHaveLength(1)
    expect(bundle.compression.summarizer).toBe('fake')
  })
})
