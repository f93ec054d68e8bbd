import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { logDigest } from '../../src/session/log-digest.ts'
import { memoryStorage } from '../../src/storage/memory-storage.ts'
import type { Storage } from '../../src/storage/storage.ts'
import type { ArchivableFile, ArchivableLog } from '../../src/store/archive/archive-log.ts'
import { stageInMemory } from '../../src/store/archive/pack-file.ts'
import { bundleStore } from '../../src/store/bundle-store.ts'
import { archiveFileKey } from '../../src/store/keys.ts'
import { makeSession } from '../support/session.ts'

const large = 33 * 1024 * 1024
const line = `${'{"type":"user","text":"hello"}'.padEnd(1023)}\n`
const block = Buffer.from(line.repeat(1024))

async function* blocks(of = block): AsyncGenerator<Uint8Array> {
  for (let sent = 0; sent < large; sent += of.length) yield of
}

const source = (() => {
  const hash = createHash('sha256')
  for (let sent = 0; sent < large; sent += block.length) hash.update(block)
  const files = [{ name: 'log.jsonl', bytes: large, sha256: hash.digest('hex'), lines: large / 1024 }]
  return { ...makeSession([]).source, files, bytes: large, sha256: logDigest(files) }
})()
const key = archiveFileKey(source.files[0]?.sha256 ?? '')

function logOf(file: Partial<ArchivableFile> = {}): ArchivableLog {
  return { files: [{ name: 'log.jsonl', blocks: () => blocks(), ...file }] }
}

/** A storage that counts what it stages, what of it was put or discarded, and puts in one piece. */
function stagingStorage(failWrite = false) {
  const storage = memoryStorage()
  const counts = { staged: 0, writes: 0, put: 0, discarded: 0, whole: 0 }
  const staging: Storage = {
    ...storage,
    put(...args) {
      if (args[0].endsWith('.br')) counts.whole++
      return storage.put(...args)
    },
    async stage() {
      counts.staged++
      const staged = stageInMemory(storage, 0)
      let isOpen = true
      return {
        async write(bytes) {
          counts.writes++
          if (failWrite) throw new Error('no room')
          await staged.write(bytes)
        },
        async put(...args) {
          counts.put++
          isOpen = false
          return await staged.put(...args)
        },
        async discard() {
          if (isOpen) counts.discarded++
          isOpen = false
        },
      }
    },
  }
  return { storage: staging, counts }
}

describe('the archive of a large file', () => {
  it('is staged in pieces, and its bytes are those that a storage without staging gets', async () => {
    const { storage, counts } = stagingStorage()
    await bundleStore(storage).archive(logOf(), source)
    expect(counts).toEqual({ ...counts, staged: 1, put: 1, discarded: 0, whole: 0 })
    const plain = memoryStorage()
    await bundleStore(plain).archive(logOf(), source)
    const stored = (await storage.get(key))?.bytes
    expect(Buffer.compare(stored ?? block, (await plain.get(key))?.bytes ?? block)).toBe(0)
  })

  it('leaves nothing staged if the log changed, if a write fails, or if the run is aborted', async () => {
    const changed = stagingStorage()
    const other = Buffer.from(block).fill(0x20, 0, 5)
    const rewritten = bundleStore(changed.storage).archive(logOf({ blocks: () => blocks(other) }), source)
    await expect(rewritten).rejects.toMatchObject({ code: 'log-changed' })
    expect(changed.counts).toMatchObject({ staged: 1, put: 0, discarded: 1 })
    const full = stagingStorage(true)
    await expect(bundleStore(full.storage).archive(logOf(), source)).rejects.toThrow('no room')
    expect(full.counts).toMatchObject({ staged: 1, put: 0, discarded: 1 })
    const stopped = stagingStorage()
    const stop = new AbortController()
    const stopping = async function* () {
      for await (const each of blocks()) {
        yield each
        stop.abort(new Error('stopped'))
      }
    }
    const archiving = bundleStore(stopped.storage).archive(logOf({ blocks: stopping }), source, stop)
    await expect(archiving).rejects.toThrow()
    expect(stopped.counts).toMatchObject({ staged: 1, put: 0, discarded: 1 })
  })

  it('leaves nothing staged if it was packed to look for secrets, and is in the store already', async () => {
    const { storage, counts } = stagingStorage()
    const unchanged = logOf({
      redact: async (original) => ({ name: 'log.jsonl', replaced: 0, blocks: original }),
    })
    await bundleStore(storage).archive(unchanged, source)
    expect(counts).toMatchObject({ staged: 1, put: 1, discarded: 0 })
    await bundleStore(storage).archive(unchanged, source)
    expect(counts).toMatchObject({ staged: 2, put: 1, discarded: 1 })
    // Its text differs from its bytes, as that of a packed log does: the bytes are packed again.
    const unpacked = logOf({
      async redact(original) {
        for await (const _ of original);
        return { name: 'log.jsonl', replaced: 0, blocks: (async function* () {})() }
      },
    })
    await bundleStore(storage).archive(unpacked, source)
    expect(counts).toMatchObject({ staged: 3, put: 1, discarded: 2 })
  })

  it('that is small is put in one piece', async () => {
    const { storage, counts } = stagingStorage()
    const bytes = Buffer.from(line)
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    const files = [{ name: 'log.jsonl', bytes: bytes.length, sha256, lines: 1 }]
    const small = { ...source, files, bytes: bytes.length, sha256: logDigest(files) }
    const log = logOf({
      async *blocks() {
        yield bytes
      },
    })
    await bundleStore(storage).archive(log, small)
    expect(counts).toEqual({ staged: 0, writes: 0, put: 0, discarded: 0, whole: 1 })
  })
})
