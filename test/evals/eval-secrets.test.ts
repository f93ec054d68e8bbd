import { writeFile } from 'node:fs/promises'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { readArguments } from '../../tools/eval/arguments.ts'
import { seededRandom } from '../../tools/eval/random.ts'
import { randomValue } from '../../tools/eval/secrets/generated-cases.ts'
import { loadLabelledCases, type SecretCase } from '../../tools/eval/secrets/labelled-cases.ts'
import { measureSecrets } from '../../tools/eval/secrets/measure-secrets.ts'
import { renderSecrets } from '../../tools/eval/secrets/report-secrets.ts'
import { comesOutRight, shareOf } from '../../tools/eval/secrets/score-secrets.ts'
import { testFolder } from '../support/test-folder.ts'

const none = { name: 'none', find: () => [] }

function positive(family: string, source = 'made'): SecretCase {
  const text = `password for ${family}: pX7-qRt2Lm9w`
  const start = text.indexOf('pX7')
  return { source, family, tier: 'core', text, secrets: [{ start, end: text.length }] }
}

const families = Array.from('abcdefghijklmnop', (letter) => positive(`family ${letter}`))

describe('labelled cases', () => {
  const folder = testFolder('all')

  const item = {
    source: 'made',
    family: 'a',
    tier: 'core',
    label: 'positive',
    text: 'x1',
    should_redact: [{ start: 0, end: 2 }],
  }
  const json = JSON.stringify({ items: [item, { ...item, label: 'negative', should_redact: [] }] })

  it.each([
    ['plain', Buffer.from(json)],
    ['in gzip', gzipSync(json)],
    ['in gzip and base64', Buffer.from(gzipSync(json).toString('base64'))],
  ])('are read %s', async (name, bytes) => {
    const file = folder(name)
    await writeFile(file, bytes)
    const cases = await loadLabelledCases(file)
    expect(cases.map(({ secrets }) => secrets)).toEqual([[{ start: 0, end: 2 }], []])
  })

  it('are refused if a label and its spans do not agree', async () => {
    const file = folder('odd.json')
    await writeFile(file, JSON.stringify({ items: [{ ...item, label: 'negative' }] }))
    await expect(loadLabelledCases(file)).rejects.toThrow('item 1 is not a labelled case')
  })
})

describe('a secret', () => {
  const found = (start: number, end: number) => ({ name: 'part', find: () => [{ start, end, type: 'x' }] })
  const text = 'key: abcdefghijklmnopqrst'
  const one = { source: 's', family: 'f', tier: 'core', text, secrets: [{ start: 5, end: 25 }] }

  it('leaks with 8 characters in a row left', () => {
    expect(comesOutRight(one, found(5, 17))).toBe(false)
    expect(comesOutRight(one, found(5, 18))).toBe(true)
    expect(comesOutRight({ ...one, secrets: [] }, found(5, 6))).toBe(false)
  })
})

describe('cross-validation', () => {
  it('never splits a family and shows only the misses of the training folds', () => {
    const report = measureSecrets(families, { seed: 1, values: 0, redactor: none })
    const heldOut = report.families.filter(({ part }) => part === 'held out').map(({ family }) => family)
    expect(heldOut.length).toBeGreaterThan(2)
    expect(heldOut.length).toBeLessThan(14)
    expect(report.misses).toHaveLength(16 - heldOut.length)
    const text = renderSecrets(report, 100)
    for (const family of heldOut) expect(text).not.toContain(`password for ${family}:`)
    expect(report.scores.get('held out')?.recall).toEqual({ right: 0, all: heldOut.length })
  })

  it('holds out other families with another seed', () => {
    const parts = [1, 2].map((seed) =>
      measureSecrets(families, { seed, values: 0, redactor: none }).misses.map(({ family }) => family),
    )
    expect(parts[0]).not.toEqual(parts[1])
  })

  it('holds out whole sources', () => {
    const cases = [...families, positive('family q', 'other')]
    const report = measureSecrets(cases, { seed: 1, values: 0, fit: ['made'], redactor: none })
    expect(report.scores.get('other sources')?.recall).toEqual({ right: 0, all: 1 })
    expect(report.misses.map(({ source }) => source)).not.toContain('other')
  })
})

describe('random values', () => {
  it('depend on the seed alone', () => {
    const draw = (seed: number) => randomValue('zz_[mixed 20]-[word]', seededRandom(seed))
    expect(draw(1)).toBe(draw(1))
    expect(draw(1)).not.toBe(draw(2))
    expect(draw(1)).toMatch(/^zz_[A-Za-z0-9]{20}-[a-z]+$/)
  })

  it('are found in every family, with any text around them, and harmless texts stay', () => {
    const { generated, harmless } = measureSecrets([], { seed: 7, values: 4 })
    const weak = generated.filter(({ tally }) => shareOf(tally) < 0.9)
    expect(weak.map(({ family, worst }) => `${family}: ${worst.text}`)).toEqual([])
    const [right, all] = generated.reduce(([r, n], { tally }) => [r + tally.right, n + tally.all], [0, 0] as [
      number,
      number,
    ])
    expect(right / all).toBeGreaterThan(0.99)
    expect(harmless.found).toEqual([])
  })
})

it('--secrets is refused together with folders', () => {
  expect(readArguments(['--secrets', 'a.json', '--fit', 'a,b'])).toMatchObject({
    mode: 'secrets',
    given: { secrets: 'a.json' },
    fit: ['a', 'b'],
    seed: 1,
    values: 200,
  })
  expect(() => readArguments(['logs', '--secrets', 'a.json'])).toThrow('--secrets')
})
