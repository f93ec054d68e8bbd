import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { readSession } from '../../src/readers/read-session.ts'
import { joinToolUses } from '../../src/tools/tool-uses.ts'

describe('tool calls written as text', () => {
  it('are calls, and what comes back under the name of the user are their results', async () => {
    const fixture = new URL('../fixtures/openai-chat/xml-calls.jsonl', import.meta.url)
    const rows = (await readFile(fixture, 'utf8')).trim().split('\n')
    const sessions = await Promise.all(rows.map((row) => readSession(Buffer.from(row))))
    expect(sessions.map(({ format }) => format)).toEqual(['openai-chat', 'openai-chat'])
    const uses = sessions.flatMap(({ events }) => joinToolUses(events))
    expect(uses.map(({ call, result }) => [call.name, call.kind, call.input, result?.text])).toEqual([
      ['bash', 'execute', { command: 'cat cart.py && ls' }, 'def total(): return 1'],
      [
        'str_replace_editor',
        'edit',
        { command: 'create', path: '/testbed/a.py', file_text: "x = '</parameter>'" },
        'File created successfully at: /testbed/a.py',
      ],
      ['execute_bash', 'execute', { command: 'pytest -q' }, '1 passed'],
    ])
    const words = sessions
      .flatMap(({ events }) => events)
      .filter(({ type }) => type === 'user' || type === 'assistant')
    expect(words.map((event) => 'text' in event && event.text)).toEqual([
      'Fix the rounding in /testbed.',
      'I look at the file.',
      'Done.',
      'Fix the taxes.',
      'Passed.',
    ])
  })

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
