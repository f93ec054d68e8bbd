import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { openaiChatReader } from '../../src/readers/openai-chat/openai-chat.ts'
import { listSessions, readSession } from '../../src/readers/read-session.ts'

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
