import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { sessionToAtif } from '../../src/convert/session-to-atif.ts'
import { readSession } from '../../src/readers/read-session.ts'
import type { Session } from './events.ts'
import { outline, readSample, readValue } from './message-logs.ts'

const trajectory = (steps: readonly unknown[], more: Readonly<Record<string, unknown>> = {}): unknown => ({
  schema_version: 'ATIF-v1.5',
  session_id: 's1',
  agent: { name: 'harness', version: '1', model_name: 'large-1' },
  steps,
  ...more,
})

describe('a trajectory that Tenfold wrote', () => {
  /** Events without what a trajectory cannot hold: order within a step, times of parts, the phase of an answer. */
  const held = (session: Session): string[] =>
    session.events
      .filter(({ type }) => !type.startsWith('subagent'))
      .map(({ id, source, time, ...event }) => ({ ...event, phase: undefined }))
      .map((event) => JSON.stringify(Object.entries(event).sort(([a], [b]) => (a < b ? -1 : 1))))
      .sort()

  it.each([
    'atif/embedded.json',
    'anthropic-messages/request.json',
    'openai-chat/messages.json',
    'aider/chat-history.md',
    'specstory/version-2.md',
  ])('comes back unchanged: %s', async (path) => {
    const session = await readSample(path)
    const back = await readValue('atif', sessionToAtif(session))
    expect(held(back)).toEqual(held(session))
    expect(back.usage).toEqual(session.usage)
    expect(back.agents.map(({ id, parent, callId }) => ({ id, parent, callId }))).toEqual(
      session.agents.map(({ id, parent, callId }) => ({ id, parent, callId })),
    )
    expect(back.notes.map(({ code, message }) => [code, message])).toEqual(
      session.notes.map(({ code, message }) => [code, message]),
    )
    expect(back).toMatchObject({ id: session.id })
    expect([back.title, back.cwd, back.branch]).toEqual([session.title, session.cwd, session.branch])
  })

  it('brings back what the format has no field for', async () => {
    const own = (source: string, message: string, extra: Readonly<Record<string, unknown>>): unknown => ({
      source,
      message,
      extra: { events: ['e1'], turn: 4, ...extra },
    })
    const call = { tool_call_id: 'c', function_name: 'frobnicate', arguments: { input: 'raw' } }
    const session = await readValue(
      'atif',
      trajectory([
        own('system', 'Tests must pass.', { origin: 'hook', name: 'stop' }),
        own('user', '<command-name>/typed</command-name>', { origin: 'queued', images: 1 }),
        own('system', 'Short.', { event: 'compaction', trigger: 'auto', tokens_before: 900 }),
        own('system', '', { event: 'rewind', turns: 1 }),
        own('system', '', { event: 'other', name: 'strange', raw: { a: 1 } }),
        {
          source: 'agent',
          message: 'Later.',
          extra: { events: ['e9'], in_context: false },
          tool_calls: [{ ...call, extra: { kind: 'delete', raw_input: true } }],
          observation: {
            results: [
              {
                source_call_id: 'c',
                content: 'Error: gone',
                extra: { status: 'ok', exit_code: 0, images: 2 },
              },
            ],
          },
        },
        {
          source: 'system',
          message: '',
          extra: { events: ['e12'], event: 'tool_result' },
          observation: { results: [{ content: 'lone', extra: { status: 'ok', call_id: 'gone' } }] },
        },
      ]),
    )
    expect(session.events).toMatchObject([
      { type: 'context', origin: 'hook', name: 'stop', text: 'Tests must pass.', turn: 4 },
      { type: 'user', origin: 'queued', text: '<command-name>/typed</command-name>', images: 1 },
      { type: 'compaction', trigger: 'auto', tokensBefore: 900, text: 'Short.' },
      { type: 'rewind', turns: 1 },
      { type: 'other', name: 'strange', raw: { a: 1 } },
      { type: 'assistant', inContext: false },
      { type: 'tool_call', kind: 'delete', input: 'raw' },
      { type: 'tool_result', status: 'ok', exitCode: 0, images: 2, text: 'Error: gone' },
      { type: 'tool_result', callId: 'gone', text: 'lone' },
    ])
  })
})

describe('companion files of a trajectory', () => {
  it('are read if the log names them below its folder, and only there', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'atif-'))
    const ref = (path: string): unknown => ({
      content: '',
      subagent_trajectory_ref: [{ trajectory_path: path }],
    })
    const write = (name: string, value: unknown): void =>
      writeFileSync(join(folder, name), JSON.stringify(value))
    try {
      write(
        'main.json',
        trajectory(
          [
            { source: 'user', message: 'Go.' },
            {
              source: 'system',
              message: 'Delegated.',
              observation: { results: [ref('child.json'), ref('../../etc/none.json')] },
            },
          ],
          { continued_trajectory_ref: 'main.cont-1.json' },
        ),
      )
      write('child.json', trajectory([{ source: 'agent', message: 'Done below.' }]))
      write(
        'main.cont-1.json',
        trajectory([
          { source: 'user', message: 'Go.', is_copied_context: true },
          { source: 'agent', message: 'Done above.' },
        ]),
      )
      const session = await readSession(join(folder, 'main.json'))
      expect(outline(session)).toEqual([
        'user typed Go.',
        'context system Delegated.',
        'subagent_start',
        'subagent_start',
        'child: assistant Done below.',
        'subagent_end',
        'user typed Go.',
        'assistant Done above.',
      ])
      expect(session.events.map(({ copied }) => copied === true).lastIndexOf(true)).toBe(6)
      expect(session.notes).toMatchObject([{ code: 'missing-file', message: expect.stringMatching(/^none/) }])
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
