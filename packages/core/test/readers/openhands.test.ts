import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openHandsReader } from '../../src/readers/openhands/openhands.ts'
import { listSessions, readSession } from '../../src/readers/read-session.ts'
import { logsOfFolder } from '../../src/readers/reader/locate-log.ts'

const readers = [openHandsReader]
const pathOf = (name: string): URL => new URL(`../fixtures/openhands/${name}`, import.meta.url)

describe('rows of a benchmark', () => {
  const path = fileURLToPath(pathOf('v0-output.jsonl'))

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

describe('a conversation of V1', async () => {
  const lines = readFileSync(pathOf('v1-events.jsonl'), 'utf8').trim().split('\n')
  const session = await readSession(pathOf('v1-events.jsonl'), { readers })

  describe('in its folder', () => {
    let store = ''
    beforeAll(async () => {
      store = await mkdtemp(join(tmpdir(), 'openhands-'))
      const folder = join(store, 'conversations', 'abc')
      await mkdir(join(folder, 'events'), { recursive: true })
      const state = {
        id: 'abc',
        agent: { llm: { model: 'anthropic/claude-sonnet-4-5' } },
        workspace: { working_dir: '/srv/shelf' },
        execution_status: 'finished',
        stats: { usage_to_metrics: { agent: { accumulated_token_usage: { prompt_tokens: 900 } } } },
      }
      await writeFile(join(folder, 'base_state.json'), JSON.stringify(state, null, 2))
      for (const [index, line] of lines.entries()) {
        const name = `event-${String(index).padStart(5, '0')}-x${index}.json`
        await writeFile(join(folder, 'events', name), line)
      }
    })
    afterAll(async () => await rm(store, { recursive: true }))

    it('is read from its state and its events, in order', async () => {
      const folder = join(store, 'conversations', 'abc')
      expect(await logsOfFolder(join(store, 'conversations'), readers)).toEqual([
        join(folder, 'base_state.json'),
      ])
      const read = await readSession(folder, { readers })
      expect(read).toMatchObject({ id: 'abc', cwd: '/srv/shelf', startedAt: session.startedAt })
      expect(read.events.map(({ type }) => type)).toEqual(session.events.map(({ type }) => type))
      expect(read.source.files).toHaveLength(lines.length + 1)
      expect(read.usage[0]).toMatchObject({ usage: { inputTokens: 900 } })
    })
  })
})
