import { spawn } from 'node:child_process'
import { open as openFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { TenfoldError } from '@tenfold/core'
import { cleanLine } from '@tenfold/core/internal'
import { pageMark, renderPageData } from '@tenfold/view'
import { failureOf } from '../terminal/failure.ts'
import { reasonOf } from '../terminal/given-file.ts'
import { untilAborted } from '../terminal/interrupt.ts'
import { formatBytes, formatNumberOf } from '../terminal/numbers.ts'
import { writeOutput } from '../terminal/replace-file.ts'
import type { CommandContext } from '../terminal/terminal.ts'
import { errorCode } from '../terminal/thrown.ts'
import { makeView, type View } from './make-view.ts'
import { type Followed, followLog, serveView } from './serve-view.ts'
import type { ViewOptions } from './view-options.ts'

export async function runView(name: string, options: ViewOptions, context: CommandContext): Promise<void> {
  const view = await makeView(name, options, context)
  if (options.serve === undefined) await writeView(view, options, context)
  else await serveLog(view, options.serve === true ? 0 : options.serve, options, context)
}

async function writeView(view: View, options: ViewOptions, { terminal }: CommandContext): Promise<void> {
  const { page, bundle, source } = view
  const html = await renderPageData({ ...page, ...(bundle !== undefined && { bundle }) })
  if (options.output === '-') return terminal.write(html)
  const path = options.output ?? `${source.name}.html`
  if (options.output === undefined) await assertOurs(path)
  await writeOutput(path, [html], { what: 'The page' })
  const size = formatBytes(Buffer.byteLength(html))
  terminal.say(`${cleanLine(path)}  ${formatNumberOf(page.events.length, 'event')}, ${size}`)
  if (options.open) await show(pathToFileURL(resolve(path)).href, terminal)
}

export async function assertOurs(path: string): Promise<void> {
  let head: string
  try {
    const file = await openFile(path)
    try {
      const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(pageMark.length), position: 0 })
      head = buffer.toString('utf8', 0, bytesRead)
    } finally {
      await file.close()
    }
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return
    throw new TenfoldError('out-failed', `${cleanLine(path)} cannot be read: ${reasonOf(error)}.`)
  }
  if (head !== pageMark)
    throw new TenfoldError(
      'out-exists',
      `${path} exists and is not a page of tenfold; choose another name with -o.`,
    )
}

async function serveLog(
  view: View,
  port: number,
  options: ViewOptions,
  { terminal, signal }: CommandContext,
): Promise<void> {
  const { source, bundle } = view
  let fault = ''
  let now: Followed = { ...view.page, revision: Date.now() }
  const server = await serveView({ port, page: () => ({ ...now, ...(bundle !== undefined && { bundle }) }) })
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
          // Report a missing log once, not at every check.
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
    await openBrowser(target)
  } catch (error) {
    terminal.warn(`warning: no browser could be opened (${failureOf(error).message}); the page is ${target}`)
  }
}

async function openBrowser(target: string): Promise<void> {
  const [program, args] = openerOf(target)
  await new Promise<void>((done, fail) => {
    const child = spawn(program, args, { stdio: 'ignore', detached: true })
    child.once('error', fail)
    child.once('spawn', () => {
      child.unref()
      done()
    })
  })
}

function openerOf(target: string): [program: string, args: string[]] {
  if (process.platform === 'darwin') return ['open', [target]]
  // `start` is a built-in of cmd, and would take the first quoted argument for the title of a window.
  if (process.platform === 'win32') return ['explorer.exe', [target]]
  return ['xdg-open', [target]]
}
