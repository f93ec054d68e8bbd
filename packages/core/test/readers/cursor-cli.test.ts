import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { writeChatDatabase } from '../../../../test/support/cursor-database.ts'
import { extractFacts } from '../../src/facts/extract-facts.ts'
import { bytesInField } from '../../src/readers/cursor/read.ts'
import { listSessions, readSession } from '../../src/readers/read-session.ts'

const created = Date.UTC(2026, 4, 4, 8)
const meta = {
  agentId: 'chat-1',
  name: 'Round carts',
  mode: 'default',
  createdAt: created,
  lastUsedModel: 'composer-2',
}
const messages = [
  { role: 'system', content: 'You are an agent.' },
  {
    role: 'user',
    content: [{ type: 'text', text: '<user_info>\nOS: linux\nWorkspace Path: /srv/shop\n</user_info>' }],
  },
  {
    role: 'user',
    content: [
      { type: 'text', text: '<user_query>\nTotals are off by one cent.\n</user_query>' },
      { type: 'image' },
    ],
  },
  {
    role: 'assistant',
    createdAt: created + 60_000,
    providerOptions: { cursor: { modelName: 'claude-4.5-sonnet' } },
    content: [
      { type: 'reasoning', text: 'Floor loses cents.' },
      { type: 'redacted-reasoning', data: 'AAAA' },
      { type: 'text', text: 'I round.' },
      {
        type: 'tool-call',
        toolCallId: 'a',
        toolName: 'StrReplace',
        args: { path: '/srv/shop/src/cart.ts', old_string: 'floor', new_string: 'round' },
      },
      { type: 'tool-call', toolCallId: 'b', toolName: 'Shell', args: { command: 'npm test' } },
    ],
  },
  {
    role: 'tool',
    content: [
      { type: 'tool-result', toolCallId: 'a', toolName: 'StrReplace', result: 'The file was updated.' },
    ],
  },
  {
    role: 'tool',
    content: [
      {
        type: 'tool-result',
        toolCallId: 'b',
        toolName: 'Shell',
        result: 'Exit code: 1\n\nFAIL test/cart.test.ts',
        isError: true,
      },
    ],
  },
]

let path = ''
let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cursor-cli-'))
  path = join(folder, 'store.db')
  await writeChatDatabase(path, meta, messages)
})
afterAll(() => rm(folder, { recursive: true }))

describe("a chat of the CLI's", () => {
  it('is listed as one session', async () => {
    const listed = await listSessions(path)
    expect(listed).toEqual([
      {
        id: 'chat-1',
        title: 'Round carts',
        startedAt: '2026-05-04T08:00:00.000Z',
        revision: expect.stringMatching(/^[\da-f]{64}$/),
      },
    ])
    await expect(readSession(`${path}#chat-2`)).rejects.toThrow('has no session chat-2; it has chat-1.')
  })

  it('is read in the order of its root, with results', async () => {
    const session = await readSession(`${path}#chat-1`)
    expect(session).toMatchObject({
      id: 'chat-1',
      title: 'Round carts',
      cwd: '/srv/shop',
      models: ['composer-2', 'claude-4.5-sonnet'],
    })
    expect(session.events.map(({ type }) => type)).toEqual([
      'context',
      'context',
      'user',
      'reasoning',
      'assistant',
      'tool_call',
      'tool_call',
      'tool_result',
      'tool_result',
    ])
    expect(session.events[2]).toMatchObject({ text: 'Totals are off by one cent.', images: 1 })
    expect(session.events[4]).toMatchObject({
      text: 'I round.',
      model: 'claude-4.5-sonnet',
      time: '2026-05-04T08:01:00.000Z',
    })
    expect(session.events[8]).toMatchObject({ callId: 'b', status: 'error' })
    expect(extractFacts(session).files).toMatchObject([
      { path: 'src/cart.ts', status: 'modified', added: 1, removed: 1 },
    ])
    expect(session.notes).toEqual([])
  })

  it('notes what is no longer part of the conversation, and if the order is lost', async () => {
    const other = join(folder, 'left.db')
    await writeChatDatabase(other, meta, messages, [{ role: 'user', content: 'taken back' }])
    const left = await readSession(other)
    expect(left.notes.map(({ code }) => code)).toEqual(['left-messages'])
    expect(JSON.stringify(left.events)).not.toContain('taken back')
    await writeChatDatabase(other, { ...meta, latestRootBlobId: 'gone' }, messages)
    const unordered = await readSession(other)
    expect(unordered.notes.map(({ code }) => code)).toContain('unordered')
    expect(unordered.events.filter(({ type }) => type === 'user')).toHaveLength(1)
  })

  it('is read whatever its messages contain', async () => {
    const other = join(folder, 'odd.db')
    for (const value of [null, 0, 'x', [], [null], {}, { type: 'text' }, true]) {
      const odd = ['role', 'content', 'createdAt', 'providerOptions'].flatMap((field) =>
        messages.map((message) => ({ ...message, [field]: value })),
      )
      const parts = ['type', 'text', 'toolCallId', 'toolName', 'args', 'result', 'isError'].flatMap((field) =>
        messages.map(({ content, ...message }) => ({
          ...message,
          content: typeof content === 'string' ? value : content.map((part) => ({ ...part, [field]: value })),
        })),
      )
      await writeChatDatabase(other, { ...meta, name: value, createdAt: value }, [
        ...odd,
        ...parts,
        ...messages,
      ])
      const session = await readSession(other)
      expect(session.events.length).toBeGreaterThan(messages.length)
      expect(session.notes.map(({ code }) => code)).not.toContain('unaccounted-record')
    }
  })
})

describe('fields of bytes in Protocol Buffers', () => {
  it('are found between numbers of any width', () => {
    const message = Uint8Array.from([
      0x0a, 1, 65, 0x10, 0xac, 0x02, 0x19, 0, 0, 0, 0, 0, 0, 0, 0, 0x25, 0, 0, 0, 0, 0x0a, 2, 66, 67, 0x12, 1,
      68,
    ])
    expect(bytesInField(message, 1).map((bytes) => Buffer.from(bytes).toString())).toEqual(['A', 'BC'])
    expect(bytesInField(message, 2).map((bytes) => Buffer.from(bytes).toString())).toEqual(['D'])
  })

  it('are absent in a damaged message, and reading it ends', () => {
    for (const bytes of [
      [0x0a, 200, 1],
      [0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
      [0x0b],
      [0xff, 0xff],
    ])
      expect(bytesInField(Uint8Array.from(bytes), 1)).toEqual([])
  })
})
