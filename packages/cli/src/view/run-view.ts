import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type FileHandle, mkdir, open as openFile, readdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { TenfoldError } from '@tenfold/core'
import { cleanLine } from '@tenfold/core/internal'
import { type IndexEntry, indexEntry, pageMark, renderIndex, renderPageData } from '@tenfold/view'
import { gatherLogs, type LogArgument, readable } from '../logs/gather-logs.ts'
import { openStore } from '../store/open-store.ts'
import { failureOf, failureOfLog } from '../terminal/failure.ts'
import { type CommandContext, exitCodes, untilAborted } from '../terminal/terminal.ts'
import { formatBytes, formatNumberOf } from '../terminal/text.ts'
import { errorCode, messageOf } from '../terminal/thrown.ts'
import { reasonOf, writeOutput } from '../terminal/user-files.ts'
import { makeView, type View } from './make-view.ts'
import { type Followed, followLog, serveView } from './serve-view.ts'
import type { ViewOptions } from './view-options.ts'

export async function runView(name: string, options: ViewOptions, context: CommandContext): Promise<void> {
  const view = await makeView(name, options, context)
  if (options.serve === undefined) await writeView(view, options, context)
  else await serveLog(view, options.serve === true ? 0 : options.serve, options, context)
}

async function writeView(view: View, options: ViewOptions, { terminal }: CommandContext): Promise<void> {
  const { page, source } = view
  const html = await renderPageData(page)
  if (options.output === '-') return terminal.write(html)
  const path = options.output ?? `${source.name}.html`
  if (options.output === undefined) await assertOurs(path)
  await writeOutput(path, [html], { what: 'The page' })
  const size = formatBytes(Buffer.byteLength(html))
  terminal.say(`${cleanLine(path)}  ${formatNumberOf(page.events.length, 'event')}, ${size}`)
  if (options.open) await show(pathToFileURL(resolve(path)).href, terminal)
}

async function assertOurs(path: string): Promise<void> {
  let file: FileHandle | undefined
  let head = ''
  try {
    file = await openFile(path)
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(pageMark.length), position: 0 })
    head = buffer.toString('utf8', 0, bytesRead)
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return
    throw new TenfoldError('out-failed', `${cleanLine(path)} cannot be read: ${reasonOf(error)}.`)
  } finally {
    await file?.close()
  }
  if (head !== pageMark)
    throw new TenfoldError(
      'out-exists',
      `${path} exists and is not a page of tenfold; choose another name with -o.`,
    )
}

async function serveLog(view: View, port: number, options: ViewOptions, context: CommandContext) {
  const { terminal, signal } = context
  const { source, page } = view
  let fault = ''
  let now: Followed = { ...page, revision: Date.now() }
  const server = await serveView(port, () => ({ ...page, ...now }))
  terminal.print(`${cleanLine(source.name)} at ${server.url} (press Ctrl-C to stop)`)
  try {
    if (options.open) await show(server.url, terminal)
    const { state } = source
    if (state === undefined) await untilAborted(signal)
    else
      await followLog(now, {
        state,
        read: view.again,
        onUpdate(next, update) {
          fault = ''
          now = next
          server.send(update)
        },
        onFault(error) {
          const { message } = failureOf(error)
          // Report each fault once, not at every check.
          if (message !== fault) terminal.warn(`warning: ${message}`)
          fault = message
        },
        signal,
      })
  } finally {
    await server.close()
  }
}

export async function show(target: string, terminal: CommandContext['terminal']): Promise<void> {
  try {
    const child = spawn(openers[process.platform] ?? 'xdg-open', [target], {
      stdio: 'ignore',
      detached: true,
    })
    await once(child, 'spawn')
    child.unref()
  } catch (error) {
    terminal.warn(`warning: no browser could be opened (${failureOf(error).message}); the page is ${target}`)
  }
}

// Not `start` on Windows: it is built into cmd and takes the first quoted argument as a window title.
const openers: Partial<Record<NodeJS.Platform, string>> = { darwin: 'open', win32: 'explorer.exe' }

export async function viewAll(name: string | undefined, options: ViewOptions, context: CommandContext) {
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
      const { page } = await makeView(readable(argument), options, context)
      const href = `${freeName(page.session.id, names)}.html`
      await writeOutput(join(folder, href), [await renderPageData(page, signal)], { what: 'The page' })
      entries.push(indexEntry(page, href))
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
