import { describe, expect, it } from 'vitest'
import { expectCpuBelow } from '../../../core/test/support/cpu-time.ts'
import { findJsonObject } from '../../src/model/find-json.ts'

describe('findJsonObject', () => {
  const json = '{"a": "} { \\" ```", "b": {"c": []}}'
  it.each([
    json,
    `  ${json}\n`,
    `\`\`\`json\n${json}\n\`\`\``,
    `Here is the summary:\n\n${json}\n\nTell me if you need more.`,
    `<think>maybe {"a": 1}?</think>\n${json}`,
    `\ufeff${json}`,
  ])('finds the one object in %j', (text) => {
    expect(findJsonObject(text)?.value).toEqual({ a: '} { " ```', b: { c: [] } })
  })

  it.each([
    '',
    'I cannot do that.',
    '[{"a": 1}]'.slice(0, 4),
    '{"a": 1',
    '{"a": 1} {"a": 2}',
    '{a: 1}',
    'Use {braces}: {"a": 1}',
    '{"a": 1,}',
  ])('finds no object in %j', (text) => {
    expect(findJsonObject(text)).toBeUndefined()
  })

  it('reads a megabyte of braces in little time', async () => {
    const texts = [
      '{'.repeat(1e6),
      '{"'.repeat(5e5),
      '}'.repeat(1e6),
      '<think>'.repeat(1e5),
      '{\\'.repeat(5e5),
    ]
    await expectCpuBelow(2000, () => {
      for (const text of texts) expect(findJsonObject(text)).toBeUndefined()
    })
  })
})
