import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { extractFacts } from '../../src/facts/extract-facts.ts'
import { clineReader } from '../../src/readers/cline/cline.ts'
import { readSession } from '../../src/readers/read-session.ts'
import { logsOfFolder } from '../../src/readers/reader/locate-log.ts'
import { ofType } from './events.ts'

const readers = [clineReader]

it('reads the check list, last words of a plan, and usage of subagents from the interface', async () => {
  const say = (kind: string, text: string, ts = 1) => ({
    ts: 1767600000000 + ts,
    type: 'say',
    say: kind,
    text,
  })
  const ui = [
    say('task', 'Plan the lamp.'),
    say('api_req_started', '{"tokensIn":5,"tokensOut":2}'),
    say('task_progress', '- [ ] find it\n- [ ] blink', 2),
    say('task_progress', '- [x] find it\n- [ ] blink', 3),
    say('task_progress', '- [x] find it\n- [ ] blink', 4),
    say('command_permission_denied', 'npm publish', 5),
    say('subagent_usage', '{"source":"subagents","tokensIn":10,"tokensOut":4}', 6),
    say('plan_completion_result', 'The lamp needs a timer.', 7),
  ]
  const session = await readSession(new TextEncoder().encode(JSON.stringify(ui)), { readers })
  expect(ofType(session, 'context').map(({ name, text }) => [name, text])).toEqual([
    ['task_progress', '- [ ] find it\n- [ ] blink'],
    ['task_progress', '- [x] find it\n- [ ] blink'],
    ['command_permission_denied', 'npm publish'],
  ])
  expect(ofType(session, 'assistant')).toMatchObject([{ text: 'The lamp needs a timer.', phase: 'final' }])
  expect(session.usage).toMatchObject([{ usage: { inputTokens: 15, outputTokens: 6 } }])
  expect(extractFacts(session).tasks.map(({ text, status }) => [text, status])).toEqual([
    ['find it', 'completed'],
    ['blink', 'pending'],
  ])
})

it('takes the folder of a session of the SDK from its system prompt', async () => {
  const document = {
    version: 1,
    updated_at: '2026-01-05T08:00:00.000Z',
    agent: 'lead',
    sessionId: 's1',
    messages: [{ id: 'm1', role: 'user', content: 'Hello' }],
    system_prompt: 'You help.\n<env>\n1. Platform: linux\n4. Working Directory: /srv/the lamp\n</env>',
  }
  const session = await readSession(new TextEncoder().encode(JSON.stringify(document)), { readers })
  expect(session.cwd).toBe('/srv/the lamp')
})

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
