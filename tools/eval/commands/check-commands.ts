import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type CompressLogOptions, compressLog, TenfoldError } from '@tenfold/core'
import { atOnce } from '@tenfold/core/internal'
import { type CommandReason, markdownTable, type NextCommand, nextCommands } from '@tenfold/measure/internal'

/** The commands that one session's bundle proposes. */
interface SessionCommands {
  readonly name: string
  readonly commands: readonly NextCommand[]
}

export interface CommandCheck {
  readonly sessions: readonly SessionCommands[]
  /** Files that could not be compressed, each with the reason. */
  readonly skipped: readonly { readonly name: string; readonly reason: string }[]
}

/** Compresses the files and checks the commands of their next steps. */
export async function checkCommands(
  files: readonly NamedFile[],
  options: CompressLogOptions,
  onProgress: (text: string) => void,
): Promise<CommandCheck> {
  const sessions: SessionCommands[] = []
  const skipped: { name: string; reason: string }[] = []
  for (const [at, { name, path }] of files.entries()) {
    onProgress(`${at + 1} of ${files.length} ${name}`)
    try {
      const { bundle, session } = await compressLog(path, options)
      sessions.push({ name, commands: atOnce(nextCommands(bundle, session)) })
    } catch (error) {
      if (!TenfoldError.isInstance(error)) throw error
      skipped.push({ name, reason: error instanceof Error ? error.message : String(error) })
    }
  }
  return { sessions, skipped }
}

export interface NamedFile {
  readonly name: string
  readonly path: string
}

/** Every file below a folder, sorted, named relative to it. */
export async function filesBelow(folder: string): Promise<NamedFile[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((path) => ({ name: path.slice(folder.length).replace(/^[\\/]/, ''), path }))
}

const reasons: readonly CommandReason[] = ['failing', 'proposed', 'unfinished', 'repeated', 'neither']

/** The counts, and each command that needs review or should not be in a bundle. */
export function renderCommands({ sessions, skipped }: CommandCheck): string {
  const all = sessions.flatMap(({ name, commands }) => commands.map((command) => ({ name, ...command })))
  const count = (reason: CommandReason) => all.filter((command) => command.reason === reason).length
  const without = sessions.filter(({ commands }) => commands.length === 0).length
  return [
    markdownTable(
      ['reason', 'commands'],
      reasons.map((reason) => [reason, String(count(reason))]),
    ),
    '',
    `${sessions.length} sessions, ${without} of them without a command; ${skipped.length} files are not readable logs`,
    `${count('neither')} commands in next steps were neither proposed nor failing`,
    ...all
      .filter(({ reason }) => reason === 'neither' || reason === 'repeated' || reason === 'unfinished')
      .map(({ name, command, reason }) => `- ${reason}: ${name}: ${command}`),
    ...skipped.map(({ name, reason }) => `- skipped: ${name}: ${reason}`),
  ].join('\n')
}
