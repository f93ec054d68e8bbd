import { mkdir, readdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { TenfoldError } from '@tenfold/core'
import { cleanLine } from '@tenfold/core/internal'
import { type IndexEntry, indexEntry, renderIndex, renderPageData } from '@tenfold/view'
import { gatherLogs, type LogArgument, readable } from '../logs/gather-logs.ts'
import { openStore } from '../store/open-store.ts'
import { type ExitCode, exitCodes } from '../terminal/exit-codes.ts'
import { failureOfLog } from '../terminal/failure.ts'
import { formatNumberOf } from '../terminal/numbers.ts'
import { writeOutput } from '../terminal/replace-file.ts'
import type { CommandContext } from '../terminal/terminal.ts'
import { messageOf } from '../terminal/thrown.ts'
import { makeView } from './make-view.ts'
import { assertOurs, show } from './run-view.ts'
import type { ViewOptions } from './view-options.ts'

export async function viewAll(
  name: string | undefined,
  options: ViewOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const { terminal, signal } = context
  const folder = options.output ?? ''
  await openFolder(folder)
  const logs =
    name === undefined
      ? await storedSessions(options, context)
      : (await gatherLogs([name], options, context)).logs
  const entries: IndexEntry[] = []
  const names = new Set(['index'])
  let failed = 0
  let missing = 0
  for (const [index, argument] of logs.entries()) {
    try {
      const { page, bundle } = await makeView(readable(argument), options, context)
      const data = { ...page, ...(bundle !== undefined && { bundle }) }
      const href = `${freeName(page.session.id, names)}.html`
      await writeOutput(join(folder, href), [await renderPageData(data, signal)], { what: 'The page' })
      entries.push(indexEntry(data, href))
    } catch (error) {
      if (signal.aborted) {
        terminal.warn(`Interrupted: ${index} of ${formatNumberOf(logs.length, 'session')} written.`)
        return exitCodes.interrupted
      }
      const code = TenfoldError.isInstance(error) ? error.code : undefined
      if (code === 'out-failed') throw error
      if (code === 'no-archive') {
        missing += 1
        continue
      }
      terminal.fail(failureOfLog(argument.log, error).message)
      failed += 1
    }
  }
  const path = join(folder, 'index.html')
  await writeOutput(path, [renderIndex(entries)], { what: 'The page' })
  const rest = missing === 0 ? '' : `, ${formatNumberOf(missing, 'session')} without a log in the store`
  terminal.say(`${cleanLine(path)}  ${formatNumberOf(entries.length, 'session')}${rest}`)
  if (options.open) await show(pathToFileURL(resolve(path)).href, terminal)
  return failed > 0 ? exitCodes.failed : exitCodes.done
}

/** Makes the folder. Throws unless it is empty or has an index that is ours. */
async function openFolder(folder: string): Promise<void> {
  let found: string[]
  try {
    await mkdir(folder, { recursive: true })
    found = await readdir(folder)
  } catch (cause) {
    throw new TenfoldError('out-failed', `The folder cannot be made: ${messageOf(cause)}.`, { cause })
  }
  if (found.length > 0 && !found.includes('index.html'))
    throw new TenfoldError(
      'out-exists',
      `${folder} contains files and no index of tenfold; choose another folder with -o.`,
    )
  await assertOurs(join(folder, 'index.html'))
}

/** The newest bundle of each session in the store that has its log in the archive. */
async function storedSessions(options: ViewOptions, { terminal }: CommandContext): Promise<LogArgument[]> {
  const store = await openStore(options.store, terminal)
  const newest = new Map<string, string>()
  for (const { id, sessionId } of await store.list()) newest.set(sessionId, id)
  return [...newest.values()].map((log) => ({ log }))
}

function freeName(id: string, taken: Set<string>): string {
  const clean =
    id
      .replace(/[^\w.-]+/g, '-')
      .replace(/^[.-]+/, '')
      .slice(0, 80)
      .toLowerCase() || 'session'
  let name = clean
  for (let number = 2; taken.has(name); number++) name = `${clean}-${number}`
  taken.add(name)
  return name
}
