import { describe, expect, it } from 'vitest'
import { bundleFromMarkdown, bundleToMarkdown } from '../../src/bundle/markdown.ts'
import { parseBundle, refuseNewer } from '../../src/bundle/parse-bundle.ts'
import { InvalidBundleError } from '../../src/errors.ts'
import { memoryStorage } from '../../src/storage/memory-storage.ts'
import { bundleStore } from '../../src/store/bundle-store.ts'
import { sampleBundle } from '../../src/testing/sample-bundle.ts'

const bytes = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value))

describe('refuseNewer', () => {
  it('accepts bundles of this version, and values that are not bundles', () => {
    for (const value of [
      sampleBundle(),
      null,
      1,
      'x',
      [],
      {},
      { schemaVersion: '2' },
      { schemaVersion: 1.5 },
    ])
      expect(() => refuseNewer(value)).not.toThrow()
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

  it('reports a newer history entry, and does not advise deleting it', async () => {
    const storage = memoryStorage()
    await bundleStore(storage).save(sampleBundle())
    await storage.put('tracks/main/20260304T050607090Z-000000002.json', bytes({ schemaVersion: 2 }))
    await expect(bundleStore(storage).list()).rejects.toThrow(/made by a newer tenfold; update tenfold/)
  })

  it('still refuses a field that version 1 does not have', () => {
    expect(() => parseBundle({ ...sampleBundle(), moods: [] })).toThrow(/Unrecognized key: "moods"/)
  })

  it('checks a long list piece by piece, and names the item that is wrong', () => {
    const bundle = sampleBundle()
    const identifiers = Array.from({ length: 2001 }, (_, index) => `name-${index}`)
    expect(parseBundle({ ...bundle, identifiers })).toEqual({ ...bundle, identifiers })
    const wrong = identifiers.with(1700, 'two\nlines')
    expect(() => parseBundle({ ...bundle, identifiers: wrong })).toThrow(/identifiers\.1700: /)
  })
})
