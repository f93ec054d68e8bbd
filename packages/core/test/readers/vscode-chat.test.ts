import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readSession } from '../../src/readers/read-session.ts'
import { applyChange } from '../../src/readers/vscode-chat/read.ts'

const fixture = (name: string): Buffer =>
  readFileSync(new URL(`../fixtures/vscode-chat/${name}`, import.meta.url))

it("takes the folder from the storage's workspace.json", async () => {
  const folder = await mkdtemp(join(tmpdir(), 'vscode-chat-'))
  const sessions = join(folder, '0a1b', 'chatSessions')
  await mkdir(sessions, { recursive: true })
  await writeFile(join(folder, '0a1b', 'workspace.json'), '{"folder":"file:///srv/my%20shop"}')
  await writeFile(join(sessions, 'chat.jsonl'), fixture('chat.jsonl'))
  const session = await readSession(join(sessions, 'chat.jsonl'))
  expect(session.cwd).toBe('/srv/my shop')
  expect(session.source.files.map(({ name }) => name)).toEqual(['chat.jsonl', 'workspace.json'])
  await rm(folder, { recursive: true })
})

describe('a change', () => {
  it('sets, appends, cuts and deletes', () => {
    const chat = applyChange({}, { kind: 0, v: { requests: [{ response: [1, 2, 3] }] } }) ?? {}
    applyChange(chat, { kind: 2, k: ['requests', 0, 'response'], i: 1, v: [4] })
    applyChange(chat, { kind: 1, k: ['customTitle'], v: 'Cart' })
    expect(chat).toEqual({ requests: [{ response: [1, 4] }], customTitle: 'Cart' })
    applyChange(chat, { kind: 3, k: ['customTitle'] })
    applyChange(chat, { kind: 2, k: ['requests', 0, 'followups'], v: [5] })
    expect(chat).toEqual({ requests: [{ response: [1, 4], followups: [5] }], customTitle: undefined })
  })

  it('makes what a damaged line should have made', () => {
    expect(applyChange({}, { kind: 2, k: ['requests', 0, 'response'], v: [1] })).toEqual({
      requests: [{ response: [1] }],
    })
  })

  it('that does not fit is refused, and none reaches a prototype', () => {
    const chat = { requests: [], title: 'Cart' }
    for (const change of [
      { kind: 1, k: ['requests', 2_000_000, 'x'], v: 1 },
      { kind: 1, k: ['requests', 2_000_000], v: 1 },
      { kind: 1, k: ['requests', -1], v: 1 },
      { kind: 1, k: ['title', 'length'], v: 1 },
      { kind: 2, k: ['title'], v: [1] },
      { kind: 2, k: ['requests'], v: 'x' },
      { kind: 1, k: ['__proto__', 'polluted'], v: true },
      { kind: 1, k: ['__proto__'], v: { polluted: true } },
      { kind: 1, k: [], v: 1 },
      { kind: 0, v: 'x' },
    ])
      expect(applyChange(chat, change)).toBeUndefined()
    expect(chat).toEqual({ requests: [], title: 'Cart' })
    applyChange(chat, { kind: 1, k: ['constructor', 'prototype', 'polluted'], v: true })
    expect('polluted' in {}).toBe(false)
  })
})
