import { readFileSync } from 'node:fs'
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
