import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { age, testFolder } from '../../../test/support/test-folder.ts'
import type { HookPayload } from '../src/background/hooks/hook-payload.ts'
import { markSession } from '../src/background/hooks/session-mark.ts'

const state = testFolder('each')
beforeEach(() => {
  vi.stubEnv('TENFOLD_HOME', state())
})
afterEach(() => {
  vi.unstubAllEnvs()
})

const session = (name: string): HookPayload => ({
  ...{ agent: 'cline', event: 'SessionStart', session: name },
  subagent: {},
})
const marks = (): string[] => readdirSync(state('begun'))
/** Writes marks of other sessions that were last used so many days ago. */
function writeMarks(names: readonly string[], days: number): void {
  mkdirSync(state('begun'), { recursive: true })
  for (const name of names) {
    writeFileSync(state('begun', name), '')
    age(state('begun', name), days * 24)
  }
}
const hashes = (count: number): string[] =>
  Array.from({ length: count }, (_, at) => at.toString(16).padStart(32, '0'))

describe('session marks', () => {
  it('deletes those that are older than 30 days when a session begins', () => {
    const [old = '', young = ''] = hashes(2)
    writeMarks([old], 31)
    writeMarks([young], 29)
    markSession(session('s-1'), { brief: 'bundle-1' })
    expect(marks()).not.toContain(old)
    expect(marks()).toContain(young)
  })

  it('keeps the mark of a session that is still used, however long ago it began', () => {
    markSession(session('s-1'), { brief: 'bundle-1' })
    const [name = ''] = marks()
    age(state('begun', name), 31 * 24)
    expect(markSession(session('s-1'), {})?.brief).toBe('bundle-1')
    markSession(session('s-2'), { brief: 'bundle-2' })
    expect(markSession(session('s-1'), {})?.brief).toBe('bundle-1')
  })

  it('leaves files that are not its own, and says why one could not be deleted', () => {
    const [folder = ''] = hashes(1)
    mkdirSync(state('begun', folder), { recursive: true })
    writeMarks(['README'], 31)
    age(state('begun', folder), 31 * 24)
    markSession(session('s-1'), { brief: 'bundle-1' })
    expect(markSession(session('s-1'), {})?.brief).toBe('bundle-1')
    expect(marks()).toEqual(expect.arrayContaining([folder, 'README']))
    expect(readFileSync(state('hooks.log'), 'utf8')).toContain('old session marks were not deleted')
  })
})
