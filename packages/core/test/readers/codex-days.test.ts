import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readSession } from '../../src/readers/read-session.ts'

let sessions: string
beforeEach(async () => {
  sessions = await mkdtemp(join(tmpdir(), 'tenfold-codex-days-'))
})
afterEach(() => rm(sessions, { recursive: true }))

/** Writes the rollout of a thread into the folder of its day, and returns its path. */
async function rollout(day: string, id: string, parent?: string, folder = day.replaceAll('-', '/')) {
  const path = join(sessions, folder, `rollout-${day}T08-00-00-${id}.jsonl`)
  const time = `${day}T08:00:00.000Z`
  const meta = {
    id,
    cwd: '/srv/shop',
    timestamp: time,
    ...(parent !== undefined && { parent_thread_id: parent }),
  }
  const content = [{ type: 'output_text', text: `I am ${id}.` }]
  const records = [
    { timestamp: time, type: 'session_meta', payload: meta },
    { timestamp: time, type: 'response_item', payload: { type: 'message', role: 'assistant', content } },
  ]
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, records.map((record) => `${JSON.stringify(record)}\n`).join(''))
  return path
}

async function agentsOf(path: string): Promise<string[]> {
  return (await readSession(path)).agents.map(({ id }) => id)
}

describe('child threads of Codex', () => {
  it('are found in the folders of later days, over the end of a month and of a year', async () => {
    const parent = await rollout('2025-12-30', 'parent')
    await rollout('2025-12-30', 'same-day', 'parent')
    await rollout('2025-12-31', 'next-day', 'parent')
    await rollout('2026-02-01', 'next-year', 'parent')
    await rollout('2026-02-01', 'stranger', 'another')
    expect(await agentsOf(parent)).toEqual(['main', 'same-day', 'next-day', 'next-year'])
  })

  it('are not searched in days before their parent, nor beside folders that are not days', async () => {
    const parent = await rollout('2026-01-02', 'parent')
    await rollout('2026-01-01', 'before', 'parent')
    await rollout('2025-12-31', 'last-year', 'parent')
    expect(await agentsOf(parent)).toEqual(['main'])
    const copied = await rollout('2026-01-02', 'parent', undefined, 'copies')
    await rollout('2026-01-02', 'zz-beside', 'parent', 'copies')
    await rollout('2026-01-03', 'elsewhere', 'parent', 'others')
    expect(await agentsOf(copied)).toEqual(['main', 'zz-beside'])
  })

  it('are found if they began after their folder was searched', async () => {
    const parent = await rollout('2026-01-02', 'parent')
    await utimes(dirname(parent), 1_000, 1_000)
    expect(await agentsOf(parent)).toEqual(['main'])
    await rollout('2026-01-02', 'started-later', 'parent')
    await utimes(dirname(parent), 2_000, 2_000)
    expect(await agentsOf(parent)).toEqual(['main', 'started-later'])
  })
})
