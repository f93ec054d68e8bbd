import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { seedOf } from '../../../../test/support/seed.ts'
import { findIdentifiers } from '../../src/facts/identifiers/find-identifiers.ts'
import { identifierSteps } from '../../src/facts/identifiers/identifiers.ts'
import { atOnce } from '../../src/session/pauses.ts'
import { expectCpuBelow } from '../support/cpu-time.ts'
import { assistant, makeSession, toolCall, user } from '../support/session.ts'

const extractIdentifiers = (...given: Parameters<typeof identifierSteps>) => atOnce(identifierSteps(...given))

const found = (text: string) =>
  findIdentifiers(text).map(({ kind, text: identifier }) => `${kind} ${identifier}`)

describe('findIdentifiers', () => {
  it.each<[string, string[]]>([
    ['see src/a.ts:12:3 and ./b, and/or read/write 3/4 n/a', ['path src/a.ts', 'path ./b']],
    ['app/[id]/page.tsx src/routes/+page.svelte', ['path app/[id]/page.tsx', 'path src/routes/+page.svelte']],
    [
      '"C:\\Users\\ann\\a.ps1" ~/x/y /usr/bin/env',
      ['path C:\\Users\\ann\\a.ps1', 'path ~/x/y', 'path /usr/bin/env'],
    ],
    ['在src/main.go里', ['path src/main.go']],
    ['package.json, .gitignore .json text/plain 2024/01/02 </div>', ['path package.json', 'path .gitignore']],
    ['a.go-17- @./NOTES.md //note', ['path a.go', 'path ./NOTES.md']],
    [
      'abc1234..def5678 deadbeef 1234567 a94a8fe5ccb19ba61c4c0873d391e987982fbbd3',
      ['sha abc1234', 'sha def5678', 'sha a94a8fe5ccb19ba61c4c0873d391e987982fbbd3'],
    ],
    ['(https://a.example/b?c=1#d). http://x', ['url https://a.example/b?c=1#d', 'url http://x']],
    [
      'TypeError: ENOENT TS2345 E_FAIL exit code 137',
      ['error TypeError', 'error ENOENT', 'error TS2345', 'error E_FAIL', 'error exit code 137'],
    ],
    ['--no-verify --out=x -x ---- run', ['flag --no-verify', 'flag --out']],
    [
      'camelCase PascalCase snake_case MAX_LEN obj.method() HTTPServer',
      [
        'symbol camelCase',
        'symbol PascalCase',
        'symbol snake_case',
        'symbol MAX_LEN',
        'symbol obj.method',
        'symbol HTTPServer',
      ],
    ],
    ['wg.Go(run) origin/main..main', ['symbol wg.Go']],
    ['console.log(x) ABC-12 plain Word WORD URLs', ['symbol console.log', 'symbol ABC-12']],
    [
      'Plain words. 12 of 1.5 - no. Exit code 1, exit status: 2 (exit) file:///a https://b.c',
      ['error exit status: 2', 'url file:///a', 'url https://b.c'],
    ],
    ['d:\\a\\b.ts c:/a/b.ts - /[id]/a.ts end-', ['path d:\\a\\b.ts', 'path c:/a/b.ts', 'path /[id]/a.ts']],
    [`${'plain '.repeat(5000)}a.ts`, ['path a.ts']],
    ['', []],
    [`a/${'b'.repeat(300)}.ts`, []],
  ])('reads %j', (text, expected) => {
    expect(found(text)).toEqual(expected)
  })

  it('returns identifiers as they are in the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        for (const identifier of findIdentifiers(text)) expect(text).toContain(identifier.text)
      }),
      { seed: seedOf(1) },
    )
  })

  it('leaves out the letters of an escape before a name', () => {
    const texts = (text: string) => findIdentifiers(text).map((found) => found.text)
    expect(texts(String.raw`"done.\nThe lid.\nUser\tOrder\u003cspan\u003e"`)).toEqual([])
    expect(texts(String.raw`{"a":"ok\nREADME.md\nopenLid \u003cKilnDoor\\nBAKE_TIME=1\n"}`)).toEqual([
      'README.md',
      'nopenLid',
      'KilnDoor',
      'BAKE_TIME',
    ])
    expect(texts(String.raw`C:\new\nOven.cs and nUnit`)).toEqual([String.raw`C:\new\nOven.cs`, 'nUnit'])
  })

  it.each(['a/', '--', '../', 'aB', 'https://', '[', '/(', 'C:\\', '.', 'exit ', '/[a'])(
    'takes linear time for runs of %j',
    async (piece) => await expectCpuBelow(3000, () => findIdentifiers(piece.repeat(100_000))),
  )
})

describe('extractIdentifiers', () => {
  it('counts over all event text, with first and last event', () => {
    const { events } = makeSession([
      user('look at src/a.ts'),
      assistant('src/a.ts and src/a.ts'),
      ...toolCall(
        '1',
        'Edit',
        { file_path: 'src/a.ts', edits: [{ old_string: 'fooBar' }] },
        { text: 'none' },
      ),
      { type: 'assistant', text: 'src/copied.ts', copied: true },
    ])
    const index = extractIdentifiers(events)
    expect(index.get('src/a.ts')).toEqual({
      kind: 'path',
      text: 'src/a.ts',
      count: 4,
      own: 4,
      first: 'e1',
      last: 'e3',
    })
    expect([...index.keys()]).toEqual(['src/a.ts', 'file_path', 'old_string', 'fooBar'])
  })

  it('keeps at most 200,000', () => {
    const text = Array.from({ length: 200_100 }, (_, index) => `id_${index}`).join(' ')
    expect(extractIdentifiers(makeSession([user(text)]).events).size).toBe(200_000)
  })
})
