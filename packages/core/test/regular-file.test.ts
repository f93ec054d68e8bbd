import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import type * as FileSystem from 'node:fs/promises'
import { describe, expect, it, vi } from 'vitest'
import { testFolder } from '../../../test/support/test-folder.ts'
import { readRegularFile, regularFileBlocks, startOfRegularFile } from '../src/regular-file.ts'

/** A file of a drive that no longer answers: opening it works, reading it never ends. */
const stuck = vi.hoisted(() => ({ name: 'stuck' }))

vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof FileSystem>()
  const open: typeof real.open = async (path, ...rest) => {
    const file = await real.open(path, ...rest)
    if (String(path).endsWith(stuck.name)) file.read = () => new Promise(() => {})
    return file
  }
  return { ...real, open }
})

const at = testFolder('each')

describe('a file that someone else may have put there', () => {
  it('is read if it is a regular one', async () => {
    writeFileSync(at('a'), 'abcdef')
    expect((await readRegularFile(at('a'))).toString()).toBe('abcdef')
    expect((await readRegularFile(at('a'), { start: 4 })).toString()).toBe('ef')
    expect((await startOfRegularFile(at('a'), 3)).toString()).toBe('abc')
    const blocks: string[] = []
    for await (const block of regularFileBlocks(at('a'), { blockBytes: 4 })) blocks.push(block.toString())
    expect(blocks).toEqual(['abcd', 'ef'])
  })

  it.skipIf(process.platform === 'win32')('is refused if it is a pipe, a device or a folder', async () => {
    execFileSync('mkfifo', [at('pipe')])
    mkdirSync(at('folder'))
    symlinkSync(at('pipe'), at('link'))
    for (const path of [at('pipe'), at('link'), at('folder'), '/dev/zero'])
      await expect(readRegularFile(path)).rejects.toMatchObject({ code: 'EINVAL', syscall: 'open' })
  })

  it('is refused above a limit, and as a link if links are not followed', async () => {
    writeFileSync(at('a'), 'abcdef')
    symlinkSync(at('a'), at('link'))
    await expect(readRegularFile(at('a'), { maxBytes: 5 })).rejects.toMatchObject({ code: 'EFBIG' })
    expect((await readRegularFile(at('link'))).toString()).toBe('abcdef')
    await expect(readRegularFile(at('link'), { links: false })).rejects.toMatchObject({ code: 'ELOOP' })
  })

  it('is given up if the drive does not answer', async () => {
    writeFileSync(at(stuck.name), 'abcdef')
    await expect(readRegularFile(at(stuck.name), { timeout: 50 })).rejects.toMatchObject({
      code: 'ETIMEDOUT',
    })
  })
})
