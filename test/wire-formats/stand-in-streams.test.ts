import { setTimeout as sleep } from 'node:timers/promises'
import Anthropic from '@anthropic-ai/sdk'
import { Ollama } from 'ollama'
import OpenAI from 'openai'
import { beforeEach, describe, expect, it } from 'vitest'
import { type ScenarioLike, startStandIn } from '../stand-in/index.ts'
import { testStandIn } from '../support/test-stand-in.ts'
import { chat, completion, message, response, whole } from './stand-in-requests.ts'

const standIn = testStandIn('each')
let claude: Anthropic
let gpt: OpenAI
let llama: Ollama
beforeEach(async () => {
  claude = new Anthropic({ apiKey: 'sk-test', baseURL: standIn.url, maxRetries: 0, logLevel: 'off' })
  gpt = new OpenAI({ apiKey: 'sk-test', baseURL: standIn.openaiUrl, maxRetries: 0, logLevel: 'off' })
  llama = new Ollama({ host: standIn.url })
})

async function readLlama(): Promise<string> {
  let text = ''
  for await (const part of await llama.chat({ ...chat, stream: true })) text += part.message.content
  return text
}
const include = { stream: true as const, stream_options: { include_usage: true } }

describe('a stream that breaks', () => {
  it.each<[ScenarioLike, words: RegExp]>([
    ['stream_error', /Overloaded/],
    ['stream_reset', /terminated|other side closed/],
    ['stream_cut', /stream ended without producing a Message/],
    ['stream_no_stop', /stream ended without producing a Message/],
  ])('of Anthropic is billed in part: %s', async (scenario, words) => {
    standIn.always(scenario)
    const stream = claude.messages.stream(message)
    let text = ''
    stream.on('text', (piece) => {
      text += piece
    })
    await expect(stream.finalMessage()).rejects.toThrow(words)
    const [entry] = standIn.bill
    expect(entry).toMatchObject({ sent: 'part', kind: 'call' })
    expect(entry?.usage.output).toBe(16 + Math.ceil(text.length / 4))
    expect(whole.startsWith(text)).toBe(true)
    expect(text === whole).toBe(scenario === 'stream_no_stop')
    if (scenario === 'stream_error')
      expect(stream.currentMessage?.usage.input_tokens).toBe(entry?.usage.input)
  })

  it('of Anthropic has an error with a type and no status', async () => {
    standIn.always('stream_error')
    const error = await claude.messages
      .stream(message)
      .finalMessage()
      .catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(Anthropic.APIError)
    expect(error).toMatchObject({ status: undefined, type: 'overloaded_error' })
    await expect(claude.messages.create(message)).rejects.toMatchObject({ status: 529 })
  })

  it('of OpenAI responses resolves without usage after a cut, and rejects otherwise', async () => {
    standIn.script(['stream_cut', 'stream_no_stop', 'stream_error', 'stream_reset'])
    for (const _ of [1, 2]) {
      const cut = await gpt.responses.stream(response).finalResponse()
      expect(cut).toMatchObject({ status: 'in_progress' })
      expect(cut.usage ?? undefined).toBeUndefined()
    }
    // The SDK rejects with a plain object.
    await expect(gpt.responses.stream(response).finalResponse()).rejects.toBeTruthy()
    await expect(gpt.responses.stream(response).finalResponse()).rejects.toThrow('terminated')
    expect(standIn.bill.map((entry) => entry.sent)).toEqual(Array(4).fill('part'))
  })

  it('of OpenAI chat always rejects', async () => {
    for (const [scenario, words] of [
      ['stream_cut', 'missing finish_reason'],
      ['stream_no_stop', 'missing finish_reason'],
      ['stream_error', 'server had an error'],
      ['stream_reset', 'terminated'],
    ] as const) {
      standIn.script([scenario])
      const stream = gpt.chat.completions.stream({ ...completion, ...include })
      await expect(stream.finalChatCompletion()).rejects.toThrow(words)
    }
  })

  it('of Ollama always rejects', async () => {
    for (const [scenario, words] of [
      ['stream_cut', 'Did not receive done'],
      ['stream_no_stop', 'Did not receive done'],
      ['stream_error', 'server had an error'],
      ['stream_reset', 'terminated'],
    ] as const) {
      standIn.script([scenario])
      await expect(readLlama()).rejects.toThrow(words)
    }
  })

  it('may be a body without streaming', async () => {
    standIn.script(['stream_cut', 'stream_reset'])
    await expect(claude.messages.create(message)).rejects.toThrow(SyntaxError)
    await expect(claude.messages.create(message)).rejects.toThrow('terminated')
    expect(standIn.bill.map((entry) => entry.sent)).toEqual(['part', 'part'])
  })

  it('breaks after as many pieces as requested', async () => {
    standIn.always({ scenario: 'stream_cut', after: 1 })
    let pieces = 0
    for await (const event of await claude.messages.create({ ...message, stream: true }))
      if (event.type === 'content_block_delta') pieces += 1
    expect(pieces).toBe(1)
  })
})

