import { describe, expect, it } from 'vitest'
import { readSession } from '../../src/readers/read-session.ts'

describe('tool calls written as text', () => {
  it('are text if nothing was called', async () => {
    const messages = [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'OBSERVATION:\nit fails' },
      { role: 'assistant', content: 'Write `<function=bash>` to run it.' },
    ]
    const session = await readSession(Buffer.from(JSON.stringify(messages)))
    expect(session.events.map(({ type }) => type)).toEqual(['context', 'user', 'assistant'])
  })
})
