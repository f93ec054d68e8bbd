import { describe, expect, it } from 'vitest'
import { heldNames } from '../../src/assemble/held-names.ts'
import { atOnce } from '../../src/session/pauses.ts'
import { expectCpuBelow } from '../support/cpu-time.ts'

const heldOf = (text: string, ...names: string[]): string[] => [...atOnce(heldNames(names)([text]))].sort()

describe('heldNames', () => {
  it('finds whole names only', () => {
    expect(heldOf('a thread of 12000 readers', 'read', '2000', 'thread', '12000')).toEqual([
      '12000',
      'thread',
    ])
    expect(heldOf('retry_limit and größer', 'retry', 'limit', 'gr')).toEqual([])
    expect(heldOf('call retry.limit() now', 'retry', 'limit', 'retry.limit')).toEqual([
      'limit',
      'retry',
      'retry.limit',
    ])
  })

  it('treats letters and numbers of all scripts as parts of words', () => {
    const text = 'größer²limit 限制limit \u{1d400}limit ①limit'
    expect(heldOf(text, 'limit', 'größer')).toEqual([])
    expect(heldOf(`${text} →limit…`, 'limit')).toEqual(['limit'])
    expect(heldOf('见…größer—src/a.ts“größte”', 'größer', 'src/a.ts', 'größte')).toHaveLength(3)
  })

  it('finds paths and flags with their leading punctuation', () => {
    const text = 'edit /repo/src/a.ts:3, then run `check --fix-all ./b` on @scope/pkg'
    expect(heldOf(text, 'src/a.ts', '/repo/src/a.ts', '--fix-all', './b', '@scope/pkg')).toHaveLength(5)
    expect(heldOf(text, '--fix', 'src/a.t', '-all', 'o/src/a.ts', '../b')).toEqual(['--fix'])
  })

  it('does not treat part of a decimal number or of a time as a number', () => {
    expect(heldOf('0.2000 s at 10:2000, 3.141', '2000', '141', '10')).toEqual([])
    expect(heldOf('port 2000. Then 2000, then (2000)', '2000')).toEqual(['2000'])
  })

  it('finds the names of all pieces of a text', () => {
    const held = atOnce(
      heldNames(['src/a.ts', 'limit', '2000', 'b.ts'])(['see src/a.ts', 'limit 12000\n', '', '2000']),
    )
    expect([...held].sort()).toEqual(['2000', 'limit', 'src/a.ts'])
  })

  it('skips names without a letter or digit', () => {
    expect(heldOf('a --- b', '', '---', ' ')).toEqual([])
  })

  it('takes time in proportion to the text for any number of names', async () => {
    const names = Array.from({ length: 20_000 }, (_, index) => `packages/core/src/name${index}.ts`)
    const text = 'packages/core/src/name and packages/'.repeat(30_000)
    await expectCpuBelow(5_000, () => expect(atOnce(heldNames(names)([text])).size).toBe(0))
  })
})
