import { describe, expect, it } from 'vitest'
import { decisiveLines, decisiveness, isDecisive, withoutPassedRuns } from '../../src/plan/decisive-lines.ts'
import { expectCpuBelow } from '../support/cpu-time.ts'

const chatter = Array.from({ length: 20 }, (_, index) => `stoking chamber ${String.fromCharCode(97 + index)}`)

describe('decisiveLines', () => {
  it('never treats a passed test as a failure, whatever its name', () => {
    const output = [
      ...chatter,
      '  ✔ reports an error when the lid is missing',
      '  ok 3 - cannot fire without fuel',
      'PASS src/undefined-glaze.test.ts',
      '  1) stops at the limit',
      '  12 passing (3s)',
      '  1 failing',
      '  1) stops at the limit:',
      '',
      '      AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:',
      '',
      '1300 !== 1240',
      '',
      '      at Context.<anonymous> (test/kiln.test.js:12:3)',
      'a',
      'b',
      'c',
      'd',
    ].join('\n')
    const lines = decisiveLines(output)
    expect(lines).not.toMatch(/lid is missing|without fuel|undefined-glaze|stoking/)
    expect(lines).toContain('1) stops at the limit:\n      AssertionError')
    expect(lines).toContain('strictly equal:\n1300 !== 1240')
  })

  it('finds the place that a linter names, not the code that it quotes', () => {
    const quoted = Array.from({ length: 20 }, (_, index) => `\t\texpected: ${index},`)
    const lines = decisiveLines(
      [
        '[lint] $ golangci-lint run',
        'kiln/fire_test.go:40: 40-60 lines are duplicate of `kiln/cool_test.go:10-30` (dupl)',
        'kiln/fire.go:12:3: ineffectual assignment to heat (ineffassign)',
        'kiln/fire.go:19:3: error strings should not be capitalized (staticcheck)',
        ...quoted,
        '3 issues:',
        '* dupl: 1',
        '* ineffassign: 1',
        '[lint] ERROR task failed',
      ].join('\n'),
    )
    expect(lines).toContain('kiln/fire_test.go:40: 40-60 lines are duplicate')
    expect(lines).toContain('kiln/fire.go:12:3: ineffectual')
    expect(lines).not.toContain('expected: 7')
    expect(lines).toContain('[lint] ERROR task failed')
  })

  it('names the file that a formatter or linter puts above its findings', () => {
    const lines = decisiveLines(
      [
        ...chatter,
        '/w/src/kiln.js',
        '  12:5  error  heat is not defined  no-undef',
        '',
        'src/oven.ts format ━━━━━━━━━━━━━━━━',
        '',
        '  × Formatter would have printed the following content:',
        ...chatter,
      ].join('\n'),
    )
    expect(lines).toContain('/w/src/kiln.js\n  12:5  error')
    expect(lines).toContain('src/oven.ts format ━━━━━━━━━━━━━━━━\n  × Formatter')
  })

  it('lists a repeated failure once', () => {
    const again = Array.from({ length: 9 }, (_, index) => `error: kiln ${index} is cold`)
    expect(decisiveLines([...chatter, ...again, 'a', 'b', 'c', 'd'].join('\n')).split('\n')).toEqual([
      'error: kiln 0 is cold',
      'a',
      'b',
      'c',
      'd',
    ])
  })

  it('leaves out errors that passing tests provoked before the check that failed', () => {
    const lines = decisiveLines(
      [
        'error: All chambers fail',
        ...chatter,
        ' 130 pass',
        ' 0 fail',
        '$ lint --strict',
        'checking',
        'src/kiln.ts(3,1): error TS2304: Cannot find name "heat".',
        ...chatter,
      ].join('\n'),
    )
    expect(lines).not.toContain('All chambers fail')
    expect(lines).toContain('$ lint --strict\nsrc/kiln.ts(3,1)')
  })

  it('keeps all lines of a short failure', () => {
    expect(decisiveLines('a\nb\nc')).toBe('a\nb\nc')
  })

  it('does not treat the clock in a log as a place in a file', () => {
    expect(decisiveness('10:06:36 request done')).toBe(0)
    expect(decisiveness('src/kiln.ts:3:1 heat is unused')).toBe(3)
    expect(decisiveness('  --- FAIL: TestKiln (0.00s)')).toBe(3)
    expect(isDecisive('✓ rejects an invalid heat')).toBe(false)
  })
})

describe('withoutPassedRuns', () => {
  it('keeps a run in which something failed', () => {
    const output = ['a', 'Test Files  1 failed | 3 passed (4)', 'Tests  1 failed | 40 passed (41)'].join('\n')
    expect(withoutPassedRuns(output)).toBe(output)
    const mocha = ['a', 'b', 'c', 'd', '51 passing (9s)', '1 failing', 'e'].join('\n')
    expect(withoutPassedRuns(mocha)).toBe(mocha)
  })

  it('keeps the summary of a run that passed, and what came after it', () => {
    const output = [...chatter, 'test result: ok. 3 passed; 0 failed', '[main 1a2b3c4] Fire'].join('\n')
    expect(withoutPassedRuns(output, () => '[…9]').split('\n')).toEqual([
      '[…9]',
      ...chatter.slice(-3),
      'test result: ok. 3 passed; 0 failed',
      '[main 1a2b3c4] Fire',
    ])
  })

  it('takes linear time for any number of lines', async () => {
    const output = 'x 3 passed y\n'.repeat(200_000)
    await expectCpuBelow(2000, () => withoutPassedRuns(output))
  })
})
