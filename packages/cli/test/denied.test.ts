import { chmodSync, mkdirSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { testFolder } from '../../../test/support/test-folder.ts'
import { writeClaudeLog } from './support/claude-log.ts'
import { type Ran, run, runAlone } from './support/run.ts'

const at = testFolder('all')

beforeAll(() => {
  writeClaudeLog(at('log.jsonl'), { session: 's-1', rounds: 1 })
  for (const [name, mode] of [
    ['closed', 0o555],
    ['state', 0o777],
    ['', 0o755],
  ] as const) {
    mkdirSync(at(name), { recursive: true })
    chmodSync(at(name), mode)
  }
})

/** Runs as a user who may not write to `closed`. */
const asUser = (args: readonly string[], env: Record<string, string>): Promise<Ran> =>
  runAlone(args, { cwd: at(), env, bound: true })

describe('a store that cannot be written', () => {
  it.skipIf(process.platform === 'win32')('is reported with what to do', async () => {
    const store = at('closed', 'store')
    const ran = await asUser(['compress', at('log.jsonl'), '--store', store], { HOME: at('state') })
    expect(ran).toMatchObject({ code: 1, stdout: '' })
    expect(ran.stderr).toContain(`cannot write ${store}/`)
    expect(ran.stderr).toContain(
      'check the owner and the mode of the folder, or use another folder (--store DIR or TENFOLD_STORE).',
    )
  })

  it('is made, with a warning, if only the folder of the state cannot be written', async () => {
    const [store, state] = [at('open-store'), at('log.jsonl', 'state')]
    const env = { TENFOLD_HOME: state }
    const ran = await run(['compress', '--quiet', at('log.jsonl'), '--store', store], {
      cwd: at(),
      env,
    })
    expect(ran).toMatchObject({ code: 0, stdout: '' })
    expect(ran.stderr).toMatch(/^warning: .* cannot be written: ENOTDIR.*\. So hooks will not use/)
    expect(ran.stderr).toContain(`${state} cannot be written`)
    expect(ran.stderr).toContain(`then run: tenfold trust ${store}`)
  })

  it('is reported in the same words if a file is in its path', async () => {
    const store = at('log.jsonl', 'store')
    const ran = await run(['compress', at('log.jsonl'), '--store', store], { cwd: at() })
    expect(ran.code).toBe(1)
    expect(ran.stderr).toMatch(/a file is where a folder is needed .*; use another folder \(--store DIR or/)
    expect(ran.stderr).not.toContain('key')
  })
})

describe.skipIf(process.platform === 'win32')('a file of the user', () => {
  it('is named if an installation cannot write it, and what to do is said', async () => {
    const env = { HOME: at('closed'), TENFOLD_HOME: at('state') }
    const ran = await asUser(['install', 'cursor'], env)
    expect(ran).toMatchObject({ code: 1, stdout: '' })
    expect(ran.stderr).toContain(
      `error: ${at('closed', '.cursor', 'hooks.json')} cannot be written: EACCES: permission denied`,
    )
    expect(ran.stderr).toContain('Check the owner and the mode of its folder, or use --project for')
  })

  it('is named if it is the state of a sweep', async () => {
    const env = { HOME: at('state'), TENFOLD_HOME: at('closed', 'tenfold') }
    const ran = await asUser(['sweep'], env)
    expect(ran).toMatchObject({ code: 1, stdout: '' })
    expect(ran.stderr).toContain(`error: ${at('closed', 'tenfold')} cannot be written: EACCES`)
    expect(ran.stderr).toContain('Set TENFOLD_HOME to a folder that you can write to')
  })
})
