import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { testFolder } from '../../../test/support/test-folder.ts'
import { run } from './support/run.ts'

const bin = resolve(import.meta.dirname, '../bin/tenfold.js')
const at = testFolder('all')
beforeAll(() => {
  const program = at('tenfold')
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${bin}' "$@"\n`)
  chmodSync(program, 0o755)
})

/** What bash proposes after the words, the last of which is being typed. `files`: it completes names of files. */
async function proposed(...words: string[]): Promise<{ values: string[]; files: boolean }> {
  const { stdout: script } = await run(['completion', 'bash'], { cwd: at() })
  const line = words.join(' ')
  const code = `${script}
${script}
compopt() { printf 'option %s\n' "$1"; }
COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}) COMP_CWORD=${words.length - 1} COMP_LINE='${line}' COMP_POINT=${line.length}
$(complete -p tenfold | sed 's/.*-F \\([^ ]*\\) .*/\\1/') tenfold
printf '%s\n' "\${COMPREPLY[@]}"`
  const env = { PATH: `${at()}:${process.env.PATH}`, HOME: at() }
  const printed = execFileSync('bash', ['--norc', '-c', `{ ${code}\n} 2>&1`], {
    cwd: at(),
    env,
    encoding: 'utf8',
  })
  const lines = printed.split('\n').filter(Boolean)
  return { values: lines.filter((each) => !each.startsWith('option')), files: lines.includes('option -o') }
}

describe('completion in bash', () => {
  it('proposes commands, also those of a group', async () => {
    const commands = await proposed('tenfold', 'comp')
    expect(commands).toEqual({ values: ['compress', 'completion'], files: false })
    expect((await proposed('tenfold', 'checkpoint', 'sa')).values).toEqual(['save'])
  })

  it('proposes options and their values', async () => {
    expect((await proposed('tenfold', 'compress', '--max-ra')).values).toEqual(['--max-ratio'])
    expect((await proposed('tenfold', 'compress', '--kind', 'p')).values).toEqual(['plan', 'progress'])
    expect((await proposed('tenfold', 'install', 'gem')).values).toEqual(['gemini'])
    expect((await proposed('tenfold', 'sweep', '--agent', 'codex')).values).toEqual(['codex'])
    // That of a subagent, which only its log has.
    expect((await proposed('tenfold', 'recall', '--agent', '')).values).toEqual([])
  })

  it('leaves names of files to the shell', async () => {
    expect(await proposed('tenfold', 'compress', 'lo')).toEqual({ values: [], files: true })
    expect(await proposed('tenfold', 'view', '--output', '')).toEqual({ values: [], files: true })
    expect(await proposed('tenfold', 'compress', '--max-ratio', '')).toEqual({ values: [], files: false })
  })

  it('proposes tracks and bundles of the store', async () => {
    writeFileSync(at('notes.json'), '{"summary": "Chosen", "title": "Choice"}')
    const saved = await run(['save', 'notes.json', '--track', 'review', '--json'], { cwd: at() })
    const { id } = JSON.parse(saved.stdout)
    expect((await proposed('tenfold', 'list', '--track', 'r')).values).toEqual(['review'])
    expect((await proposed('tenfold', 'show', id.slice(0, 8))).values).toEqual([id])
    expect((await proposed('tenfold', 'show', 'L')).values).toEqual(['LATEST'])
  })

  it('runs nothing of what is typed', async () => {
    expect(await proposed('tenfold', 'show', '$(touch', 'ran)')).toMatchObject({ values: [] })
    expect(existsSync(at('ran'))).toBe(false)
  })
})

describe('completion', () => {
  it.each(['zsh', 'fish', 'powershell'])('prints a script for %s', async (shell) => {
    const ran = await run(['completion', shell], { cwd: at() })
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    expect(ran.stdout).toMatch(/tenfold.*complete/)
  })

  it('names the shells it has scripts for', async () => {
    const ran = await run(['completion', 'tcsh'], { cwd: at() })
    expect(ran).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('zsh, bash, fish') })
  })
})
