import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { cleanLine, cutHead } from '@tenfold/core'
import { programPath } from '../../../own-package.ts'
import { shellWord } from '../../../terminal/shell-word.ts'
import { ownMarker } from '../hook-agents.ts'
import type { HookScope } from './hook-settings.ts'

const maxTest = 15_000

/** How the hooks call tenfold, and what was wrong when that was tried; `fault` is absent if it runs. */
export interface TestedCommand {
  readonly command: string
  readonly fault?: string
}

/**
 * The command that runs tenfold from an agent: the given one, otherwise `tenfold` if the shell finds one that stays,
 * otherwise this very program. It is run once. A project's settings are for other machines too: `tenfold`.
 */
export async function testedCommand(
  agent: string,
  { command, scope }: { readonly command: string | undefined; readonly scope: HookScope },
): Promise<TestedCommand> {
  const own = `${shellWord(process.execPath)} ${shellWord(programPath)}`
  if (command !== undefined) return await tested(command, agent)
  if (scope === 'project') return await tested('tenfold', agent)
  if (isOnPath()) {
    const found = await tested('tenfold', agent)
    if (found.fault === undefined) return found
  }
  return await tested(own, agent)
}

/** The command without a test, to find hooks that are there. */
export function plainCommand(command: string | undefined, scope: HookScope): string {
  if (command !== undefined) return command
  return scope === 'project' || isOnPath()
    ? 'tenfold'
    : `${shellWord(process.execPath)} ${shellWord(programPath)}`
}

/** Whether the shell of an agent finds `tenfold`: npx and npm scripts add folders that others do not have. */
function isOnPath(): boolean {
  const names = process.platform === 'win32' ? ['tenfold.cmd', 'tenfold.exe'] : ['tenfold']
  const passing = /[\\/]_npx[\\/]|[\\/]node_modules[\\/]\.bin[\\/]?$/
  return (process.env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => folder !== '' && !passing.test(folder))
    .some((folder) => names.some((name) => existsSync(join(resolve(folder), name))))
}

/** Runs the command as the agent would, with an event that does nothing. */
async function tested(command: string, agent: string): Promise<TestedCommand> {
  const child = spawn(`${command} hook ${agent}`, {
    shell: true,
    stdio: ['pipe', 'ignore', 'pipe'],
    env: { ...process.env, PATH: lastingPath(), [ownMarker]: '1' },
    timeout: maxTest,
  })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = cutHead(said + text, 2000)
  })
  // It may end without reading.
  child.stdin.on('error', () => undefined)
  child.stdin.end('{"hook_event_name":"Test"}')
  const outcome = await new Promise<string>((done) => {
    child.once('error', (error) => done(error.message))
    child.once('close', (code, signal) => done(code === 0 ? '' : `it ended with ${code ?? signal}`))
  })
  if (outcome === '') return { command }
  const reason = cleanLine(said).slice(0, 300)
  return { command, fault: reason === '' ? outcome : `${outcome}: ${reason}` }
}

function lastingPath(): string {
  return (process.env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => !/[\\/]_npx[\\/]/.test(folder))
    .join(delimiter)
}
