import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { addAbortSignal } from 'node:stream'
import {
  type FoundFiles,
  findLogs,
  type LogInput,
  LogReadError,
  readSession,
  type Session,
} from '@tenfold/core'
import { cleanLine } from '@tenfold/core/internal'
import { type OpenLog, openLog } from '@tenfold/core/readers'
import type { Reading } from '../options/log-options.ts'
import { type Failure, FoundFailure, failureOf } from '../terminal/failure.ts'
import { countProgress, type ShowProgress } from '../terminal/progress.ts'
import type { CommandContext, Screen, Terminal } from '../terminal/terminal.ts'
import { formatCount, formatNumberOf, textOfCounts } from '../terminal/text.ts'
import { errorCode, unlessRefused } from '../terminal/thrown.ts'

export const logArgument = [
  '<log>',
  'path of a log or its folder, PATH#ID for one of several sessions, or - for stdin',
] as const

export const logArguments = 'paths of logs or folders (every log in them, oldest first), or - for stdin'

export function stdinTwice(logs: readonly string[]): string | undefined {
  return logs.filter((log) => log === '-').length > 1 ? 'expected - (stdin) only once' : undefined
}

export interface LogArgument {
  readonly log: string
  readonly failure?: Failure
  readonly track?: string
  /** Size in bytes and time of the last change, only for logs that were found in a folder. */
  readonly bytes?: number
  readonly changed?: number
}

interface GatherOptions {
  readonly reading: Reading
  /** A store below one of the folders, which is left out of the search. */
  readonly store?: string
  /** Leaves out logs in folders that have not changed since then. Logs that were named are always included. */
  readonly since?: Date | undefined
  readonly memory?: { readonly before: FoundFiles | undefined; remember(found: FoundFiles): void } | undefined
}

/**
 * The logs that the arguments name, each once. A folder means every log below it, oldest change first, so that the
 * newest becomes the LATEST of its track. Any other path is returned unchanged.
 */
export async function gatherLogs(
  paths: readonly string[],
  { since, ...options }: GatherOptions,
  context: Pick<CommandContext, 'terminal' | 'signal'>,
) {
  const given = new Map<string, LogArgument>()
  const add = (argument: LogArgument): void => {
    const key = argument.log === '-' ? '-' : resolve(argument.log)
    if (!given.has(key)) given.set(key, argument)
  }
  const folders: FoundFiles[] = []
  for (const path of paths) {
    // Other faults of the path are reported when it is read as a log.
    if (path === '-' || !unlessRefused(() => statSync(path).isDirectory(), false)) {
      add({ log: path })
      continue
    }
    try {
      const found = await filesOf(path, options, context)
      folders.push(found)
      for (const argument of argumentsOf(found)) add(argument)
      if (found.logs.length === 0)
        throw new LogReadError(
          'log-missing',
          `No log in a known format was found below ${path}; give a log or the folder that contains it.`,
        )
    } catch (error) {
      if (context.signal.aborted || errorCode(error) === undefined) throw error
      add({ log: path, failure: failureOf(error) })
    }
  }
  const logs = [...given.values()].filter(
    ({ changed }) => since === undefined || changed === undefined || changed >= since.getTime(),
  )
  return { logs, found: folders }
}

/** Returns the log's path, or throws the failure that was already found. */
export function readable({ log, failure }: LogArgument): string {
  if (failure !== undefined) throw new FoundFailure(failure)
  return log
}

async function filesOf(
  path: string,
  { reading, store, memory }: GatherOptions,
  { terminal, signal }: Pick<CommandContext, 'terminal' | 'signal'>,
): Promise<FoundFiles> {
  const progress = countProgress(terminal)
  const found = await findLogs(path, {
    before: memory?.before,
    readers: reading.readers,
    maxLogBytes: reading.maxLogBytes,
    signal,
    ...(store !== undefined && { except: [store] }),
    onProgress: (_, done, total) => progress('examining files', done, total),
  })
  memory?.remember(found)
  return found
}

