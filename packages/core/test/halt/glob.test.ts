import { describe, expect, it } from 'vitest'
import { globMatcher } from '../../src/halt/files/glob.ts'

describe('globs', () => {
  it.each([
    ['a.txt', 'a.txt', ['b/a.txt', 'a.txt2', 'a-txt', '']],
    ['./a.txt', 'a.txt', ['./a.txt']],
    ['*.log', '.x.log', ['a/x.log', 'x.logs']],
    ['*', 'line\nbreak', ['a/b', 'a/']],
    ['?.txt', '𝒳.txt', ['/.txt', '.txt', 'ab.txt']],
    ['a/**', 'a/.b/c', ['a', 'b/a/c']],
    ['a/', 'a/b/c', ['a', 'ab/c']],
    ['**', 'a/b/c', []],
    ['**/b', 'b', ['ab', 'a/ab']],
    ['**/b', 'x/y/b', ['/b', 'x//b']],
    ['a/**/b', 'a/b', ['ab', 'a/xb']],
    ['a/**/b', 'a/x/y/b', ['a/x/y']],
    ['**.log', 'b.log', ['b.txt', 'a/b.log']],
    ['*.{log,out}', 'a.out', ['a.', 'a.logout', 'a.{log,out}']],
    ['{a,{b,c*}d}/e', 'cxd/e', ['c/e', 'bcd/e', 'a,/e']],
    ['x{,-*}y', 'xy', ['x-', 'x,y']],
    ['x{,-*}y', 'x-1y', ['x1y']],
    ['{**/a,b}', 'b', ['c']],
    ['[id](x)+.$|^.tsx', '[id](x)+.$|^.tsx', ['i(x)+.$|^.tsx']],
    ['a,b}', 'a,b}', ['a', 'b}']],
    ['!a', '!a', ['b']],
    ['a\\*', 'a\\bc', ['a*']],
  ])('matches %j with %j', (glob, path, others) => {
    const matches = globMatcher(glob)
    expect(matches(path)).toBe(true)
    expect(others.filter(matches)).toEqual([])
  })

  it.each([
    ['', /must be relative/],
    ['/etc/*', /must be relative/],
    ['a/../b', /must be relative/],
    ['{a,b', /a brace is not closed/],
    ['a'.repeat(1001), /too long/],
    ['{a,b}'.repeat(100), /too many alternatives/],
  ])('refuses %j', (glob, message) => {
    expect(() => globMatcher(glob)).toThrow(message)
  })

  it('takes little time for names that were chosen to be slow', () => {
    // A matcher that backtracks does not come to an end here.
    const matches = globMatcher(`${'*a'.repeat(40)}/${'**'.repeat(20)}{*,{*,**}a}c`)
    const name = 'a'.repeat(250)
    expect(matches(`${name}/${name}b`)).toBe(false)
    expect(matches(`${name}/${name}c`)).toBe(true)
  })
})
