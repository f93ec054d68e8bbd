import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fileFromPath } from '../../src/readers/log/log-file.ts'

describe('the blocks of a file on disk', () => {
  let folder = ''
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tenfold-blocks-'))
  })
  afterAll(() => rm(folder, { recursive: true }))

  it('hold its bytes in order, can be read again, and may differ in length', async () => {
    const path = join(folder, 'log')
    const bytes = Buffer.from(Array.from({ length: 200_000 }, (_, index) => index % 251))
    await writeFile(path, bytes)
    const file = await fileFromPath(path)
    for (let times = 0; times < 2; times++) {
      const blocks: Uint8Array[] = []
      for await (const block of file.blocks()) blocks.push(block)
      expect(Buffer.concat(blocks).equals(bytes)).toBe(true)
      expect(Math.max(...blocks.map((block) => block.byteLength))).toBeLessThanOrEqual(64 * 1024)
    }
  })

  it('are none if it is empty, and include what was written while it was read', async () => {
    const path = join(folder, 'growing')
    await writeFile(path, '')
    const file = await fileFromPath(path)
    for await (const block of file.blocks()) expect(block).toBeUndefined()
    await writeFile(path, 'a')
    const texts: string[] = []
    for await (const block of file.blocks()) {
      texts.push(Buffer.from(block).toString())
      if (texts.length === 1) await appendFile(path, 'b')
    }
    expect(texts).toEqual(['a', 'b'])
  })

  it('end early without an error, and report if the file is gone', async () => {
    const path = join(folder, 'gone')
    await writeFile(path, 'a'.repeat(100_000))
    const file = await fileFromPath(path)
    for await (const block of file.blocks()) {
      expect(block.byteLength).toBeGreaterThan(0)
      break
    }
    await rm(path)
    const read = async (): Promise<void> => {
      for await (const block of file.blocks()) expect(block).toBeUndefined()
    }
    await expect(read()).rejects.toMatchObject({
      code: 'log-unreadable',
      message: expect.stringContaining(path),
    })
  })
})
