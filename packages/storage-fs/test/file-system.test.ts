import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openFileOf } from '../src/file-system.ts'

describe('openFileOf', () => {
  it("flushes a handle that has no sync, as with Yarn's Plug'n'Play, and fails if the file is closed", async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tenfold-handle-'))
    const real = await open(join(folder, 'file'), 'wx')
    const file = openFileOf({
      fd: real.fd,
      read: (...given) => real.read(...given),
      write: (...given) => real.write(...given),
      stat: () => real.stat(),
      close: () => real.close(),
    })
    await file.write(Buffer.from('text'), 0, 4, 0)
    await file.sync()
    expect((await file.stat()).size).toBe(4)
    const closed = openFileOf({ ...file, fd: -1 })
    await expect(closed.sync()).rejects.toThrow()
    await file.close()
    await rm(folder, { recursive: true })
  })
})
