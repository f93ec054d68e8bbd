import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { openaiChatReader } from '../../src/readers/openai-chat/openai-chat.ts'
import { listSessions, readSession } from '../../src/readers/read-session.ts'
import { ofType } from './events.ts'
import { outline, readJsonLines, readValue } from './message-logs.ts'

describe('lines', () => {
  it('with one conversation each are read by name', async () => {
    const path = fileURLToPath(new URL('../fixtures/openai-chat/conversations.jsonl', import.meta.url))
    const session = await readSession(`${path}#two`)
    expect(session).toMatchObject({ id: 'two', notes: [] })
    expect(session.source.account).toMatchObject({ events: 1, absorbed: [['another conversation', 2]] })
    expect((await openaiChatReader.sessions?.(records(3)))?.map(({ id }) => id)).toEqual([
      '7-0',
      '7-1',
      '7-2',
    ])
  })

  it('with printed conversations are read, calls included', async () => {
    const text = 'user: Hi\nassistant: None\ntool: {"a": 1}\nassistant: One\nof them.'
    const session = await readJsonLines('openai-chat', [{ messages_display: text }])
    expect(outline(session)).toEqual(['user typed Hi', 'call tool (other)', 'result ok', 'assistant One'])
    expect(ofType(session, 'assistant')[0]?.text).toBe('One\nof them.')
  })

  async function* records(count: number) {
    for (let trial = 0; trial < count; trial++) {
      const value = { task_id: 7, trial, traj: [{ role: 'user', content: 'Hi' }] }
      yield { value, text: '', line: trial + 1, file: 0 }
    }
  }
})

describe('a log that holds one conversation', () => {
  it('is listed as one session, and read by the name in that list', async () => {
    for (const name of ['lines.jsonl', 'messages.json', 'chunks.jsonl']) {
      const path = fileURLToPath(new URL(`../fixtures/openai-chat/${name}`, import.meta.url))
      const listed = await listSessions(path)
      expect(listed).toHaveLength(1)
      expect(await readSession(`${path}#${listed?.[0]?.id}`)).toEqual(await readSession(path))
    }
  })
})

describe('answers', () => {
  it('are put together from chunks as they were sent', async () => {
    const chunk = (content: string): string =>
      `data: ${JSON.stringify({ object: 'chat.completion.chunk', id: 'c', choices: [{ delta: { content } }] })}\n\n`
    const session = await readSession(Buffer.from(`${chunk('Half ')}${chunk('to even.')}data: [DONE]\n\n`))
    expect(session.format).toBe('openai-chat')
    expect(outline(session)).toEqual(['assistant Half to even.'])
  })

  it('follow their request', async () => {
    const session = await readValue('openai-chat', {
      request: { model: 'm1', messages: [{ role: 'user', content: 'Hi' }] },
      response: { choices: [{ message: { role: 'assistant', content: 'Hello.' } }] },
    })
    expect(session.events).toMatchObject([{ type: 'user' }, { type: 'assistant', model: 'm1' }])
  })
})

describe('system prompts', () => {
  it('count once', async () => {
    const system = { role: 'system', content: 'Be brief.' }
    const session = await readValue('openai-chat', [system, { role: 'user', content: 'Hi' }, system])
    expect(ofType(session, 'context')).toHaveLength(1)
  })
})

describe('detection', () => {
  const score = (document: unknown): number =>
    openaiChatReader.detect({ name: 'log', text: '', records: [], document })

  it('recognizes messages by tool calls, roles and plain text', () => {
    expect(score([{ role: 'user', content: 'Hi' }])).toBeGreaterThan(0.5)
    expect(score([{ role: 'developer', content: 'x' }])).toBeGreaterThan(0.8)
  })

  it('leaves other families and agents alone', () => {
    const tool = { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'c', output: {} }] }
    expect(score([{ role: 'user', content: 'Hi' }, tool])).toBe(0)
    expect(score({ system: 'x', messages: [{ role: 'user', content: 'Hi' }] })).toBe(0)
    expect(score({ info: {}, trajectory_format: 'x-1', messages: [{ role: 'user', content: 'Hi' }] })).toBe(0)
    expect(score([{ role: 'user', created: 1, content: [{ type: 'toolResponse' }] }])).toBe(0)
    expect(score([{ role: 'user', message: { content: 'Hi' } }])).toBe(0)
  })
})
