import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { openHandsReader } from '../../src/readers/openhands/openhands.ts'
import { listSessions, readSession } from '../../src/readers/read-session.ts'

const readers = [openHandsReader]

describe('rows of a benchmark', () => {
  const path = fileURLToPath(new URL('../fixtures/openhands/v0-output.jsonl', import.meta.url))

  it('are sessions, of which one is read', async () => {
    expect(await listSessions(path, { readers })).toEqual([
      { id: 'shelf__shelf-1' },
      { id: 'shelf__shelf-2' },
    ])
    const last = await readSession(path, { readers })
    expect(last.id).toBe('shelf__shelf-2')
    expect(last.notes.map(({ code }) => code)).toEqual(['other-sessions'])
    const first = await readSession(`${path}#shelf__shelf-1`, { readers })
    expect(first.id).toBe('shelf__shelf-1')
    expect(first.notes.map(({ code }) => code)).toEqual(['naive-time'])
    await expect(readSession(`${path}#nowhere`, { readers })).rejects.toMatchObject({
      code: 'session-missing',
    })
  })
})
