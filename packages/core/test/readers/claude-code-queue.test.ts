import { describe, expect, it } from 'vitest'
import { log, read } from './claude-code-log.ts'
import { ofType } from './events.ts'

const enqueue = (content: string) => ({
  type: 'queue-operation',
  operation: 'enqueue',
  content,
  sessionId: 'session-1',
})
const operation = (name: string, more: object = {}) => ({
  type: 'queue-operation',
  operation: name,
  timestamp: '2026-01-01T10:01:00.000Z',
  sessionId: 'session-1',
  ...more,
})

describe('queued prompts', () => {
  it('count once if a record delivers them', async () => {
    const { user } = log()
    const session = await read([user('go'), enqueue('and test'), operation('dequeue'), user('and test')])
    expect(ofType(session, 'user').map(({ text, origin }) => [text, origin])).toEqual([
      ['go', 'typed'],
      ['and test', 'queued'],
    ])
  })

  it('count once if an attachment delivers them', async () => {
    const { user, attachment } = log()
    const session = await read([
      user('go'),
      enqueue('and test'),
      operation('remove', { content: 'and test' }),
      attachment({ type: 'queued_command', prompt: 'and test', commandMode: 'prompt' }),
      attachment({ type: 'queued_command', prompt: [{ type: 'text', text: 'see' }, { type: 'image' }] }),
      attachment({ type: 'queued_command', prompt: '<task-notification>x</task-notification>' }),
    ])
    expect(ofType(session, 'user').map(({ text, origin, images }) => [text, origin, images])).toEqual([
      ['go', 'typed', undefined],
      ['and test', 'queued', undefined],
      ['see', 'queued', 1],
    ])
    expect(ofType(session, 'context')).toMatchObject([{ origin: 'notification' }])
  })

  it('count if old versions deliver them without a trace', async () => {
    const { user, call } = log()
    const session = await read([
      user('go', { version: '2.1.14' }),
      enqueue('and test'),
      enqueue('{"task_id":"b1","task_type":"local_bash"}'),
      call('c1', 'Bash'),
      operation('remove'),
      operation('remove'),
    ])
    expect(ofType(session, 'user')).toMatchObject([
      { text: 'go' },
      { text: 'and test', origin: 'queued', time: '2026-01-01T10:01:00.000Z', source: { line: 5 } },
    ])
  })

  it('count if the agent never saw them, but not if they went back to the prompt', async () => {
    const { user } = log()
    const session = await read([
      user('go'),
      enqueue('never mind'),
      operation('popAll'),
      enqueue('/copy'),
      enqueue('last wish'),
    ])
    expect(ofType(session, 'user')).toMatchObject([
      { text: 'go' },
      { text: 'last wish', source: { line: 5 } },
    ])
    expect(session.source.account.absorbed).toEqual([['queue of prompts', 3]])
  })
})
