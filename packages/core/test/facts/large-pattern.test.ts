import { describe, expect, it } from 'vitest'
import { largePattern } from '../../src/session/large-pattern.ts'
import { lowerCase } from '../../src/text/lower-case.ts'

describe('a large pattern', () => {
  it('may be a regular expression with its own flags', () => {
    expect('aB'.match(largePattern(/b/i)())?.[0]).toBe('B')
  })

  it('is compiled once and begins to search at the first character', () => {
    const everything = largePattern('[^]', 'g')
    expect(everything()).toBe(everything())
    expect(everything().lastIndex).toBe(0)
    expect('ab'.match(everything())).toEqual(['a', 'b'])
  })
})

describe('lowerCase', () => {
  it.each([
    ['Use PNPM', 'use pnpm'],
    ['ÄNDERE NICHTS', 'ändere nichts'],
    ['НЕ МЕНЯЙ СХЕМУ', 'не меняй схему'],
    ['İÇİN ÖLÇ', 'İçİn ölç'],
  ])('changes %s into %s, each character in its place', (text, expected) => {
    expect(lowerCase(text)).toBe(expected)
  })
})
