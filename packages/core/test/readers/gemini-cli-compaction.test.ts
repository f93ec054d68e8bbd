import { describe, expect, it } from 'vitest'
import { readSession } from '../../src/readers/read-session.ts'

const time = '2026-11-20T08:00:00.000Z'
const user = (id: string, text: string) => ({ id, timestamp: time, type: 'user', content: [{ text }] })
const model = (id: string, text: string, more: object = {}) => ({
  id,
  timestamp: time,
  type: 'gemini',
  content: text,
  ...more,
})
const environment = user(
  'env',
  '<session_context>\nThis is the Gemini CLI.\n- **Workspace Directories:**\n  - /srv/shop\n</session_context>',
)
const shell = (id: string, output: string) => ({
  id,
  name: 'run_shell_command',
  args: { command: 'node cart.mjs' },
  status: 'success',
  result: [{ functionResponse: { id, name: 'run_shell_command', response: { output } } }],
})

async function read(...records: object[]) {
  const header = { sessionId: 's-1', projectHash: 'h', startTime: time, kind: 'main' }
  return await readSession(
    Buffer.from([header, ...records].map((one) => `${JSON.stringify(one)}\n`).join('')),
  )
}

describe('a recording of Gemini CLI 0.61', () => {
  it('has a compaction if new messages replace the history after the first message of the harness', async () => {
    const session = await read(
      { $set: { messages: [environment] } },
      user('1', 'Round the totals.'),
      model('2', 'Done.'),
      {
        $set: {
          messages: [
            environment,
            user('3', '<state_snapshot>Totals are rounded.</state_snapshot>'),
            model('4', 'Got it. Thanks for the additional context!'),
          ],
        },
      },
      user('5', 'Now the taxes.'),
    )
    expect(
      session.events.map((event) => [event.type, 'text' in event ? event.text.slice(0, 34) : '']),
    ).toEqual([
      ['context', '<session_context>\nThis is the Gemi'],
      ['user', 'Round the totals.'],
      ['assistant', 'Done.'],
      ['compaction', '<state_snapshot>Totals are rounded'],
      ['user', 'Now the taxes.'],
    ])
    expect(session.cwd).toBe('/srv/shop')
  })

  it("keeps the user's words after the text of a hook in the same message", async () => {
    const session = await read(
      user('1', '<hook_context># Resume: rounding</hook_context>\n\nRound the totals.'),
      user('2', '<hook_context>Be brief.</hook_context>'),
    )
    expect(session.events.map((event) => [event.type, 'text' in event && event.text])).toEqual([
      ['context', '# Resume: rounding'],
      ['user', 'Round the totals.'],
      ['context', 'Be brief.'],
    ])
  })

  it('gives exit codes and outputs without the mark around them', async () => {
    const wrap = (text: string) => `<untrusted_context>\n${text}\n</untrusted_context>`
    const session = await read(
      user('1', 'Run it.'),
      model('2', '', { toolCalls: [shell('c1', wrap('Output: printed 12\nProcess Group PGID: 7'))] }),
      model('3', '', { toolCalls: [shell('c2', wrap('Output: no\nExit Code: 3\nProcess Group PGID: 8'))] }),
    )
    expect(session.events.filter(({ type }) => type === 'tool_result')).toMatchObject([
      { exitCode: 0, status: 'ok', text: 'Output: printed 12\nProcess Group PGID: 7' },
      { exitCode: 3, status: 'error' },
    ])
  })
})
