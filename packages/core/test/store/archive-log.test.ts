import { createHash, randomBytes } from 'node:crypto'
import { brotliDecompressSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { seedOf } from '../../../../test/support/seed.ts'
import { LogReadError, StorageError } from '../../src/errors.ts'
import { logDigest } from '../../src/session/log-digest.ts'
import { memoryStorage } from '../../src/storage/memory-storage.ts'
import type { Storage } from '../../src/storage/storage.ts'
import type { ArchivableLog } from '../../src/store/archive/archive-log.ts'
import { formatSums, parseSums } from '../../src/store/archive/sums.ts'
import { bundleStore } from '../../src/store/bundle-store.ts'
import { archiveFileKey, archiveKey } from '../../src/store/keys.ts'
import { makeSession } from '../support/session.ts'

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')
const text = (value: string): Uint8Array => new TextEncoder().encode(value)

/** A log of files in memory that come in blocks of 1,000 bytes. */
function logOf(files: Record<string, Uint8Array>): ArchivableLog {
  return {
    files: Object.entries(files).map(([name, bytes]) => ({
      name,
      async *blocks() {
        for (let start = 0; start < bytes.byteLength; start += 1_000)
          yield bytes.subarray(start, start + 1_000)
      },
    })),
  }
}

/** What reading the files would report. */
function sourceOf(files: Record<string, Uint8Array>) {
  const infos = Object.entries(files).map(([name, bytes]) => ({
    name,
    bytes: bytes.byteLength,
    sha256: sha256(bytes),
    lines: 1,
  }))
  const bytes = infos.reduce((sum, info) => sum + info.bytes, 0)
  return { ...makeSession([]).source, files: infos, bytes, sha256: logDigest(infos) }
}

async function unpack(
  store: ReturnType<typeof bundleStore>,
  digest: string,
): Promise<Record<string, Uint8Array>> {
  const files: Record<string, Uint8Array> = {}
  for await (const file of store.readArchive(digest)) {
    const blocks: Uint8Array[] = []
    for await (const block of file.blocks()) blocks.push(block)
    files[file.name] = Uint8Array.from(Buffer.concat(blocks))
  }
  return files
}

describe('archive', () => {
  it('returns one file, compressed under its digest', async () => {
    const storage = memoryStorage()
    const store = bundleStore(storage)
    const files = { 'log.jsonl': text('{"type":"user","text":"hello"}\n'.repeat(500)) }
    const source = sourceOf(files)
    const archived = await store.archive(logOf(files), source)
    expect(archived).toMatchObject({
      key: archiveKey(source.sha256),
      sha256: source.sha256,
      bytes: source.bytes,
    })
    expect(archived.storedBytes).toBeLessThan(source.bytes / 20)
    expect(await unpack(store, source.sha256)).toEqual(files)
    expect(new TextDecoder().decode((await storage.get(archived.key))?.bytes)).toBe(
      `${source.sha256}  log.jsonl\n`,
    )
    expect(archiveFileKey(source.sha256)).toBe(`archive/${source.sha256.slice(0, 2)}/${source.sha256}.br`)
    expect((await storage.get(archiveFileKey(source.sha256)))?.bytes.byteLength).toBeGreaterThan(0)
  })

  it('returns several files, including empty ones and odd names; the list equals the output of sha256sum', async () => {
    const storage = memoryStorage()
    const store = bundleStore(storage)
    const files = {
      'main.jsonl': text('a\n'),
      'sub/agent 1.jsonl': new Uint8Array(),
      'cannot be compressed': Uint8Array.from(randomBytes(30_000)),
      'two\nlines\\.\r.jsonl': text('b\n'),
    }
    const source = sourceOf(files)
    await store.archive(logOf(files), source)
    expect(await unpack(store, source.sha256)).toEqual(files)
    const list = new TextDecoder().decode((await storage.get(archiveKey(source.sha256)))?.bytes)
    expect(list.split('\n')).toHaveLength(5)
    expect(list).toContain(`\\${sha256(text('b\n'))}  two\\nlines\\\\.\\r.jsonl\n`)
    const plain = { a: text('1'), b: text('2') }
    const { key, sha256: digest } = await store.archive(logOf(plain), sourceOf(plain))
    expect(sha256((await storage.get(key))?.bytes ?? text(''))).toBe(digest)
  })

  it('stores nothing twice, and does not read what is already stored', async () => {
    const storage = memoryStorage()
    let stored = 0
    const store = bundleStore({
      ...storage,
      async put(key, bytes, condition) {
        const put = await storage.put(key, bytes, condition)
        stored += key.endsWith('.br') ? 1 : 0
        return put
      },
    })
    const files = { 'log.jsonl': text('x'.repeat(9_000)) }
    const first = await store.archive(logOf(files), sourceOf(files))
    const unreadable: ArchivableLog = {
      files: [
        {
          name: 'log.jsonl',
          // biome-ignore lint/correctness/useYield: it fails before it could yield
          async *blocks() {
            throw new Error('read')
          },
        },
      ],
    }
    expect(await store.archive(unreadable, sourceOf(files))).toEqual(first)
    expect(stored).toBe(1)
  })

  it('archives the part that was read of a log that grew', async () => {
    const store = bundleStore(memoryStorage())
    const before = text('line\n'.repeat(777))
    const source = sourceOf({ log: before })
    await store.archive(logOf({ log: text('line\n'.repeat(2_000)) }), source)
    expect(await unpack(store, source.sha256)).toEqual({ log: before })
  })

  it('throws log-changed for a log that was rewritten, cut or lost a file', async () => {
    const storage = memoryStorage()
    const store = bundleStore(storage)
    const source = sourceOf({ log: text('line\n'.repeat(777)) })
    for (const log of [
      logOf({ log: text('Line\n'.repeat(777)) }),
      logOf({ log: text('line\n') }),
      logOf({ log: text('') }),
      logOf({}),
    ]) {
      const archiving = store.archive(log, source)
      await expect(archiving).rejects.toThrow(LogReadError)
      await expect(archiving).rejects.toMatchObject({ code: 'log-changed' })
    }
    for await (const { key } of storage.list('')) expect.unreachable(key)
  })

  it('stops at a signal', async () => {
    const files = { log: text('x') }
    const archiving = bundleStore(memoryStorage()).archive(logOf(files), sourceOf(files), {
      signal: AbortSignal.abort(),
    })
    await expect(archiving).rejects.toThrow(/abort/i)
  })
})

describe('readArchive', () => {
  it('reports what is missing or damaged', async () => {
    const storage = memoryStorage()
    const store = bundleStore(storage)
    const files = { log: text('x'.repeat(5_000)) }
    const source = sourceOf(files)
    const key = archiveFileKey(source.sha256)
    await expect(unpack(store, source.sha256)).rejects.toThrow(/holds no archived log/)
    await expect(unpack(store, '../up')).rejects.toThrow(/expected the SHA-256/)
    await store.archive(logOf(files), source)
    const packed = (await storage.get(key))?.bytes ?? text('')
    const other = await bundleStore(storage).archive(
      logOf({ b: text('other') }),
      sourceOf({ b: text('other') }),
    )
    const wrong: [RegExp, Uint8Array][] = [
      [/cannot be unpacked/, packed.slice(0, -1)],
      [/cannot be unpacked/, text('no brotli')],
      [
        /other bytes than were archived/,
        (await storage.get(archiveFileKey(other.sha256)))?.bytes ?? text(''),
      ],
    ]
    for (const [reason, bytes] of wrong) {
      await storage.put(key, bytes)
      await expect(unpack(store, source.sha256)).rejects.toThrow(reason)
      await expect(unpack(store, source.sha256)).rejects.toThrow(StorageError)
    }
    await storage.delete(key)
    await expect(unpack(store, source.sha256)).rejects.toThrow(/lacks archive/)
    await storage.put(archiveKey(source.sha256), text(`${other.sha256}  b\n`))
    await expect(unpack(store, source.sha256)).rejects.toThrow(/not the list of files of that log/)
  })
})

/** Redacts `secret` in a file, and counts how often. */
function redacting(files: Record<string, Uint8Array>): ArchivableLog {
  return {
    files: logOf(files).files.map((file) => ({
      ...file,
      async redact(original: AsyncIterable<Uint8Array>) {
        let replaced = 0
        return {
          blocks: (async function* () {
            const blocks: Uint8Array[] = []
            for await (const block of original) blocks.push(block)
            yield text(
              Buffer.concat(blocks)
                .toString()
                .replaceAll('secret', () => {
                  replaced++
                  return '[redacted:x]'
                }),
            )
          })(),
          get replaced() {
            return replaced
          },
          name: file.name,
        }
      },
    })),
  }
}

describe('redacted archive', () => {
  const files = { log: text('a secret\nb secret\n'), clean: text('c\n'), 'other\nname': text('secret') }
  const source = sourceOf(files)
  const clean = {
    log: text('a [redacted:x]\nb [redacted:x]\n'),
    clean: files.clean,
    'other\nname': text('[redacted:x]'),
  }

  async function stored(storage: Storage): Promise<string> {
    const objects: string[] = []
    for await (const { key } of storage.list('')) {
      const bytes = (await storage.get(key))?.bytes ?? text('')
      objects.push(
        key.endsWith('.br') ? brotliDecompressSync(bytes).toString() : Buffer.from(bytes).toString(),
      )
    }
    return objects.join('\n')
  }

  it('has the digest of the log as its key, records what was redacted, and never contains the original', async () => {
    const storage = memoryStorage()
    const store = bundleStore({
      ...storage,
      async put(key, bytes, condition) {
        const result = await storage.put(key, bytes, condition)
        expect(await stored(storage)).not.toContain('secret')
        return result
      },
    })
    const archived = await store.archive(redacting(files), source)
    expect(archived).toMatchObject({ key: archiveKey(source.sha256), sha256: source.sha256, redacted: 3 })
    expect(archived.originals).toBeUndefined()
    expect(await unpack(store, source.sha256)).toEqual(clean)
    const parts: (number | undefined)[] = []
    for await (const file of store.readArchive(source.sha256)) parts.push(file.redacted)
    expect(parts).toEqual([2, undefined, 1])
    const list = new TextDecoder().decode((await storage.get(archived.key))?.bytes)
    const infos = Object.entries(clean).map(([name, bytes]) => ({ name, sha256: sha256(bytes) }))
    expect(list).toBe(
      `# redacted: 3 in all, list ${logDigest(infos)}\n# redacted: 2\n${sha256(clean.log)}  log\n${sha256(clean.clean)}  clean\n# redacted: 1\n\\${sha256(clean['other\nname'])}  other\\nname\n`,
    )
    expect(await store.archive(redacting(files), source)).toEqual(archived)
  })

  it('is checked when it is read', async () => {
    const storage = memoryStorage()
    const store = bundleStore(storage)
    const { key } = await store.archive(redacting(files), source)
    const list = new TextDecoder().decode((await storage.get(key))?.bytes)
    const lines = list.split('\n')
    for (const damage of [
      lines.filter((_, index) => index !== 3).join('\n'),
      lines.slice(1).join('\n'),
      list.replace('# redacted: 2', '# redacted: 5'),
      list.replace('  clean', '  cleaned'),
      list.replace(sha256(clean.clean), sha256(clean.log)),
      `${list}# redacted: 1\n`,
    ]) {
      await storage.put(key, text(damage))
      await expect(unpack(store, source.sha256)).rejects.toThrow(/not the list of files of that log/)
    }
    await storage.put(key, text(list))
    await storage.put(archiveFileKey(sha256(clean.log)), text('no brotli'))
    await expect(unpack(store, source.sha256)).rejects.toThrow(/cannot be unpacked/)
  })

  it('replaces the original, and is not replaced by it', async () => {
    const storage = memoryStorage()
    const store = bundleStore(storage)
    expect((await store.archive(logOf(files), source)).redacted).toBe(0)
    const archived = await store.archive(redacting(files), source)
    expect(archived.redacted).toBe(3)
    expect(archived.originals).toEqual(
      [files.log, files['other\nname']].map((bytes) => archiveFileKey(sha256(bytes))),
    )
    for (const key of archived.originals ?? []) await storage.delete(key)
    expect(await unpack(store, source.sha256)).toEqual(clean)
    const again = await store.archive(logOf(files), source)
    expect(again).toMatchObject({ redacted: 3, storedBytes: archived.storedBytes })
    expect(await stored(storage)).not.toContain('secret')
  })

  it('throws log-changed if the bytes that were read are missing, and writes nothing', async () => {
    const storage = memoryStorage()
    const store = bundleStore(storage)
    const one = sourceOf({ log: files.log })
    for (const bytes of ['a Secret\nb secret\n', 'a secret\n', ''])
      await expect(store.archive(redacting({ log: text(bytes) }), one)).rejects.toMatchObject({
        code: 'log-changed',
      })
    for await (const { key } of storage.list('')) expect.unreachable(key)
    await store.archive(redacting({ log: text('a secret\nb secret\nand secret more') }), one)
    expect(await unpack(store, one.sha256)).toEqual({ log: clean.log })
  })
})

describe('sums', () => {
  it('read back as redacted', () => {
    const file = fc.record({
      name: fc.string({ unit: 'binary' }),
      sha256: fc.string().map((seed) => sha256(text(seed))),
      redacted: fc.integer({ min: 1 }),
    })
    const clean = fc.record({
      name: fc.constantFrom('# redacted: 1', 'a'),
      sha256: fc.constant('0'.repeat(64)),
    })
    fc.assert(
      fc.property(fc.array(fc.oneof(file, clean), { minLength: 1 }), (files) => {
        expect(parseSums(formatSums(files))).toEqual(files)
      }),
      { seed: seedOf(1) },
    )
  })

  it('refuse other text', () => {
    for (const value of ['', 'x', '\n', `${'0'.repeat(64)} one space\n`, `${'0'.repeat(64)}  no newline`])
      expect(parseSums(value)).toBeUndefined()
  })
})
