import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readSession } from '../../src/readers/read-session.ts'

const fixture = new URL('../fixtures/codex/code-mode.jsonl', import.meta.url)
const child = '019f0000-bbbb-7000-8000-000000000002'
const parent = '019f0000-bbbb-7000-8000-000000000001'

describe('the rollout of a child thread', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tenfold-codex-'))
    await writeFile(join(folder, `rollout-2026-11-20T08-00-00-${parent}.jsonl`), await readFile(fixture))
    const meta = (id: string, more: object = {}) => ({
      type: 'session_meta',
      payload: { id, cwd: '/srv', ...more },
    })
    const records = [
      meta(child, { parent_thread_id: parent, forked_from_id: parent, subagent_history_start_ordinal: 3 }),
      meta(parent),
      {
        type: 'response_item',
        payload: { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Old.' }] },
      },
      {
        type: 'response_item',
        payload: {
          type: 'function_call',
          name: 'exec_command',
          call_id: 'c1',
          arguments: '{"cmd":"ls | wc -l"}',
        },
      },
      {
        type: 'event_msg',
        payload: {
          type: 'token_count',
          info: { total_token_usage: { input_tokens: 7, output_tokens: 1, total_tokens: 8 } },
        },
      },
    ].map((record, ordinal) => JSON.stringify({ timestamp: '2026-11-20T08:01:00.000Z', ordinal, ...record }))
    await writeFile(join(folder, `rollout-2026-11-20T08-00-30-${child}.jsonl`), `${records.join('\n')}\n`)
    const other = JSON.stringify({ type: 'session_meta', payload: { id: 'x', parent_thread_id: 'y' } })
    await writeFile(join(folder, 'rollout-2026-11-20T08-00-40-other.jsonl'), `${other}\n`)
  })
  afterAll(() => rm(folder, { recursive: true }))

  it('is read with its parent, without the history that it repeats', async () => {
    const session = await readSession(join(folder, `rollout-2026-11-20T08-00-00-${parent}.jsonl`))
    expect(session.source.files).toHaveLength(2)
    const own = session.events.filter(({ agent }) => agent === child)
    expect(own.map(({ type, turn }) => [type, turn])).toEqual([['tool_call', 1]])
    expect(session.events.some((event) => 'text' in event && event.text === 'Old.')).toBe(false)
    expect(session.usage).toMatchObject([
      { agent: 'main', usage: { inputTokens: 300 } },
      { agent: child, usage: { inputTokens: 7 } },
    ])
    expect(session.agents.map(({ id }) => id)).toEqual(['main', child])
    expect(session.cwd).toBe('/srv/shop')
  })

  it('alone shows the repeated history as copied', async () => {
    const session = await readSession(join(folder, `rollout-2026-11-20T08-00-30-${child}.jsonl`))
    expect(session.events.map(({ type, copied }) => [type, copied])).toEqual([
      ['user', true],
      ['tool_call', undefined],
    ])
  })
})
