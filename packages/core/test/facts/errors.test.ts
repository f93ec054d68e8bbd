import { describe, expect, it } from 'vitest'
import { errorLines } from '../../src/facts/errors/error-lines.ts'
import { extractFacts } from '../../src/facts/extract-facts.ts'
import type { EventDraft } from '../../src/session/event.ts'
import { makeSession, shell, toolCall } from '../support/session.ts'

const errorsOf = (drafts: EventDraft[]) => extractFacts(makeSession(drafts)).errors
const failed = { status: 'error', exitCode: 1 } as const

describe('errorLines', () => {
  it.each<[string, string]>([
    [
      'Exit code 1\nok  a\n--- FAIL: TestA (0.00s)\n    a_test.go:9: want 1\nFAIL',
      '--- FAIL: TestA (0.00s) / a_test.go:9: want 1',
    ],
    [
      '<tool_use_error>Found 2 matches of the string to replace.\nString: \treturn fmt.Errorf("failed: %w", err)\n}</tool_use_error>',
      'Found 2 matches of the string to replace.',
    ],
    [
      '--- FAIL: TestB (0.07s)\n    b_test.go:8:\n\tError Trace:\t/repo/b_test.go:8\n\tError:      \tNot equal:\n\t\texpected: 0\n',
      '--- FAIL: TestB (0.07s) / Error: Not equal: / expected: 0',
    ],
    [
      'Traceback (most recent call last):\n  File "a.py", line 1\n    x()\nValueError: bad value\n',
      'ValueError: bad value',
    ],
    ['building\n\u001b[31msrc/a.ts(1,2): error TS2345: no\u001b[0m\ndone', 'src/a.ts(1,2): error TS2345: no'],
    ["fatal: 'main' is already used", "fatal: 'main' is already used"],
    ['panic: runtime error: index out of range\n\ngoroutine 1', 'panic: runtime error: index out of range'],
    ['bash: foo: command not found', 'bash: foo: command not found'],
    [
      '<tool_use_error>String to replace not found in file.</tool_use_error>',
      'String to replace not found in file.',
    ],
    [
      'The following paths are ignored by one of your files:\ndocs\nhint: use -f',
      'The following paths are ignored by one of your files: / docs',
    ],
    ['nothing telling\nlast line', 'last line'],
    ['one is missing\n=== UAT ===\n', 'one is missing'],
    ['lost\n---which branch?---\ntotal 8\ndrwxr-xr-x  2 ada staff  64 Jan  1 10:00 src', 'lost'],
    ['=== UAT ===', ''],
    [
      'OK a.md\nshop : no order matches "7"\nAt line:10 char:1\n+ shop order show 7 2>&1 | error\n+ ~~~~~\n    + CategoryInfo          : NotSpecified: (no order:String) []\n    + FullyQualifiedErrorId : NativeCommandError',
      'shop : no order matches "7"',
    ],
    [
      'diff main.go.orig main.go\n--- main.go.orig\n+++ main.go\n@@ -9,3 +9,2 @@\n \tlog.Fatalf("error: %v", err)\n-// an error is an assertion\n',
      'diff main.go.orig main.go',
    ],
    [
      '--- a.go\n+++ a.go\n@@ -1 +1 @@\n-error\n+no error\ndiff end\n--- FAIL: TestA (0.00s)',
      '--- FAIL: TestA (0.00s)',
    ],
    ['', ''],
    ['Exit code 1', ''],
  ])('summarizes %j', (text, expected) => {
    expect(errorLines(text)).toBe(expected)
  })

  it('returns one line of at most 300 characters, even for long output', () => {
    const line = errorLines(`error: ${'x\u0007'.repeat(1000)}\n`.repeat(3000))
    expect(line.length).toBeLessThanOrEqual(300)
    expect(line).not.toMatch(/[\u0000-\u001f]/)
  })
})

