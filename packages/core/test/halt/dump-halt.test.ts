import { gzipSync } from 'node:zlib'
import { describe, expect, it, vi } from 'vitest'
import { dumpHalt, listDumps, loadDump, verifyDump } from '../../src/entries/halt.ts'
import { sessionToJsonl } from '../../src/entries/readers.ts'
import { readHalted } from '../../src/halt/read-halted.ts'
import { readSession } from '../../src/index.ts'
import { memoryStorage } from '../../src/storage/memory-storage.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { makeFolder, makeRepository } from '../git/repository.ts'
import { hookedStorage } from '../support/hooked-storage.ts'
import { assistant, makeSession, shell, toolCall, user } from '../support/session.ts'
import { dumpTo, jsonOf, textsOf } from './support.ts'

const session = makeSession([
  user('Make it work.'),
  assistant('I will run it.'),
  ...shell('c1', 'npm test', 'x'.repeat(50_000), { exitCode: 1 }),
  ...toolCall('c2', 'Bash', { command: 'npm run soak' }, null),
])

const agent = {
  name: 'codex',
  prompt: 'Go on.',
  response: 'Done',
  stdout: '\u001b[31mred',
  stderr: 'oops',
  exitCode: 137,
  durationMs: 1234,
  mode: 'edit',
  conversation: session,
}

/** A storage whose puts fail if a key holds the text. */
function failingAt(text: string): Storage {
  return hookedStorage(memoryStorage(), async (call, key) => {
    if (call === 'put' && key.includes(text)) throw new Error('disk on fire')
  })
}

