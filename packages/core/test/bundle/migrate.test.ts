import { describe, expect, it } from 'vitest'
import { bundleFromMarkdown, bundleToMarkdown } from '../../src/bundle/markdown.ts'
import { type Migration, migrateBundle, schemaVersion } from '../../src/bundle/migrate.ts'
import { parseBundle } from '../../src/bundle/schema.ts'
import { InvalidBundleError } from '../../src/errors.ts'
import { memoryStorage } from '../../src/storage/memory-storage.ts'
import { bundleStore } from '../../src/store/bundle-store.ts'
import { sampleBundle } from '../../src/testing/sample-bundle.ts'

const bytes = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value))

describe('migrateBundle', () => {
  it('leaves the current version as it is', () => {
    const bundle = sampleBundle()
    expect(bundle.schemaVersion).toBe(schemaVersion)
    expect(migrateBundle(bundle)).toBe(bundle)
  })

  it('takes an earlier version step by step to the current one', () => {
    const steps = new Map<number, Migration>([
      [0, ({ text, ...rest }) => ({ ...rest, summary: text })],
      [1, (bundle) => ({ ...bundle, words: `${bundle.summary}!` })],
    ])
    const old = Object.freeze({ schemaVersion: 0, text: 'done' })
    expect(migrateBundle(old, { steps, current: 1 })).toEqual({ schemaVersion: 1, summary: 'done' })
    expect(migrateBundle(old, { steps, current: 2 })).toEqual({
      schemaVersion: 2,
      summary: 'done',
      words: 'done!',
    })
    // Without a step the schema reports what is wrong.
    expect(migrateBundle(old)).toBe(old)
  })

  it('passes on what is not a bundle', () => {
    for (const value of [null, 1, 'x', [], {}, { schemaVersion: '2' }, { schemaVersion: 1.5 }])
      expect(migrateBundle(value)).toBe(value)
  })

  it('reports that a newer tenfold made it, everywhere a bundle is read', async () => {
    const newer = { ...sampleBundle(), schemaVersion: 2, moods: [] }
    const message = /made by a newer tenfold: its schema version is 2.*Update tenfold/
    expect(() => parseBundle(newer)).toThrow(message)
    expect(() => parseBundle(newer)).toThrow(InvalidBundleError)
    const storage = memoryStorage()
    await storage.put(`bundles/${newer.id}.json`, bytes(newer))
    await expect(bundleStore(storage).load(newer.id)).rejects.toThrow(message)
    const markdown = bundleToMarkdown(sampleBundle()).replace('tenfold: 1', 'tenfold: 2')
    expect(() => bundleFromMarkdown(markdown)).toThrow(message)
  })

  it('reports a newer history entry, and advises nobody to delete it', async () => {
    const storage = memoryStorage()
    await bundleStore(storage).save(sampleBundle())
    await storage.put('tracks/main/log/00000002.json', bytes({ schemaVersion: 2 }))
    await expect(bundleStore(storage).list()).rejects.toThrow(/made by a newer tenfold; update tenfold/)
  })

  it('still refuses a field that version 1 does not have', () => {
    expect(() => parseBundle({ ...sampleBundle(), moods: [] })).toThrow(/Unrecognized key: "moods"/)
  })
})
