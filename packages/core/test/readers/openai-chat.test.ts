import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { openaiChatReader } from '../../src/readers/openai-chat/openai-chat.ts'
import { listSessions, readSession } from '../../src/readers/read-session.ts'
import { ofType } from './events.ts'
import { outline, readJsonLines, readSample, readValue } from './message-logs.ts'

describe('a list of messages', async () => {
  const session = await readSample('openai-chat/messages.json')

  it('has turns, reasoning, calls and results', () => {
    expect(outline(session)).toEqual([
      'context system You are a careful engineer.',
      'user typed Round the totals half to even.',
      'reasoning Look first.',
      'call bash (execute)',
      'call read_file (read)',
      'result error 1',
      'result ok',
      'assistant The test expects half to even.',
      'call apply_patch (edit)',
      'result ok',
      'user typed Is this right?',
      'assistant Yes.',
      'user typed Now push.',
      'call bash (execute)',
    ])
    expect(ofType(session, 'user')[1]).toMatchObject({ images: 1 })
  })

  it('keeps arguments with broken JSON as they are', () => {
    expect(ofType(session, 'tool_call').map(({ input }) => input)[1]).toBe('{"path":"src/total.ts"')
  })
})

describe('lines', () => {
  it('with one message each are one conversation, and old function calls find their results by name', async () => {
    const session = await readSample('openai-chat/lines.jsonl')
    expect(outline(session)).toEqual([
      'user typed What is the total?',
      'call get_total (other)',
      'result error',
      'assistant There is no total for May.',
    ])
    expect(ofType(session, 'tool_result')[0]?.callId).toBe(ofType(session, 'tool_call')[0]?.callId)
  })

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
  it('use their first choice and usage; the other choices are kept', async () => {
    const session = await readSample('openai-chat/answer.json')
    expect(outline(session)).toEqual(['assistant Half to even.', 'other'])
    expect(session.usage).toEqual([
      { agent: 'main', model: 'gpt-5', usage: { inputTokens: 20, outputTokens: 4, reasoningTokens: 2 } },
    ])
    expect(session.startedAt).toBe('2026-05-04T08:00:00.000Z')
  })

  it('are put together from chunks', async () => {
    const session = await readSample('openai-chat/chunks.jsonl')
    expect(outline(session)).toEqual(['assistant I run the tests.', 'call bash (execute)'])
    expect(ofType(session, 'tool_call')[0]?.input).toEqual({ command: 'npm test' })
    expect(session.usage[0]?.usage).toMatchObject({ inputTokens: 100, cacheReadTokens: 64 })
  })

  it('are put together from chunks as they were sent', async () => {
    const chunk = (content: string): string =>
      `data: ${JSON.stringify({ object: 'chat.completion.chunk', id: 'c', choices: [{ delta: { content } }] })}\n\n`
    const session = await readSession(Buffer.from(`${chunk('Half ')}${chunk('to even.')}data: [DONE]\n\n`))
    expect(session.format).toBe('openai-chat')
    expect(outline(session)).toEqual(['assistant Half to even.'])
  })

  it('stand among messages, with model, time and usage', async () => {
    const session = await readSample('openai-chat/with-answers.json')
    expect(outline(session)).toEqual([
      'context system You are a careful engineer.',
      'user typed Round the totals.',
      'call bash (execute)',
      'result unknown',
      'assistant Rounded.',
    ])
    expect(ofType(session, 'assistant')).toMatchObject([
      { model: 'large-1', time: '2026-05-04T08:00:05.000Z' },
    ])
    expect(session.usage).toEqual([
      { agent: 'main', model: 'large-1', usage: { inputTokens: 100, outputTokens: 11, cacheReadTokens: 30 } },
    ])
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
