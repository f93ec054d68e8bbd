import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  agentSaid,
  conversation,
  type EditorRow,
  toolRan,
  userSaid,
  writeEditorDatabase,
} from '../../../../test/support/cursor-database.ts'
import { LogReadError } from '../../src/errors.ts'
import { listSessions, readSession } from '../../src/readers/read-session.ts'
import type { EventOf, Session, SessionEvent } from './events.ts'

const start = Date.UTC(2026, 4, 4, 8)
const minute = 60_000
const cart = `composer.content.${'a'.repeat(64)}`
const cartAfter = `composer.content.${'b'.repeat(64)}`
const created = 'composer.content.e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'
const testFile = `composer.content.${'c'.repeat(64)}`

function ofType<T extends SessionEvent['type']>(session: Session, type: T): EventOf<T>[] {
  return session.events.filter((event): event is EventOf<T> => event.type === type)
}

function results(session: Session): Map<string, EventOf<'tool_result'>> {
  return new Map(ofType(session, 'tool_result').map((event) => [event.callId, event]))
}

const checkout = conversation(
  'checkout',
  {
    name: 'Round carts',
    createdAt: start,
    lastUpdatedAt: start + 9 * minute,
    modelConfig: { modelName: 'claude-4.5-sonnet' },
    createdOnBranch: 'fix/rounding',
    subagentComposerIds: ['scout'],
    blobEncryptionKey: 'key-that-no-bundle-may-show',
  },
  [
    userSaid('', {
      createdAt: '2026-05-04T08:00:00.000Z',
      richText: JSON.stringify({
        root: {
          children: [
            {
              type: 'paragraph',
              children: [
                { type: 'text', text: 'Totals are off by one cent. ' },
                { type: 'text', text: 'Fix it.' },
              ],
            },
          ],
        },
      }),
      images: [{ uuid: 'i' }],
      context: {
        fileSelections: [{ uri: { fsPath: '/srv/shop/src/cart.ts' } }],
        selections: [{ uri: 'file:///srv/shop/src/cart.ts', text: 'Math.floor(total)' }],
      },
    }),
    { type: 2, text: '', capabilityType: 30, thinking: { text: 'Floor loses cents.', signature: 's' } },
    toolRan(
      'task_v2',
      { description: 'Find totals', prompt: 'Where are totals printed?', subagentType: 'explore' },
      { agentId: 'scout' },
      { toolCallId: 'call-task' },
    ),
    toolRan(
      'read_file_v2',
      { targetFile: '/srv/shop/src/cart.ts', charsLimit: 1_000_000 },
      { contents: 'Math.floor(total)\n', totalLinesInFile: 1 },
      { rawArgs: '{"path":"/srv/shop/src/cart.ts"}', toolCallId: 'call-read' },
    ),
    toolRan(
      'edit_file_v2',
      { relativeWorkspacePath: '/srv/shop/src/cart.ts', noCodeblock: true },
      { beforeContentId: cart, afterContentId: cartAfter },
      { toolCallId: 'call-edit' },
    ),
    toolRan(
      'edit_file_v2',
      { relativeWorkspacePath: '/srv/shop/test/cart.test.ts' },
      { beforeContentId: created, afterContentId: testFile },
      { toolCallId: 'call-create' },
    ),
    toolRan('edit_file_v2', { relativeWorkspacePath: '/srv/shop/src/gone.ts' }, undefined, {
      toolCallId: 'call-failed',
      status: 'error',
      error: JSON.stringify({
        clientVisibleErrorMessage: 'Edit failed',
        modelVisibleErrorMessage: 'Could not find the file.',
      }),
    }),
    toolRan(
      'run_terminal_command_v2',
      { command: 'npm test', cwd: '', parsingResult: { executableCommands: [] } },
      { output: 'FAIL test/cart.test.ts\n', exitCode: 1, rejected: false, notInterrupted: true },
      { toolCallId: 'call-test' },
    ),
    toolRan(
      'run_terminal_command_v2',
      { command: 'npm test' },
      { output: 'ok\n', rejected: false, notInterrupted: true },
      { toolCallId: 'call-again' },
    ),
    toolRan(
      'run_terminal_command_v2',
      { command: 'npm publish' },
      { output: '', rejected: true },
      { toolCallId: 'call-denied', userDecision: 'rejected' },
    ),
    toolRan(
      'run_terminal_command_v2',
      { command: 'npm start' },
      { output: 'listening\n', isRunningInBackground: true },
      { toolCallId: 'call-server' },
    ),
    toolRan(
      'todo_write',
      { todos: [{ id: '2', content: 'Test it', status: 'in_progress' }], merge: true },
      {
        success: true,
        finalTodos: [
          { id: '1', content: 'Round', status: 'completed' },
          { id: '2', content: 'Test it', status: 'in_progress' },
        ],
      },
      { toolCallId: 'call-todo' },
    ),
    toolRan(
      'ask_question',
      {
        questions: [
          {
            id: 'q',
            prompt: 'Round where?',
            options: [
              { id: 'o1', label: 'In the cart' },
              { id: 'o2', label: 'At checkout' },
            ],
          },
        ],
      },
      { answers: [{ questionId: 'q', selectedOptionIds: ['o2'] }] },
      { toolCallId: 'call-ask' },
    ),
    toolRan(
      'mcp',
      { tools: [{ name: 'search', serverName: 'docs' }] },
      { selectedTool: 'search', result: '{"content":[{"type":"text","text":"Two hits."}]}' },
      { toolCallId: 'call-mcp' },
    ),
    { type: 2, text: '', toolFormerData: { additionalData: { status: 'error' } } },
    agentSaid('Rounded at checkout.', {
      tokenCount: { inputTokens: 900, outputTokens: 40 },
      createdAt: '2026-05-04T08:09:00.000Z',
    }),
    agentSaid('', {
      errorDetails: { error: { details: { title: 'Connection failed', detail: 'Try again.' } } },
    }),
  ],
)

