import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { testFolder } from '../../../test/support/test-folder.ts'
import { replaceFile } from '../src/terminal/user-files.ts'

const at = testFolder('each')
async function* breaksOff() {
  yield 'half'
  throw new Error('no more')
}

describe('replaceFile', () => {
  it('writes a new file, and leaves nothing else', async () => {
    await replaceFile(at('a.txt'), ['one ', Buffer.from('two')])
    expect(readFileSync(at('a.txt'), 'utf8')).toBe('one two')
    expect(readdirSync(at())).toEqual(['a.txt'])
  })

  it('leaves the earlier file whole if the pieces break off', async () => {
    writeFileSync(at('a.txt'), 'mine')
    await expect(replaceFile(at('a.txt'), breaksOff())).rejects.toThrow('no more')
    await expect(replaceFile(at('b.txt'), breaksOff())).rejects.toThrow('no more')
    const stopped = replaceFile(at('a.txt'), ['x'], { signal: AbortSignal.abort() })
    await expect(stopped).rejects.toMatchObject({ name: 'AbortError' })
    expect(readFileSync(at('a.txt'), 'utf8')).toBe('mine')
    expect(readdirSync(at())).toEqual(['a.txt'])
  })

  it('names the file if its folder is missing, or if it is a folder', async () => {
    await expect(replaceFile(at('none', 'a.txt'), ['x'])).rejects.toThrow(at('none', 'a.txt'))
    mkdirSync(at('folder'))
    await expect(replaceFile(at('folder'), ['x'])).rejects.toMatchObject({ code: 'EISDIR' })
  })

  it.skipIf(process.platform === 'win32')('keeps the mode, and the link to the file', async () => {
    writeFileSync(at('a.txt'), 'old')
    chmodSync(at('a.txt'), 0o600)
    symlinkSync('a.txt', at('link.txt'))
    await replaceFile(at('link.txt'), ['new'])
    expect(readFileSync(at('a.txt'), 'utf8')).toBe('new')
    expect(statSync(at('a.txt')).mode & 0o777).toBe(0o600)
    expect(lstatSync(at('link.txt')).isSymbolicLink()).toBe(true)
  })

  it.skipIf(process.platform === 'win32')(
    'writes the file that a link points to if it is not there yet',
    async () => {
      symlinkSync('b.txt', at('second.txt'))
      symlinkSync('second.txt', at('first.txt'))
      await replaceFile(at('first.txt'), ['new'])
      expect(readFileSync(at('b.txt'), 'utf8')).toBe('new')
      expect(lstatSync(at('first.txt')).isSymbolicLink()).toBe(true)
      expect(lstatSync(at('second.txt')).isSymbolicLink()).toBe(true)
    },
  )

  it.skipIf(process.platform === 'win32')('writes into a pipe instead of replacing it', async () => {
    execFileSync('mkfifo', [at('pipe')])
    const [read] = await Promise.all([readFile(at('pipe'), 'utf8'), replaceFile(at('pipe'), ['through'])])
    expect(read).toBe('through')
    expect(lstatSync(at('pipe')).isFIFO()).toBe(true)
  })
})
