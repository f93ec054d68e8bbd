import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { readSession } from '../../src/readers/read-session.ts'

const fixture = (name: string): Buffer =>
  readFileSync(new URL(`../fixtures/gemini-cli/${name}`, import.meta.url))

const time = '2026-05-04T08:00:00.000Z'
const head = { sessionId: '3a8f0000', projectHash: '5c0ffee0', startTime: time, kind: 'main' }
const said = (id: string, type: string, content: unknown, more: object = {}): object => ({
  id,
  timestamp: time,
  type,
  content,
  ...more,
})

it('joins the recordings of subagents, and reads the newest of a folder by its name', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gemini-'))
  try {
    const chats = join(folder, 'chats')
    const id = '3a8f0000-aaaa-4000-8000-000000000001'
    await mkdir(join(chats, id), { recursive: true })
    await writeFile(join(chats, 'session-2026-05-04T08-00-3a8f0000.jsonl'), fixture('lines.jsonl'))
    const child = [
      { ...head, sessionId: 'investigator-1', kind: 'subagent', directories: ['/srv/shop'] },
      said('c1', 'user', 'Where are totals printed?'),
      said('c2', 'gemini', 'In src/mail.ts.', {
        model: 'gemini-3-flash-preview',
        tokens: { input: 7, output: 2 },
      }),
    ]
    await writeFile(
      join(chats, id, 'investigator-1.jsonl'),
      child.map((line) => JSON.stringify(line)).join('\n'),
    )
    const session = await readSession(folder)
    expect(session.source.files).toHaveLength(2)
    const inside = session.events.filter(({ agent }) => agent !== 'main')
    expect(inside.map(({ type, turn, agent }) => [type, turn, agent])).toEqual([
      ['context', 2, 'investigator-1'],
      ['assistant', 2, 'investigator-1'],
    ])
    expect(session.usage.map(({ agent, usage }) => [agent, usage.inputTokens])).toEqual([
      ['main', 5000],
      ['investigator-1', 7],
    ])
  } finally {
    await rm(folder, { recursive: true })
  }
})