const scout = conversation(
  'scout',
  {
    name: 'Find totals',
    createdAt: start + minute,
    subagentInfo: { parentComposerId: 'checkout', subagentTypeName: 'explore', toolCallId: 'call-task' },
  },
  [
    userSaid('Where are totals printed?'),
    toolRan(
      'glob_file_search',
      { targetDirectory: '/srv/shop', globPattern: '**/*.ts' },
      {
        directories: [
          {
            absPath: '/srv/shop',
            files: [{ relPath: 'src/cart.ts' }, { relPath: 'src/print.ts' }],
            totalFiles: 2,
          },
        ],
      },
    ),
    agentSaid('In src/print.ts.'),
  ],
)

const older = conversation(
  'older',
  { name: 'Hello', createdAt: start - minute, lastUpdatedAt: start - minute },
  [userSaid('Hello.')],
)

let folder = ''
let path = ''

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cursor-'))
  path = join(folder, 'state.vscdb')
  await writeEditorDatabase(
    path,
    [
      ...older,
      ...checkout,
      ...scout,
      ['composerData:empty', { composerId: 'empty', createdAt: start, fullConversationHeadersOnly: [] }],
      ['composerData:broken', 'null'],
      ['bubbleId:checkout:taken-back', { type: 1, text: 'a turn that was taken back' }],
      ['agentKv:blob:00', 'ff00'],
      [cart, 'export function total() {\n  return Math.floor(sum)\n}\n'],
      [cartAfter, 'export function total() {\n  return Math.round(sum)\n}\n'],
      [testFile, 'it("rounds")\n'],
    ],
    [
      [
        'checkout',
        { workspaceIdentifier: { uri: { fsPath: '/srv/shop' } }, lastUpdatedAt: start + 10 * minute },
      ],
    ],
  )
})
afterAll(() => rm(folder, { recursive: true }))

