import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { repeats } from '../../../../test/support/repeats.ts'
import { seedOf } from '../../../../test/support/seed.ts'
import { type CheckpointOptions, checkpoint } from '../../src/checkpoint/checkpoint.ts'
import { checkpointStore } from '../../src/checkpoint/checkpoint-store.ts'
import { cleanCommand } from '../../src/checkpoint/clean-command.ts'
import { checkpointToMarkdown } from '../../src/checkpoint/markdown.ts'
import { parseCheckpoint } from '../../src/checkpoint/schema.ts'
import { memoryStorage } from '../../src/storage/memory-storage.ts'
import { bundleStore } from '../../src/store/bundle-store.ts'
import { sampleBundle } from '../../src/testing/sample-bundle.ts'
import { makeFolder, makeRepository } from '../git/repository.ts'
import { keysOf, textOf } from '../support/stored.ts'
import { makeCheckpoint } from './make-checkpoint.ts'

async function save(options: Partial<CheckpointOptions> = {}) {
  const storage = memoryStorage()
  const cwd = options.cwd ?? makeFolder().path
  const saved = await checkpoint({ store: { storage }, track: 'main', step: 'a step', ...options, cwd })
  return { ...saved, storage }
}

describe('checkpoint', () => {
  it('saves the text with the state of git', async () => {
    const repository = makeRepository()
    const head = repository.commit({ 'src/a.ts': '1', 'src/b c.ts': '1' })
    repository.write({ 'src/a.ts': '2', 'store/x': '1' })
    const saved = await save({
      cwd: `${repository.path}/src`,
      step: ' wire  the\nparser ',
      note: '\n two\n\nlines \n',
      nextCommand: 'npm test -- parse',
      validation: 'green',
      label: 'before lunch',
      task: 'T-1',
      extra: { pr: 12, ok: true, 'build.url': 'https://ci/1' },
      files: ['b c.ts', '../src/./b c.ts', '/etc/hostname', 'none.ts'],
      ignore: ['../store'],
      createdAt: new Date('2026-03-04T05:06:07.089Z'),
    })
    expect(saved.checkpoint).toEqual({
      schemaVersion: 1,
      id: expect.stringMatching(/^20260304T050607089Z-\d{9}$/),
      track: 'main',
      createdAt: '2026-03-04T05:06:07.089Z',
      task: 'T-1',
      label: 'before lunch',
      step: 'wire the parser',
      note: 'two\n\nlines',
      nextCommand: 'npm test -- parse',
      validation: 'green',
      extra: { pr: 12, ok: true, 'build.url': 'https://ci/1' },
      files: [
        { path: 'src/b c.ts', digest: '6b86b273ff34fce1' },
        { path: '/etc/hostname', digest: expect.any(String) },
        { path: 'src/none.ts' },
      ],
      git: {
        root: repository.path,
        branch: 'main',
        head,
        dirty: true,
        files: [{ path: 'src/a.ts', status: 'modified', digest: 'd4735e3a265e16ee' }],
        changed: 1,
      },
      cwd: `${repository.path}/src`,
    })
    expect(await checkpointStore(saved.storage).load(saved.id)).toEqual(saved.checkpoint)
  })

  it('works without a repository, and names the newest bundle of the track', async () => {
    const storage = memoryStorage()
    const store = bundleStore(storage)
    const bundle = sampleBundle()
    await store.save(bundle)
    await store.save(sampleBundle({ track: 'other' }))
    const { checkpoint: made } = await checkpoint({ store, track: 'main', step: 's', cwd: makeFolder().path })
    expect(made).toMatchObject({ validation: 'pending', note: '', extra: {}, files: [], bundle: bundle.id })
    expect(made).not.toHaveProperty('git')
    expect(made).not.toHaveProperty('nextCommand')
    expect((await store.latest('main'))?.bundle.id).toBe(bundle.id)
  })

  it('replaces secrets, in all texts', async () => {
    const token = `ghp_${'aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xY1zA2'}`
    const { storage, checkpoint: made } = await save({
      step: `use ${token}`,
      note: `the token is ${token}`,
      nextCommand: `curl -H "Authorization: Bearer ${token}" https://api.github.com`,
      extra: { about: token, nothing: 'plain' },
    })
    expect(made.nextCommand).toMatch(/^curl -H "Authorization: Bearer \[redacted:[^\]]+\]" https:/)
    expect(made.extra).toMatchObject({ nothing: 'plain' })
    for (const key of await keysOf(storage)) expect(await textOf(storage, key)).not.toContain(token)
    const value = 'q7R2mX9bL4wZ8sK1'
    const other = await save({ step: `try ${value}`, note: `DB_PASSWORD=${value}`, extra: { about: value } })
    expect(JSON.stringify(other.checkpoint)).not.toContain(value)
    expect((await save({ note: token, redactors: [] })).checkpoint.note).toBe(token)
  })

  it.each([
    ['extra', { extra: ['a'] }, /extra/],
    ['extra', { extra: null }, /extra/],
    ['extra', { extra: 'a=b' }, /extra/],
    ['a nested extra', { extra: { a: { b: 1 } } }, /extra\.a/],
    ['a null in extra', { extra: { a: null } }, /extra\.a/],
    ['no number', { extra: { a: Number.NaN } }, /extra\.a/],
    ['a key with a space', { extra: { 'a b': '1' } }, /expected a key of A-Z, a-z/],
    ['an empty key', { extra: { '': '1' } }, /expected a key of A-Z, a-z/],
    ['__proto__', { extra: JSON.parse('{"__proto__": "1"}') }, /expected a key of A-Z, a-z/],
    ['__proto__ with a record', { extra: JSON.parse('{"__proto__": {"a": 1}}') }, /extra/],
    [
      'too much extra',
      { extra: Object.fromEntries(Array.from({ length: 65 }, (_, at) => [`k${at}`, at])) },
      /64/,
    ],
    ['an empty track', { track: '' }, /track/],
    ['a track that is a path', { track: '../up' }, /track/],
    ['a track that is the pointer', { track: 'Latest.json' }, /track/],
    ['an empty step', { step: ' \n' }, /step/],
    ['no step', { step: undefined }, /step/],
    ['a long step', { step: 'x'.repeat(1001) }, /step/],
    ['a validation of its own', { validation: 'ok' }, /validation/],
    ['a command of two lines', { nextCommand: 'make\nrm -rf /' }, /nextCommand: .*one line/],
    ['an empty command', { nextCommand: ' ' }, /nextCommand/],
    ['a command that is not a text', { nextCommand: 5 }, /nextCommand/],
  ])('refuses %s before it writes', async (_, options, message) => {
    const storage = memoryStorage()
    const cwd = makeFolder().path
    const given = { store: { storage }, track: 'main', step: 's', cwd, ...(options as object) }
    await expect(checkpoint(given)).rejects.toThrow(message)
    await expect(checkpoint(given)).rejects.toMatchObject({ code: 'invalid-checkpoint' })
    expect(await keysOf(storage)).toEqual([])
  })

  it('stops with the signal before it writes', async () => {
    const storage = memoryStorage()
    const signal = AbortSignal.abort()
    await expect(checkpoint({ store: { storage }, track: 'main', step: 's', signal })).rejects.toThrow(
      'aborted',
    )
    expect(await keysOf(storage)).toEqual([])
  })
})

