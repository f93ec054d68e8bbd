import { describe, expect, it } from 'vitest'
import { expectCpuBelow } from '../../../core/test/support/cpu-time.ts'
import { plainLine } from '../../src/provider/failures.ts'

describe('plainLine', () => {
  it.each([
    ['two\nlines', 'two'],
    ['\n\n later', 'later'],
    ['key sk-ant-api03-abcdefgh here', 'key [key] here'],
    ['with Bearer abcdefghijkl, ok', 'with [key], ok'],
    ['a bearer of news', 'a bearer of news'],
    [`token ${'x'.repeat(50)}`, 'token [key]'],
    ['my own secret1 here', 'my own [key] here'],
    ['escape \u001b[31mred', 'escape red'],
    ['<!doctype html>', 'a web page instead of an answer'],
    ['502 <html>\n<head>', 'a web page instead of an answer'],
    ['', 'without a message'],
    [' \n\u0000\n', 'without a message'],
  ])('cleans %j', (text, line) => {
    expect(plainLine(text, ['secret1'])).toBe(line)
  })

  it.each([
    'sk-1234567890abcdef',
    'sk-ab****cdef',
    'sk-or-v1-0123456789abcdef0123456789abcdef',
    'gsk_abcdefghijklmnop',
    'hf_abcdefghijklmnopq',
    'AIzaSyA-1234567890abcdef',
    'Bearer abcdef',
    'Bearer abc',
    'bearer abcdefgh',
    '0123456789abcdef0123456789abcdef',
    'a+b/c=d-e_'.repeat(4),
  ])('hides %s', (key) => {
    expect(plainLine(`the key ${key} is wrong`)).toBe('the key [key] is wrong')
  })

  it('leaves names of models and plain words alone', () => {
    const text =
      'The model `anthropic/claude-3-5-sonnet-20241022` or gpt-6.1-sol does not exist in key-value form'
    expect(plainLine(text)).toBe(text)
  })

  it('returns a short line, and never half a character', () => {
    expect(plainLine('many words '.repeat(1000))).toHaveLength(300)
    expect(plainLine(`${'a '.repeat(149)}\u{1f600} more`).isWellFormed()).toBe(true)
  })

  it('takes almost no time for a long line', async () => {
    await expectCpuBelow(1000, () => plainLine('a-'.repeat(50_000)))
  })
})