describe('an error', () => {
  it('has a note if only a part of the failed check passed later', () => {
    const after = (first: string, then: string) =>
      errorsOf([...shell('1', first, '114 failed', failed), ...shell('2', then, '23 passed')])[0]
    expect(after('npx vitest run src/', 'npx vitest run src/queue/a.test.ts')).toMatchObject({
      resolvedBy: 'e4',
      narrower: true,
    })
    expect(after('npx vitest run', 'npx vitest run src/queue/a.test.ts')?.narrower).toBe(true)
    for (const again of ['npx vitest run', 'npx vitest run src/', 'npx vitest run src/ test/'])
      expect(after('npx vitest run src/queue/a.test.ts', again)).not.toHaveProperty('narrower')
    expect(after('npx vitest run src/', 'npx vitest run src/ --bail 1')).not.toHaveProperty('narrower')
  })

  it('has a note if only tests of some names passed later, unless the others passed after them', () => {
    const after = (first: string, ...then: string[]) =>
      errorsOf([
        ...shell('1', first, '3 failed', failed),
        ...then.flatMap((command, index) => shell(`${index + 2}`, command, '2 passed')),
      ])[0]
    expect(after('pnpm test', 'pnpm test --grep "Cart|Order list"')).toMatchObject({ narrower: true })
    expect(after('go test ./cart', 'go test ./cart -run TestAdd -v')?.narrower).toBe(true)
    expect(after('pytest -k "cart or order"', "pytest -k 'cart'")?.narrower).toBe(true)
    expect(after('npx jest -t "adds"', 'npx jest -t "adds"')).not.toHaveProperty('narrower')
    expect(after('npx jest -t "adds"', 'npx jest')).not.toHaveProperty('narrower')
    const whole = after('go test ./cart', 'go test ./cart -run TestAdd', 'go test ./...')
    expect(whole).toMatchObject({ resolvedBy: 'e6' })
    expect(whole).not.toHaveProperty('narrower')
    expect(after('go test -run TestAdd .', 'go test -run TestOrder .')).not.toHaveProperty('resolvedBy')
    // These options select nothing.
    expect(after('npx vitest --run src/cart', 'npx vitest --run src')).not.toHaveProperty('narrower')
    expect(after('make test', 'make -k test')).not.toHaveProperty('narrower')
  })

  it('is resolved if the same command passes as a link of a chain, but not after a semicolon', () => {
    const failed = shell('1', 'sh run.sh', 'FAIL: 6 left', { status: 'error', exitCode: 1 })
    const chain = (text: string) =>
      extractFacts(makeSession([...failed, ...shell('2', text, 'ok')])).errors[0]?.resolvedBy
    expect(chain('sh run.sh && git diff --stat')).toBe('e4')
    expect(chain('sh run.sh; git diff --stat')).toBeUndefined()
  })

  it.each<[string, EventDraft[], string | undefined]>([
    ['the same command', [...shell('1', 'ls  a', 'no such file', failed), ...shell('2', 'ls a')], 'e4'],
    [
      'the same check',
      [...shell('1', 'go test ./a', 'FAIL', failed), ...shell('2', 'go test -v ./...')],
      'e4',
    ],
    [
      'the same check elsewhere',
      [...shell('1', 'go test ./a', 'FAIL', failed), ...shell('2', 'go test ./b')],
      undefined,
    ],
    [
      'the same git subcommand',
      [...shell('1', 'git push', 'rejected', failed), ...shell('2', 'git push -u origin x')],
      'e4',
    ],
    [
      'another command',
      [...shell('1', 'node a.js', 'Error: x', failed), ...shell('2', 'node b.js')],
      undefined,
    ],
    ['a success before', [...shell('1', 'npm test'), ...shell('2', 'npm test', 'FAIL', failed)], undefined],
    [
      'an edit of the same file',
      [
        ...toolCall('1', 'Edit', { file_path: '/w/a.ts' }, { status: 'error', text: 'not found' }),
        ...toolCall('2', 'Edit', { file_path: '/w/./a.ts' }),
      ],
      'e4',
    ],
    [
      'an edit of another file',
      [
        ...toolCall('1', 'Edit', { file_path: '/w/a.ts' }, { status: 'error', text: 'not found' }),
        ...toolCall('2', 'Edit', { file_path: '/w/b.ts' }),
      ],
      undefined,
    ],
  ])('is resolved by %s', (_, drafts, resolvedBy) => {
    const [error, ...others] = errorsOf(drafts)
    expect(others).toEqual([])
    expect(error?.resolvedBy).toBe(resolvedBy)
  })

  it.each<[string, string, string | undefined]>([
    ['is resolved by a check that another agent passed later', '2026-01-01T00:05:00.000Z', 'e4'],
    ['is not resolved by a check that another agent passed before', '2026-01-01T00:00:00.000Z', undefined],
  ])('%s, no matter where it is in the log', (_, time, resolvedBy) => {
    const at = (drafts: EventDraft[], when: string, agent: string) =>
      drafts.map((draft) => ({ ...draft, time: when, agent }))
    const [error] = errorsOf([
      ...at(shell('1', 'npm test', 'Error: boom', failed), '2026-01-01T00:01:00.000Z', 'main'),
      ...at(shell('2', 'npm test', 'all passed'), time, 'helper'),
    ])
    expect(error?.resolvedBy).toBe(resolvedBy)
  })

  it('names its call, result and message', () => {
    expect(errorsOf(shell('1', 'npm test', 'Error: boom', failed))).toEqual([
      { message: 'Error: boom', call: 'e1', event: 'e2' },
    ])
    expect(errorsOf(shell('1', 'npm test', '', failed))[0]?.message).toBe('exit code 1')
    // The pipe ended with 0, the check did not.
    const counted = shell('1', 'npm run check 2>&1 | grep "error TS" | wc -l', '      11\n', { exitCode: 0 })
    expect(errorsOf(counted)[0]?.message).toBe('11')
  })

  it.each<[string, EventDraft[]]>([
    ['grep that found nothing', shell('1', 'grep x a', '', failed)],
    ['differences', shell('1', 'diff a b', '< a\n> b', failed)],
    ['denied calls', shell('1', 'rm a', 'The user does not want this', { status: 'denied' })],
    [
      'calls stopped with others',
      toolCall(
        '1',
        'Read',
        { file_path: 'a' },
        {
          status: 'error',
          text: '<tool_use_error>Cancelled: parallel tool call Bash errored</tool_use_error>',
        },
      ),
    ],
  ])('is not %s', (_, drafts) => {
    expect(errorsOf(drafts)).toEqual([])
  })
})
