import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { startProgramRunner } from '../support/run-programs.ts'
import { testFolder } from '../support/test-folder.ts'

const run = promisify(execFile)
const folder = resolve(import.meta.dirname, '../../examples')
const examples = readdirSync(folder).filter((name) => name.endsWith('.ts'))
const cwd = testFolder('all')()
const programs = startProgramRunner()

describe('examples', () => {
  it('are all in the list', () => expect(examples.length).toBeGreaterThan(3))

  it.each(examples)(
    'include %s, which runs, asserts what it claims, and leaves nothing behind',
    async (name) => {
      const program = join(folder, 'dist', name.replace(/\.ts$/, '.js'))
      const { stdout, stderr } = await programs.run(program, { cwd, env: { ...process.env, TMPDIR: cwd } })
      expect(stdout).not.toBe('')
      expect(stderr).toBe('')
      expect(readdirSync(cwd)).toEqual([])
    },
  )

  it('close what they open', () => programs.close())

  it('fail if what they claim does not hold', async () => {
    const program = join(folder, 'dist/batch-compress.js')
    await expect(run(process.execPath, [program, cwd])).rejects.toThrow(/there are no logs/)
  })
})
