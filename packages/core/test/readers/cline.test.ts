import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { clineReader } from '../../src/readers/cline/cline.ts'
import { readSession } from '../../src/readers/read-session.ts'
import { logsOfFolder } from '../../src/readers/reader/locate-log.ts'
import { ofType } from './events.ts'

const readers = [clineReader]

describe('a task folder', () => {
  let store = ''
  beforeAll(async () => {
    store = await mkdtemp(join(tmpdir(), 'cline-'))
    const task = join(store, 'tasks', '1767600000000')
    await mkdir(task, { recursive: true })
    const at = (seconds: number): number => 1767600000000 + seconds * 1000
    const ui = [
      { ts: at(1), type: 'say', say: 'task', text: 'Make the lamp blink.', conversationHistoryIndex: -1 },
      { ts: at(2), type: 'say', say: 'api_req_started', text: '{"tokensIn":5,"tokensOut":2,"cacheReads":7}' },
      { ts: at(3), type: 'say', say: 'text', text: 'I read the lamp.', conversationHistoryIndex: 0 },
      { ts: at(4), type: 'say', say: 'error', text: 'Rate limited' },
      { ts: at(5), type: 'say', say: 'tool', text: '{"tool":"readFile","path":"lamp.ts"}' },
    ]
    const history = [
      { role: 'user', content: [{ type: 'text', text: '<task>\nMake the lamp blink.\n</task>' }] },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'I read the lamp.\n<read_file>\n<path>lamp.ts</path>\n</read_file>' },
        ],
      },
      { role: 'user', content: [{ type: 'text', text: "[read_file for 'lamp.ts'] Result:\non" }] },
    ]
    await writeFile(join(task, 'ui_messages.json'), JSON.stringify(ui))
    await writeFile(join(task, 'api_conversation_history.json'), JSON.stringify(history))
    await writeFile(join(task, 'task_metadata.json'), '{"files_in_context":[],"model_usage":[]}')
  })
  afterAll(async () => await rm(store, { recursive: true }))

  it('is read as one session: each text once, with times and usage from the interface', async () => {
    const task = join(store, 'tasks', '1767600000000')
    expect(await logsOfFolder(store, readers)).toEqual([join(task, 'ui_messages.json')])
    for (const path of [task, join(task, 'api_conversation_history.json')]) {
      const session = await readSession(path, { readers })
      const types = session.events.map(({ type }) => type)
      expect(types.toSorted()).toEqual(['assistant', 'context', 'tool_call', 'tool_result', 'user'])
      expect(ofType(session, 'context')).toMatchObject([{ name: 'error', text: 'Rate limited' }])
      expect(ofType(session, 'user')[0]?.time).toBe('2026-01-05T08:00:01.000Z')
      expect(session.usage).toMatchObject([{ usage: { inputTokens: 12, outputTokens: 2 } }])
      expect(session.source.files).toHaveLength(3)
      expect(session.notes).toEqual([])
    }
  })
})