/** Unreadable files may be logs, so they count as failed logs, as do damaged ones. */
function argumentsOf({ logs, skipped, skippedFolders }: FoundFiles): LogArgument[] {
  const unseen = [
    ...skipped.map((file) => ({ ...file, what: `${file.path} ${file.message}` })),
    ...skippedFolders.map((file) => ({ ...file, what: `${file.path} was not searched: ${file.message}` })),
  ].filter(({ code }) => code === 'unreadable')
  return [
    ...unseen.map(({ path, what }) => failed(path, what, 'Make it readable or move it away.')),
    ...logs.map(({ log, format, damaged, bytes, changed }) => {
      const what = `${log} is where ${format} keeps its logs, but contains no readable JSON; it may be damaged or truncated`
      return damaged ? failed(log, what, 'Restore it or move it away.') : { log, bytes, changed }
    }),
  ]
}

function failed(log: string, what: string, advice: string): LogArgument {
  return {
    log,
    failure: failureOf(new LogReadError('log-unreadable', `${what.replace(/\.?$/, '.')} ${advice}`)),
  }
}

export function foundJson({ files, logs, companions, skipped, skippedFolders }: FoundFiles) {
  const paths = new Set(logs.map(({ path }) => path))
  return { files, logs: paths.size, sessions: logs.length, companions, skipped, skippedFolders }
}

export function foundLines(folders: readonly FoundFiles[], { verbose, style }: Screen): string[] {
  return folders.flatMap((found) => [...(verbose ? reasonLines(found).map(style.dim) : []), countLine(found)])
}

export function tellFound(folders: readonly FoundFiles[], terminal: Terminal, say = terminal.say): void {
  if (terminal.json) for (const found of folders) terminal.printJson({ found: foundJson(found) })
  else if (folders.length > 0) say(foundLines(folders, terminal).join('\n'))
}

function reasonLines({ companions, skipped, skippedFolders }: FoundFiles): string[] {
  const lines = [
    ...companions.map(({ path, log, kind }) => `${path} ${relations[kind]} ${log}`),
    ...skipped.map(({ path, message }) => `${path} ${message}`),
    ...skippedFolders.map(({ path, message }) => `${path} was not searched: ${message}`),
  ]
  return lines.map(cleanLine)
}

const relations = {
  read: 'is read with',
  around: 'belongs to',
  'packed-copy': 'is a compressed copy of',
} as const

function countLine(found: FoundFiles): string {
  const { files, logs, sessions: count, companions, skipped, skippedFolders } = foundJson(found)
  const sessions = count > logs ? ` (${formatNumberOf(count, 'session')})` : ''
  const unseen = skipped.filter(({ code }) => code === 'unreadable').length
  const none = skipped.length - unseen
  const parts = textOfCounts(
    [1, `${formatNumberOf(logs, 'log')}${sessions}`],
    [companions.length, formatNumberOf(companions.length, 'side file')],
    [none, `${formatCount(none)} skipped`],
    [unseen, `${formatCount(unseen)} unreadable`],
  )
  const folders =
    skippedFolders.length > 0 ? `; ${formatNumberOf(skippedFolders.length, 'folder')} not searched` : ''
  return `${formatNumberOf(files, 'file')}: ${parts}${folders}`
}

export interface OpenArgumentOptions {
  readonly reading: Reading
  readonly signal: AbortSignal
}

/** The library's input for an argument. `-` is stdin; `signal` ends the wait for its next bytes. */
export function inputOf(log: string, signal: AbortSignal): LogInput {
  return log === '-' ? addAbortSignal(signal, process.stdin) : log
}

export async function openArgument(log: string, { reading, signal }: OpenArgumentOptions): Promise<OpenLog> {
  return await openLog(inputOf(log, signal), { ...reading, ...(log === '-' && { name: 'stdin' }) })
}

export async function readLog(
  log: string,
  { progress, ...options }: OpenArgumentOptions & { readonly progress: ShowProgress },
): Promise<{ readonly open: OpenLog; readonly session: Session }> {
  const { reading, signal } = options
  const open = await openArgument(log, options)
  const session = await readSession(open, {
    readers: reading.readers,
    format: reading.format,
    signal,
    onProgress: (bytes, total) =>
      progress(log, { step: 'read', bytes, ...(total !== undefined && { total }) }),
  })
  return { open, session }
}
