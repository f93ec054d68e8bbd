import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { seedOf } from '../../../../test/support/seed.ts'
import { StorageError } from '../../src/errors.ts'
import { assertStorageKey, storageKeyFault } from '../../src/storage/storage-key.ts'

describe('assertStorageKey', () => {
  it('accepts the keys of a store', () => {
    for (const key of [
      'a',
      'bundles/20260304T050607089Z-0a1b2c3d.json',
      'tracks/A_b-1.2/log/00000001.json',
      'console',
      'com',
      'nullable.txt',
    ])
      expect(() => assertStorageKey(key), key).not.toThrow()
  })

  it('reports what is wrong', () => {
    const faults: [string, RegExp][] = [
      ['', /it is empty/],
      ['a//b', /empty segment/],
      ['/a', /empty segment/],
      ['a/../b', /"\.\." begins with "\."/],
      ['a\\b', /holds characters other than/],
      ['-rf', /begins with "-"/],
      ['a.', /ends with "\."/],
      ['x/aux.json', /Windows reserves/],
      ['x'.repeat(129), /longer than 128/],
      ['x/'.repeat(600), /longer than 1024/],
    ]
    for (const [key, pattern] of faults) expect(() => assertStorageKey(key), key).toThrow(pattern)
    expect(() => assertStorageKey('a b')).toThrow(StorageError)
  })

  it('refuses values that are not strings', () => {
    for (const value of [null, undefined, 1, ['a'], { toString: () => 'a' }])
      expect(() => assertStorageKey(value as unknown as string)).toThrow(/expected a string/)
  })

  it('lets nothing through that leaves its folder or has odd characters', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('a', '.', '..', '/', '\\', '-', 'CON', ' ', '\0', 'é', '~')),
        (parts) => {
          const key = parts.join('')
          if (storageKeyFault(key) !== undefined) return
          expect(key).toMatch(/^[A-Za-z0-9_][A-Za-z0-9._-]*(\/[A-Za-z0-9_][A-Za-z0-9._-]*)*$/)
          expect(new URL(key, 'http://h/root/').pathname).toBe(`/root/${key}`)
        },
      ),
      { seed: seedOf(1) },
    )
  })
})
