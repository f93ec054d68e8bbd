import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { readSession } from '../../src/readers/read-session.ts'

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
