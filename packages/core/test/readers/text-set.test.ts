import { describe, expect, it } from 'vitest'
import { createTextSet } from '../../src/readers/shared/text-set.ts'

describe('a set of texts', () => {
  it('knows each text that was added, and no other', () => {
    const set = createTextSet()
    const texts = Array.from({ length: 20_000 }, (_, index) => `u${index}`)
    expect(texts.every((text) => set.add(text))).toBe(true)
    expect(texts.some((text) => set.add(text))).toBe(false)
    expect(texts.every((text) => set.has(text))).toBe(true)
    expect(texts.some((text) => set.has(`${text}x`))).toBe(false)
    expect(set.size).toBe(20_000)
  })

  it('distinguishes texts that differ in one place, and accepts the empty one', () => {
    const set = createTextSet()
    const long = 'a'.repeat(1000)
    expect(set.add(long)).toBe(true)
    expect(set.has(`${long.slice(1)}b`)).toBe(false)
    expect(set.has(`b${long.slice(1)}`)).toBe(false)
    expect(set.has('')).toBe(false)
    expect(set.add('')).toBe(true)
    expect(set.has('')).toBe(true)
  })
})