describe('a slow stand-in', () => {
  it('stalls in mid-stream until the client goes', async () => {
    standIn.always('stall')
    const stream = claude.messages.stream(message)
    const read = stream.finalMessage().catch((error: unknown) => error)
    await expect.poll(() => stream.currentMessage?.content.length).toBe(1)
    await sleep(50)
    expect(standIn.requests[0]?.aborted).toBe(false)
    stream.abort()
    expect(await read).toBeInstanceOf(Anthropic.APIUserAbortError)
    await expect.poll(() => standIn.requests[0]?.aborted).toBe(true)
    expect(standIn.bill).toMatchObject([{ sent: 'part' }])
  })

  it('never answers, and bills it', async () => {
    standIn.always('stall_headers')
    const control = new AbortController()
    const asked = claude.messages.create(message, { signal: control.signal }).catch((error: unknown) => error)
    await expect.poll(() => standIn.bill.length).toBe(1)
    control.abort()
    expect(await asked).toBeInstanceOf(Anthropic.APIUserAbortError)
    expect(standIn.bill).toMatchObject([{ sent: 'none' }])
    await expect.poll(() => standIn.requests[0]?.aborted).toBe(true)
    expect(standIn.requests[0]?.status).toBeUndefined()
  })

  it('is slow, then does what the scenario asks', async () => {
    standIn.script([
      { scenario: 'slow', ms: 60 },
      { scenario: 'slow', ms: 60, next: 429 },
    ])
    const start = performance.now()
    await claude.messages.create(message)
    await expect(claude.messages.create(message)).rejects.toBeInstanceOf(Anthropic.RateLimitError)
    expect(performance.now() - start).toBeGreaterThan(115)
    standIn.script([{ scenario: 'slow', ms: 1500 }])
    await expect(claude.messages.create(message, { timeout: 100 })).rejects.toThrow('timed out')
    await sleep(1700)
    // A client that left before the work began is not billed.
    expect(standIn.bill).toHaveLength(1)
  })

  it('pings before the first piece, and drips', async () => {
    standIn.script([
      { scenario: 'pings', n: 3, everyMs: 20 },
      { scenario: 'pings', n: 3, everyMs: 20 },
      { scenario: 'drip', everyMs: 10 },
    ])
    const raw = await fetch(`${standIn.url}/v1/messages`, {
      method: 'POST',
      headers: { authorization: 'Bearer k', 'anthropic-version': '2026-10-21' },
      body: JSON.stringify({ ...message, stream: true }),
    })
    expect((await raw.text()).split('event: ping').length - 1).toBe(4)
    const start = performance.now()
    const reply = await gpt.responses.stream(response).finalResponse()
    expect(reply.output_text).toBe(whole)
    expect(performance.now() - start).toBeGreaterThan(58)
    expect(await readLlama()).toBe(whole)
  })

  it('counts the calls that are open at once', async () => {
    standIn.always({ scenario: 'slow', ms: 1000 })
    await Promise.all([1, 2, 3].map(() => claude.messages.create(message)))
    await claude.messages.create(message)
    expect(standIn.peak).toBe(3)
  })
})

describe('a connection', () => {
  it('is reset before the reply, unbilled', async () => {
    standIn.always('connection_reset')
    await expect(claude.messages.create(message)).rejects.toBeInstanceOf(Anthropic.APIConnectionError)
    await expect(gpt.responses.create(response)).rejects.toBeInstanceOf(OpenAI.APIConnectionError)
    await expect(llama.chat(chat)).rejects.toThrow('fetch failed')
    expect(standIn.bill).toEqual([])
    expect(standIn.requests[0]).toMatchObject({ status: undefined, aborted: false })
  })

  it('is lost with a reply that is billed: a retry is billed again', async () => {
    standIn.script(['lost_reply'])
    const again = new Anthropic({ apiKey: 'k', baseURL: standIn.url, maxRetries: 1, logLevel: 'off' })
    await again.messages.create(message)
    expect(standIn.bill.map((entry) => entry.sent)).toEqual(['none', 'whole'])
  })

  it('is closed while a stream is open', async () => {
    const closing = await startStandIn()
    closing.always('stall')
    const read = claude.withOptions({ baseURL: closing.url }).messages.stream(message).finalMessage()
    read.catch(() => {})
    await expect.poll(() => closing.bill.length).toBe(1)
    await closing.close()
    await expect(read).rejects.toThrow()
  })
})
