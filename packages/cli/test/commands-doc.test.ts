import { readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { run } from './support/run.ts'

// docs/commands.md is what the program prints. After a change of help: UPDATE_DOCS=1 npx vitest run packages/cli/test/commands-doc.test.ts
const path = resolve(import.meta.dirname, '../../../docs/commands.md')

const about =
  'What `tenfold help COMMAND` prints. Every command also has `-q, --quiet` (results, warnings and errors only), `-v, --verbose` (details too: every note, and why files of a folder were skipped) and `-h, --help`.'

async function helpOf(...command: string[]): Promise<string> {
  const { code, stdout } = await run([...command, '--help'], { cwd: tmpdir() })
  expect(code).toBe(0)
  return stdout.trimEnd()
}

function commandsIn(help: string): string[] {
  const lists = help
    .split('\n\n')
    .filter((part) => /^(?!Options|Examples|Arguments)[A-Z][a-z ]+:\n {2}[a-z]/.test(part))
  return [...lists.join('\n').matchAll(/^ {2}([a-z-]+)/gm)].flatMap(([, name = '']) =>
    name === 'help' ? [] : [name],
  )
}

/** The help without the options that every command has. */
function ownHelp(help: string): string {
  const own = help.replace(/^ {2}(?:-q, --quiet|-v, --verbose|-h, --help) .*\n?(?: {6,}.*\n?)*/gm, '')
  return own.replace(/\n(?:Options|Commands):\n(?=\n|$)/g, '').trimEnd()
}

async function sections(command: readonly string[]): Promise<string[]> {
  const help = await helpOf(...command)
  const own = `${'#'.repeat(Math.max(2, command.length + 1))} ${['tenfold', ...command].join(' ')}\n\n\`\`\`text\n${command.length === 0 ? help : ownHelp(help)}\n\`\`\`\n`
  const below: string[] = []
  for (const name of commandsIn(help)) below.push(...(await sections([...command, name])))
  return [own, ...below]
}

it('lists every command of the program with its help in docs/commands.md', async () => {
  const all = await sections([])
  expect(all.length).toBeGreaterThan(30)
  const text = `# Commands\n\n${about}\n\n${all.join('\n')}`
  if (process.env.UPDATE_DOCS !== undefined) writeFileSync(path, text)
  expect(readFileSync(path, 'utf8')).toBe(text)
})
