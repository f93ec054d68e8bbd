import { mkdtempSync, realpathSync, rmSync, utimesSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach } from 'vitest'

/** A folder: a new one for each test of a file, or one that all of them share. Returns the path of what is in it. */
export function testFolder(of: 'each' | 'all'): (...parts: string[]) => string {
  let folder = ''
  const make = (): void => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'tenfold-test-')))
  }
  const remove = (): void => rmSync(folder, { recursive: true, force: true })
  if (of === 'all') {
    make()
    afterAll(remove)
  } else {
    beforeEach(make)
    afterEach(remove)
  }
  return (...parts) => join(folder, ...parts)
}

/** Makes a file look as if it was last written to so many hours ago. Returns its path. */
export function age(path: string, hours: number): string {
  const time = new Date(Date.now() - hours * 3_600_000)
  utimesSync(path, time, time)
  return path
}
