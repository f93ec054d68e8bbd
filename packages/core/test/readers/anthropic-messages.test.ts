import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { readSession } from '../../src/readers/read-session.ts'
import { outline, readJsonLines } from './message-logs.ts'

describe('a recorded stream', () => {
  it('has what was received if it breaks off or begins late', async () => {
    const delta = (text: string): unknown => ({
      type: 'content_block_delta',
      index: 3,
      delta: { type: 'text_delta', text },
    })
    const session = await readJsonLines('anthropic-messages', [delta('half '), { type: 'ping' }, delta('a')])
    expect(outline(session)).toEqual(['assistant half a'])
  })
})

describe('a raw stream of server-sent events', () => {
  const sent = (...events: readonly object[]): string =>
    events.map((event) => `event: x\ndata: ${JSON.stringify(event)}\n\n`).join('')

  it('is recognized and read', async () => {
    const text = sent(
      { type: 'message_start', message: { id: 'm', model: 'large-1', usage: { input_tokens: 9 } } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi.' } },
      { type: 'content_block_stop', index: 0 },
      {
        type: 'message_delta',
        usage: { output_tokens: 2 },
        context_management: { applied_edits: [{ type: 'clear_tool_uses', cleared_tool_uses: 3 }] },
      },
      { type: 'message_stop' },
    )
    const session = await readSession(Buffer.from(`: ping\n\n${text}`))
    expect(session.format).toBe('anthropic-messages')
    expect(outline(session)).toEqual(['assistant Hi.'])
    expect(session.usage[0]?.usage).toEqual({ inputTokens: 9, outputTokens: 2 })
    expect(session.notes).toMatchObject([
      { code: 'context-edited', message: expect.stringContaining('cleared_tool_uses 3') },
    ])
  })
})

describe('several requests in one log', () => {
  it('are read by name, otherwise the last one is', async () => {
    const path = fileURLToPath(new URL('../fixtures/anthropic-messages/requests.jsonl', import.meta.url))
    const [last, first] = [await readSession(path), await readSession(`${path}#first`)]
    expect([last.id, first.id]).toEqual(['second', 'first'])
    expect(last.events.length).toBeGreaterThan(first.events.length)
    expect(last.notes).toMatchObject([{ code: 'other-sessions' }])
    await expect(readSession(`${path}#third`)).rejects.toMatchObject({ code: 'session-missing' })
  })
})
