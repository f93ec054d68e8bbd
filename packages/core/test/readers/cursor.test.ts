import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { extractFacts } from '../../src/facts/extract-facts.ts'
import { cursorReader } from '../../src/readers/cursor/cursor.ts'
import { readSession } from '../../src/readers/read-session.ts'

const fixture = (name: string): Buffer => readFileSync(new URL(`../fixtures/cursor/${name}`, import.meta.url))

describe('turns of the SDK', async () => {
  const session = await readSession(fixture('turns.json'))

  it('give facts', () => {
    const { files, commands } = extractFacts(session)
    expect(files).toMatchObject([{ path: expect.stringContaining('src/cart.ts'), status: 'modified' }])
    expect(commands.map(({ command, status }) => [command, status])).toEqual([
      ['npm test', 'error'],
      ['git status', 'ok'],
    ])
  })

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

  it('of unknown kinds are kept and noted', async () => {
    const odd = await readSession({
      parsed: [{ type: 'dreamConversationTurn', turn: { dream: 1 } }],
    })
    expect(odd.events).toMatchObject([{ type: 'other', name: 'dreamConversationTurn' }])
    expect(odd.notes.map(({ code }) => code)).toEqual(['unknown-turn'])
  })
})

it('leaves answers of the Anthropic API alone', () => {
  const answer = {
    role: 'assistant',
    message: { id: 'm', model: 'claude', content: [{ type: 'text', text: 'Hi' }] },
  }
  const plain = { role: 'user', content: [{ type: 'text', text: 'Hi' }] }
  for (const record of [answer, plain]) {
    const head = { name: 'log', text: JSON.stringify(record), records: [record, record] }
    expect(cursorReader.detect(head)).toBe(0)
  }
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

it('leaves an element that is not of the editor in the words of the user', async () => {
  const line = { role: 'user', message: { content: [{ type: 'text', text: '<div>why?</div>' }] } }
  const { events } = await readSession({ parsed: line }, { format: 'cursor' })
  expect(events).toMatchObject([{ type: 'user', text: '<div>why?</div>' }])
})
