import { execFileSync } from 'node:child_process'
import { chmodSync, writeFileSync } from 'node:fs'
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

/** What bash proposes after the words, the last of which is being typed. */
async function proposed(...words: string[]): Promise<string[]> {
  const { stdout: script } = await run(['completion', 'bash'], { cwd: at() })
  const line = words.join(' ')
  // The package bash-completion, which not every machine has, defines this function.
  const code = `_get_comp_words_by_ref() { cur=\${COMP_WORDS[COMP_CWORD]}; words=("\${COMP_WORDS[@]}"); }
${script}
COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}) COMP_CWORD=${words.length - 1} COMP_LINE='${line}' COMP_POINT=${line.length}
$(complete -p tenfold | sed 's/.*-F \\([^ ]*\\) .*/\\1/') tenfold
printf '%s\\n' "\${COMPREPLY[@]}"`
  const env = { PATH: `${at()}:${process.env.PATH}`, HOME: at() }
  const printed = execFileSync('bash', ['--norc', '-c', code], { env, encoding: 'utf8', stdio: 'pipe' })
  return printed.split('\n').flatMap((text) => text.trim().split(/\s/)[0] || [])
}

describe('completion in bash', () => {
  it('proposes commands, also those of a group', async () => {
    expect(await proposed('tenfold', 'comp')).toEqual(expect.arrayContaining(['compress', 'completion']))
    expect(await proposed('tenfold', 'checkpoint', 'sa')).toEqual(['save'])
  })

  it('proposes options and their values', async () => {
    expect(await proposed('tenfold', 'compress', '--max-ra')).toEqual(['--max-ratio'])
    expect(await proposed('tenfold', 'compress', '--kind', 'p')).toEqual(['plan', 'progress'])
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