describe('cleanCommand', () => {
  it('keeps a command as it is, including its spaces', () => {
    for (const command of [
      'npm test',
      `grep "a  b" x | sed 's/\\t/ /'`,
      'echo "Übung 日本 👍"',
      'a && b; $(c)',
    ])
      expect(cleanCommand(command)).toBe(command)
  })

  it('removes everything invisible', () => {
    expect(cleanCommand(' ls \u001b[8mrm -rf /\u001b[0m\u0007 ')).toBe('ls rm -rf /')
    expect(cleanCommand('ls \u202egnp.exe\u2066\u200b\u200d\u2060\ufeff\u00ad')).toBe('ls gnp.exe')
    expect(cleanCommand('a\u{e0041}\u{e007f}\u3164\u180e\ufe0fb')).toBe('ab')
    expect(cleanCommand('a\tb\u00a0c\u2003d')).toBe('a b c d')
    expect(cleanCommand('a\u0000\u009b31mb\u001b]0;title\u0007')).toBe('ab')
    expect(cleanCommand('a\ud800')).toBe('a\ufffd')
  })

  it('refuses more than one line', () => {
    for (const text of ['a\nb', 'a\r\nb', 'safe\rrm -rf /', 'a\u2028b', 'a\u0085b', '', ' ', '\n', '\u200b'])
      expect(cleanCommand(text)).toBeUndefined()
    expect(cleanCommand('a\n')).toBe('a')
  })

  it('returns one visible line for any input, and the same when run again', () => {
    const nasty = fc.constantFrom(
      '\u001b[31m',
      '\u009b',
      '\r',
      '\u2028',
      '\u202e',
      '\ud83d',
      '\n',
      '\u0000',
      ' ',
    )
    const text = fc.array(fc.oneof(fc.string({ unit: 'binary' }), nasty)).map((parts) => parts.join(''))
    fc.assert(
      fc.property(text, (value) => {
        const command = cleanCommand(value)
        if (command === undefined) return
        expect(command).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u)
        expect(cleanCommand(command)).toBe(command)
      }),
      { numRuns: repeats({ few: 150, all: 600 }), seed: seedOf(5) },
    )
  })
})

describe('parseCheckpoint', () => {
  it('refuses values that a checkpoint cannot hold', () => {
    const good = makeCheckpoint()
    for (const [wrong, message] of [
      [{ ...good, more: 1 }, /more/],
      [{ ...good, schemaVersion: 2 }, /schemaVersion/],
      [{ ...good, nextCommand: 'a\nb' }, /nextCommand/],
      [{ ...good, nextCommand: 'a\u202eb' }, /nextCommand/],
      [{ ...good, createdAt: '2026-01-01T00:00:00.000Z' }, /id: expected the time of createdAt/],
      [{ ...good, extra: JSON.parse('{"__proto__": "1"}') }, /__proto__/],
      [{ ...good, files: [{ path: 'a\ud800' }] }, /files\.0\.path/],
      [null, /checkpoint/],
    ] as const)
      expect(() => parseCheckpoint(wrong)).toThrow(message)
  })
})

describe('checkpointToMarkdown', () => {
  it('shows everything, and lets no text look like structure', () => {
    const text = checkpointToMarkdown(
      makeCheckpoint({
        note: '# not a heading\ntext',
        nextCommand: '``` && ls',
        extra: { lines: 'a\n## b' },
        files: [{ path: 'line\nbreak' }, { path: 'bidi\u202e' }],
        git: {
          branch: 'fe\u202eat',
          files: [{ path: 'x', status: 'untracked' }],
          changed: 3,
          head: 'a'.repeat(40),
          upstream: 'origin/x',
          ahead: 2,
        },
      }),
    )
    for (const part of [
      '\n\\# not a heading\n',
      '\n    ``` && ls\n',
      '- lines: "a\\n## b"\n',
      '- "line\\nbreak"\n',
      '- "bidi\\u{202e}"\n',
      '- untracked x\n- and 2 more\n',
      '- upstream: origin/x, 2 ahead, 0 behind\n',
      '- head: "fe\\u{202e}at" at aaaaaaaaaaaa\n',
    ])
      expect(text).toContain(part)
  })
})
