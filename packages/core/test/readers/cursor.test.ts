import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readSession } from '../../src/readers/read-session.ts'

const fixture = (name: string): Buffer => readFileSync(new URL(`../fixtures/cursor/${name}`, import.meta.url))

describe('turns of the SDK', async () => {
  const session = await readSession(fixture('turns.json'))

  it('are read one per line, and from a run that was written out', async () => {
    const turns: unknown = JSON.parse(fixture('turns.json').toString())
    const lines = (turns as object[]).map((turn) => JSON.stringify(turn)).join('\n')
    expect((await readSession(Buffer.from(lines))).events).toHaveLength(session.events.length)
    const usage = { inputTokens: 100, outputTokens: 7 }
    const run = { agentId: 'agent-1', model: { id: 'composer-1' }, conversation: turns, usage }
    expect(await readSession({ parsed: run })).toMatchObject({
      id: 'agent-1',
      models: ['composer-1'],
      usage: [{ model: 'composer-1', usage }],
    })
  })
})

it('finds a transcript in its folder, with those of its subagents', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'cursor-'))
  const id = '0f9a3c52-1d2e-4f3a-8b4c-5d6e7f8a9b0c'
  try {
    await mkdir(join(folder, id, 'subagents'), { recursive: true })
    await writeFile(join(folder, id, `${id}.jsonl`), fixture('transcript.jsonl'))
    const said = (role: string, text: string): string =>
      `${JSON.stringify({ role, message: { content: [{ type: 'text', text }] } })}\n`
    await writeFile(
      join(folder, id, 'subagents', 'scout.jsonl'),
      said('user', 'Where are totals printed?') + said('assistant', 'In src/mail.ts.'),
    )
    const session = await readSession(folder)
    expect(session.id).toBe(id)
    expect(session.events.slice(-4).map(({ type, agent }) => [type, agent])).toEqual([
      ['subagent_start', 'main'],
      ['context', 'scout'],
      ['assistant', 'scout'],
      ['subagent_end', 'main'],
    ])
  } finally {
    await rm(folder, { recursive: true })
  }
})