describe("the editor's database", () => {
  it('lists what users began, the one changed last at the end', async () => {
    expect(await listSessions(path)).toEqual([
      {
        id: 'older',
        title: 'Hello',
        startedAt: '2026-05-04T07:59:00.000Z',
        endedAt: '2026-05-04T07:59:00.000Z',
        revision: '1',
      },
      {
        id: 'checkout',
        title: 'Round carts',
        startedAt: '2026-05-04T08:00:00.000Z',
        endedAt: '2026-05-04T08:10:00.000Z',
        cwd: '/srv/shop',
        revision: '17',
      },
    ])
  })

  it('reads the one changed last, or the one asked for, with the same events', async () => {
    const [last, asked] = [await readSession(path), await readSession(`${path}#checkout`)]
    expect(last).toMatchObject({
      format: 'cursor',
      id: 'checkout',
      title: 'Round carts',
      cwd: '/srv/shop',
      branch: 'fix/rounding',
      models: ['claude-4.5-sonnet'],
    })
    const parts = ({ events }: Session): unknown[] => events.map(({ source: _, ...event }) => event)
    expect(parts(asked)).toEqual(parts(last))
    expect((await readSession(`${path}#older`)).events).toMatchObject([{ type: 'user', text: 'Hello.' }])
    await expect(readSession(`${path}#none`)).rejects.toThrow(
      'state.vscdb holds no session none; it holds older, checkout.',
    )
  })

  it('takes words, thoughts, errors, attachments and tokens', async () => {
    const session = await readSession(path)
    expect(ofType(session, 'user')).toMatchObject([
      { text: 'Totals are off by one cent. Fix it.', images: 1, time: '2026-05-04T08:00:00.000Z' },
    ])
    expect(ofType(session, 'reasoning')).toMatchObject([{ text: 'Floor loses cents.' }])
    expect(ofType(session, 'assistant').filter(({ agent }) => agent === 'main')).toMatchObject([
      { text: 'Rounded at checkout.', model: 'claude-4.5-sonnet' },
    ])
    expect(
      ofType(session, 'context')
        .filter(({ agent }) => agent === 'main')
        .map(({ name, text }) => [name, text]),
    ).toEqual([
      ['attached', '/srv/shop/src/cart.ts\n/srv/shop/src/cart.ts:\nMath.floor(total)'],
      ['error', 'Connection failed: Try again.'],
    ])
    expect(session.usage).toEqual([
      { agent: 'main', model: 'claude-4.5-sonnet', usage: { inputTokens: 900, outputTokens: 40 } },
    ])
  })

  it('tells how each tool ended', async () => {
    const ended = results(await readSession(path))
    expect(ended.get('call-read')).toMatchObject({ status: 'ok', text: 'Math.floor(total)\n' })
    expect(ended.get('call-failed')).toMatchObject({ status: 'error', text: 'Could not find the file.' })
    expect(ended.get('call-test')).toMatchObject({ status: 'error', exitCode: 1 })
    expect(ended.get('call-again')).toMatchObject({ status: 'ok', exitCode: 0, text: 'ok\n' })
    expect(ended.get('call-denied')).toMatchObject({ status: 'denied' })
    expect(ended.get('call-server')).not.toHaveProperty('exitCode')
    expect(ended.get('call-ask')).toMatchObject({ text: '{"answers":{"q":"At checkout"}}' })
    expect(ended.get('call-mcp')).toMatchObject({ text: 'Two hits.' })
  })

  it('reads a subagent within the call that started it', async () => {
    const session = await readSession(path)
    expect(session.agents).toContainEqual({
      id: 'scout',
      parent: 'main',
      callId: 'call-task',
      type: 'explore',
      title: 'Find totals',
    })
    const types = session.events.filter(({ agent }) => agent === 'scout').map(({ type }) => type)
    expect(types).toEqual(['context', 'tool_call', 'tool_result', 'assistant'])
    const order = session.events.flatMap((event) =>
      'callId' in event && event.callId === 'call-task' ? [event.type] : [],
    )
    expect(order).toEqual(['tool_call', 'subagent_start', 'subagent_end', 'tool_result'])
    expect(
      session.events.find(({ type, agent }) => type === 'tool_result' && agent === 'scout'),
    ).toMatchObject({ text: '/srv/shop/src/cart.ts\n/srv/shop/src/print.ts' })
  })

  it('accounts for all rows, and shows nothing of turns taken back, tokens and keys', async () => {
    const session = await readSession(`${path}#checkout`)
    const text = JSON.stringify(session)
    for (const hidden of ['not for a bundle', 'key-that-no-bundle', 'taken back', 'ff00'])
      expect(text).not.toContain(hidden)
    expect(session.notes.map(({ code }) => code)).toEqual([])
    expect(session.source.account).toMatchObject({ notes: 0, other: 0 })
  })
})

describe('odd rows', () => {
  const odd = [null, 0, -1, 'x', '{', [], [null], {}, { a: { b: 1 } }, true]
  const [[composerKey, composer] = ['', {}], ...rest] = checkout

  it.each(Object.keys(composer as object))(
    'a conversation with any value as %s is read or refused',
    async (field) => {
      for (const value of odd) {
        const rows = [[composerKey, { ...(composer as object), [field]: value }] as const, ...rest]
        await readOrRefuse(rows)
      }
    },
  )

  it('a message with any value in any field is read', async () => {
    const fields = new Set(rest.flatMap(([, bubble]) => Object.keys(bubble as object)))
    const toolFields = [
      'name',
      'status',
      'params',
      'result',
      'rawArgs',
      'error',
      'additionalData',
      'toolCallId',
      'userDecision',
    ]
    for (const value of odd) {
      for (const field of fields)
        await readOrRefuse([
          checkout[0] as EditorRow,
          ...rest.map(([key, bubble]): EditorRow => [key, { ...(bubble as object), [field]: value }]),
        ])
      for (const field of toolFields)
        await readOrRefuse([
          checkout[0] as EditorRow,
          ...rest.map(([key, bubble]): EditorRow => [key, withTool(bubble, field, value)]),
        ])
    }
  })

  it('a subagent that is its own parent ends', async () => {
    const own = { subagentComposerIds: ['loop', 'checkout'], createdAt: start }
    const session = await readOrRefuse(
      [
        ...checkout,
        ...conversation('loop', { ...own, subagentInfo: { parentComposerId: 'loop' } }, [userSaid('Hello.')]),
      ],
      'checkout',
    )
    expect(session?.id).toBe('checkout')
  })

  function withTool(bubble: unknown, field: string, value: unknown): unknown {
    const { toolFormerData, ...others } = bubble as { toolFormerData?: object }
    return toolFormerData === undefined
      ? bubble
      : { ...others, toolFormerData: { ...toolFormerData, [field]: value } }
  }

  async function readOrRefuse(rows: readonly EditorRow[], id?: string): Promise<Session | undefined> {
    const file = join(folder, 'odd.vscdb')
    await writeEditorDatabase(file, rows)
    try {
      const session = await readSession(id === undefined ? file : `${file}#${id}`)
      expect(session.notes.map(({ code }) => code)).not.toContain('unaccounted-record')
      return session
    } catch (error) {
      if (!(error instanceof LogReadError)) throw error
      return undefined
    }
  }
})
