import { readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { hasEnded, newLock, thisOwner } from '@tenfold/core/internal/locks'
import { describe, expect, it } from 'vitest'
import { holdLock } from '../src/lock/hold-lock.ts'
import { makeFolder } from './support/folder.ts'

describe('holdLock', () => {
  it('lets one holder in at a time, and names it to the others', async () => {
    const path = join(await makeFolder(), 'work.lock')
    const [first, ...others] = await Promise.all([1, 2, 3, 4].map(() => holdLock(path)))
    const all = [first, ...others]
    const holders = all.flatMap((lock) => (lock !== undefined && 'release' in lock ? [lock] : []))
    expect(holders).toHaveLength(1)
    expect(all.filter((lock) => lock !== undefined && 'heldBy' in lock)).toEqual(
      Array.from({ length: 3 }, () => ({ heldBy: thisOwner() })),
    )
    await holders[0]?.release()
    expect(await holdLock(path)).toHaveProperty('release')
  })

  it.each([
    ['a process that has ended', { ...thisOwner(), pid: 2 ** 22 + 1 }, 0, true],
    ['an earlier process with the same number', { ...thisOwner(), began: '1' }, 0, true],
    ['an earlier boot', { pid: 1, host: 'boot-1 pid:[1]' }, 0, true],
    ['a living process', thisOwner(), 60 * 60, false],
    ['nobody, a moment ago', undefined, 0, false],
    ['nobody, a while ago', undefined, 60, true],
  ])('takes over the lock of %s: %o, untouched for %i s: %s', async (_, owner, seconds, taken) => {
    const folder = await makeFolder()
    const path = join(folder, 'work.lock')
    writeFileSync(path, owner === undefined ? '' : JSON.stringify({ token: 'x', ...owner }))
    const then = Date.now() / 1000 - seconds
    utimesSync(path, then, then)
    const lock = await holdLock(path)
    // Without /proc the system reports neither boot nor start of a process.
    if (thisOwner().host !== undefined || owner === undefined) expect('release' in lock).toBe(taken)
    if ('release' in lock) {
      expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ pid: process.pid })
      await lock.release()
      expect(await readdir(folder)).toEqual([])
    }
  })

  it('does not remove a lock that others took over', async () => {
    const path = join(await makeFolder(), 'work.lock')
    const lock = await holdLock(path)
    const other = newLock()
    writeFileSync(path, other)
    if ('release' in lock) await lock.release()
    expect(readFileSync(path, 'utf8')).toBe(other)
  })
})

describe('hasEnded', () => {
  it('believes an earlier boot only if no other machine uses the folder', () => {
    const owner = { pid: 1, host: 'boot-1 pid:[1]' }
    expect(hasEnded(owner)).toBe(false)
    if (thisOwner().host !== undefined) expect(hasEnded(owner, true)).toBe(true)
  })
})