describe('dumpHalt', () => {
  it('writes every part under the id of the halt, with the full conversation', async () => {
    const repository = makeRepository()
    repository.commit({ 'a.txt': 'a\n' })
    repository.write({ 'a.txt': 'b\n' })
    const storage = memoryStorage()
    const halt = {
      ...{ details: { code: 7 }, taskId: 'T-1', iteration: 3, projectId: 'shop', agent, stateKey: 'run:1' },
      sandboxRoot: repository.path,
      readState: async () => '{"step":4}',
    }
    const written = await dumpTo(storage, halt, {
      snapshots: ['a.txt'],
      env: { PATH: '/bin', OTHER: 'x', EXTRA: 'y' },
      envNames: ['EXTRA'],
    })
    const { haltId, parts } = written
    expect(haltId).toMatch(/^\d{8}T\d{9}Z-\d{9}-T-1$/)
    expect(written).toMatchObject({ state: 'complete', missing: [], notes: [], secrets: 0 })
    const texts = await textsOf(storage)
    const at = (path: string): string => texts.get(`dumps/${haltId}/${path}`) ?? ''
    expect([...texts.keys()].toSorted()).toEqual([
      `dumps/${haltId}.json`,
      ...[
        'agent/conversation.jsonl',
        'agent/execution-context.json',
        'agent/tool-calls.json',
        'environment/env-vars.json',
        'environment/working-directory.txt',
        'filesystem/file-manifest.json',
        'filesystem/file-snapshots/a.txt',
        'filesystem/git-diff.patch',
        'metadata.json',
        'supervisor/state-snapshot.json',
      ].map((path) => `dumps/${haltId}/${path}`),
    ])
    expect(at('agent/conversation.jsonl')).toBe([...sessionToJsonl(session)].join(''))
    expect((await readSession(Buffer.from(at('agent/conversation.jsonl')))).events).toHaveLength(5)
    expect(JSON.parse(at('agent/execution-context.json'))).toEqual({
      ...{ name: 'codex', prompt: 'Go on.', response: 'Done', stdout: '\u001b[31mred', stderr: 'oops' },
      ...{ exitCode: 137, durationMs: 1234, mode: 'edit', cwd: repository.path },
    })
    expect(JSON.parse(at('agent/tool-calls.json'))).toMatchObject([
      { event: 'e3', name: 'Bash', result: { event: 'e4', exitCode: 1, characters: 50_000 } },
      { event: 'e5', input: { command: 'npm run soak' }, result: null },
    ])
    expect(JSON.parse(at('supervisor/state-snapshot.json'))).toEqual({
      stateKey: 'run:1',
      state: { step: 4 },
    })
    expect(JSON.parse(at('environment/env-vars.json'))).toEqual({
      variables: { EXTRA: 'y', PATH: '/bin' },
      notDumped: ['OTHER'],
    })
    expect(at('environment/working-directory.txt')).toBe(`${repository.path}\n`)
    expect(JSON.parse(at('metadata.json'))).toMatchObject({
      ...{ haltId, state: 'complete', reason: 'stopped', details: { code: 7 }, taskId: 'T-1', iteration: 3 },
      ...{ projectId: 'shop', stateKey: 'run:1', agent: { name: 'codex', mode: 'edit' } },
      git: { branch: 'main', dirty: true, files: [{ path: 'a.txt', status: 'modified' }] },
    })
    expect(await verifyDump(await loadDump(storage, haltId))).toMatchObject({
      ok: true,
      parts: parts.length,
      findings: [],
    })
    expect(parts.map(({ path }) => path)).toContain('metadata.json')
  })

  it('writes nothing if it is switched off', async () => {
    const storage = memoryStorage()
    expect(await dumpHalt({ reason: 'x' }, { storage, enabled: false })).toEqual({ state: 'disabled' })
    expect((await textsOf(storage)).size).toBe(0)
  })

  it('needs only a reason, and names what was not given', async () => {
    const storage = memoryStorage()
    const { haltId, state, missing } = await dumpTo(storage)
    expect(state).toBe('complete')
    expect(missing.map(({ path, code }) => `${path} ${code}`).sort()).toEqual([
      'agent/conversation.jsonl not-given',
      'agent/execution-context.json not-given',
      'agent/tool-calls.json not-given',
      'filesystem/file-manifest.json not-given',
      'filesystem/git-diff.patch not-given',
      'supervisor/state-snapshot.json not-given',
    ])
    expect((await loadDump(storage, haltId)).metadata).toMatchObject({ reason: 'stopped', missing })
  })

  it('accepts a log, bytes, a stream, turns of any form, and a log of no known format', async () => {
    const log = `${[...sessionToJsonl(session)].join('')}`
    const turns = [{ role: 'user', content: 'hi' }, 'plain', { deep: [1n, new Map([['a', 1]])] }]
    const conversationOf = async (conversation: unknown) => {
      const storage = memoryStorage()
      const written = await dumpTo(storage, { agent: { conversation: conversation as string } })
      const text = (await textsOf(storage)).get(`dumps/${written.haltId}/agent/conversation.jsonl`)
      return { text, codes: written.notes.map(({ code }) => code), state: written.state }
    }
    async function* stream() {
      yield log.slice(0, 100)
      yield log.slice(100)
    }
    const folder = makeFolder()
    folder.write({ 'log.jsonl': log })
    for (const given of [Buffer.from(log), stream(), `${folder.path}/log.jsonl`]) {
      const { text, state } = await conversationOf(given)
      expect(state).toBe('complete')
      expect((await readSession(Buffer.from(text ?? ''))).events).toEqual(session.events)
    }
    expect((await conversationOf(turns)).text).toBe(
      '{"role":"user","content":"hi"}\n"plain"\n{"deep":["1",[["a",1]]]}\n',
    )
    const odd = await conversationOf(Buffer.from('what is this\nno log\n'))
    expect(odd).toMatchObject({
      text: 'what is this\nno log\n',
      codes: ['conversation-raw'],
      state: 'complete',
    })
    expect(await conversationOf('/srv/no/log.jsonl')).toMatchObject({ text: undefined, state: 'partial' })
  })

  it('finds the tool calls in a list of turns, whose events are those of the stored conversation', async () => {
    const entry = (iteration: number) => ({
      ...{ timestamp: `2026-05-04T08:0${iteration}:00Z`, task_id: 'T-1', iteration, agent_mode: 'auto' },
      ...{ prompt: 'Run the tests.', response: 'They pass.', stdout: '12 passed', stderr: '', exit_code: 0 },
    })
    const storage = memoryStorage()
    const { haltId, missing } = await dumpTo(storage, { agent: { conversation: [entry(1), entry(2)] } })
    expect(missing.map(({ path }) => path)).not.toContain('agent/tool-calls.json')
    const texts = await textsOf(storage)
    const part = (name: string) => texts.get(`dumps/${haltId}/agent/${name}`) ?? ''
    const { events } = await readSession(Buffer.from(part('conversation.jsonl')))
    const calls = events.filter((event) => event.type === 'tool_call')
    expect(calls).toHaveLength(2)
    expect(JSON.parse(part('tool-calls.json'))).toMatchObject(
      calls.map(({ id }) => ({ event: id, result: { exitCode: 0, text: '12 passed' } })),
    )
  })

  it('keeps the lines of a prompt log with all their fields, redacted', async () => {
    const secret = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`
    const line = (type: string, content: string, metadata: object = {}) =>
      `{"timestamp": "2026-05-04T08:00:00Z", "task_id": "T-1", "iteration": 2, "type": "${type}", "content": "${content}", "metadata": ${JSON.stringify({ agent_mode: 'auto', ...metadata })}}\n`
    const log =
      line('PROMPT', `Use ${secret}.`) +
      line('INTERROGATION_PROMPT', 'Done?', { criterion: 'all' }) +
      line('RESPONSE', 'Yes.', { exit_code: 0, big: 1 })
    for (const given of [Buffer.from(log), gzipSync(log)]) {
      const storage = memoryStorage()
      const { haltId, notes } = await dumpTo(storage, { agent: { conversation: given } })
      const kept = (await textsOf(storage)).get(`dumps/${haltId}/agent/conversation.jsonl`) ?? ''
      expect(kept).toBe(log.replace(secret, '[redacted:github-token]'))
      expect(notes).toEqual([])
      expect(await jsonOf(storage, haltId, 'agent/tool-calls.json')).toMatchObject([
        { name: 'run', result: { exitCode: 0 } },
      ])
      const run = await readHalted(await loadDump(storage, haltId))
      expect(run.session?.events.map(({ type }) => type)).toEqual([
        ...['user', 'context', 'tool_call', 'tool_result', 'assistant'],
      ])
    }
  })

  it('stores any details, of any type', async () => {
    const cyclic: Record<string, unknown> = { a: 1 }
    cyclic.self = cyclic
    let deep: unknown = 'end'
    for (let depth = 0; depth < 20_000; depth++) deep = [deep]
    const bad = {
      get bad() {
        throw new Error('no')
      },
    }
    const details: [unknown, RegExp][] = [
      [new Error('boom', { cause: new TypeError('inner') }), /"message":"boom".*"message":"inner"/],
      [JSON.parse('{"__proto__":{"polluted":true}}'), /^{"__proto__":{"polluted":true}}$/],
      [cyclic, /^{"a":1,"self":"\[a value that holds itself]"}$/],
      [deep, /\[a value deeper than 100 levels]/],
      [
        [Number.NaN, 10n, undefined, () => 1, new Uint8Array([1, 2])],
        /^\["NaN","10",null,"\[a function]","base64:AQI="]$/,
      ],
      [bad, /cannot be read: no/],
      ['lone \ud800 surrogate', /^"lone \ufffd surrogate"$/],
    ]
    for (const [value, stored] of details) {
      const storage = memoryStorage()
      const { haltId, state } = await dumpTo(storage, { details: value })
      expect(state).toBe('complete')
      const { details: found } = await jsonOf(storage, haltId, 'metadata.json')
      expect(JSON.stringify(found)).toMatch(stored)
    }
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  })

  it('puts none of its input into a key, except the task in a form that is safe there', async () => {
    const storage = memoryStorage()
    const tricks = { taskId: '../../etc/passwd', projectId: 'a/../b', stateKey: '/etc', reason: '..' }
    const { haltId } = await dumpTo(storage, tricks)
    expect(haltId).toMatch(/^[\dTZ-]+-etc-passwd$/)
    for await (const { key } of storage.list(''))
      expect(key).toMatch(RegExp(`^dumps/${haltId}\\.(json|tar\\.gz)$`))
    expect((await loadDump(storage, haltId)).metadata?.taskId).toBe('../../etc/passwd')
    for (const [taskId, end] of [
      ['FTR-1 / TÄSK 2', '-FTR-1-T-SK-2'],
      ['задача', ''],
      ['.-', ''],
      [`ghp_${'a1B2c3D4e5F6'.repeat(3)}`, '-redacted-github-token'],
      ['x'.repeat(300), `-${'x'.repeat(64)}`],
      [`${'x'.repeat(63)}...`, `-${'x'.repeat(63)}`],
    ] as const) {
      const { haltId } = await dumpTo(memoryStorage(), { taskId })
      expect(haltId.slice(29)).toBe(end)
    }
    await expect(loadDump(storage, '../../x')).rejects.toMatchObject({ code: 'no-dump' })
  })
})

describe('a failed part affects only itself', () => {
  it.each([
    ['throws', async () => Promise.reject(new Error('connection refused')), 'connection refused'],
    ['holds nothing', async () => null, 'the state store holds nothing under run:1'],
    ['never answers', async () => await new Promise(() => {}), 'it gave no answer within 20 ms'],
  ])('if a state store %s', async (_, readState, reason) => {
    const storage = memoryStorage()
    const halt = { agent, stateKey: 'run:1', readState }
    const { haltId, state, missing } = await dumpTo(storage, halt, { stateTimeout: 20 })
    expect(state).toBe('partial')
    expect(missing).toContainEqual({ path: 'supervisor/state-snapshot.json', code: 'failed', reason })
    const { metadata, parts } = await loadDump(storage, haltId)
    expect(metadata).toMatchObject({ state: 'partial', stateKey: 'run:1' })
    expect(parts.has('agent/conversation.jsonl')).toBe(true)
  })

  it('and a state store that was late to stop is reported', async () => {
    const stopped = vi.fn()
    const readState = ({ signal }: { signal: AbortSignal }) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => {
          stopped()
          reject(signal.reason)
        })
      })
    await dumpTo(memoryStorage(), { readState }, { stateTimeout: 10 })
    expect(stopped).toHaveBeenCalledOnce()
  })

  it('and a state whose JSON would lose digits stays the text that it is', async () => {
    const storage = memoryStorage()
    const { haltId } = await dumpTo(storage, { readState: async () => '{"id":12345678901234567890}' })
    expect(await jsonOf(storage, haltId, 'supervisor/state-snapshot.json')).toEqual({
      state: '{"id":12345678901234567890}',
    })
  })

  it('and a storage that does not accept the archive is an error that leaves nothing', async () => {
    const storage = failingAt('.tar.gz')
    await expect(dumpTo(storage, { agent })).rejects.toThrow('disk on fire')
    expect(await listDumps(storage)).toEqual([])
  })

  it('stops on request, and leaves nothing', async () => {
    const storage = memoryStorage()
    const stop = new AbortController()
    const readState = async () => {
      stop.abort(new Error('enough'))
      return await new Promise(() => {})
    }
    await expect(dumpTo(storage, { readState }, { signal: stop.signal })).rejects.toThrow('enough')
    expect(await listDumps(storage)).toEqual([])
  })
})
