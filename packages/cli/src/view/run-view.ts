import { open as openFile, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { cleanLine, type Reader, TenfoldError, tiktokenCounter } from '@tenfold/core'
import {
  type PageData,
  pageBundle,
  pageMark,
  type ReadView,
  readView,
  renderPageData,
  withReplayed,
} from '@tenfold/view'
import { makeRedactors, type RedactOptions } from '../options/redact-options.ts'
import { findBundle } from '../store/find-bundle.ts'
import { openStore } from '../store/open-store.ts'
import type { CommandContext } from '../terminal/command-context.ts'
import { failureOf } from '../terminal/failure.ts'
import { formatBytes, formatNumberOf } from '../terminal/numbers.ts'
import { showProgress } from '../terminal/progress.ts'
import { errorCode, messageOf } from '../terminal/thrown.ts'
import { type Followed, followLog } from './follow-log.ts'
import { memoCounter } from './memo-counter.ts'
import { openBrowser } from './open-browser.ts'
import { serveView } from './serve-view.ts'
import { type FoundBundle, offlineBundle, storedBundle } from './view-bundle.ts'
import { logSource, type ViewSource, viewSource } from './view-source.ts'

/** Options of `tenfold view`, parsed and checked. */
export interface ViewOptions extends RedactOptions {
  readonly store: string
  readonly track: string
  /** `false`: no bundle at all; a text: the name of the bundle. */
  readonly bundle?: string | boolean | undefined
  readonly output?: string | undefined
  /** Port; `true` picks a free one. */
  readonly serve?: number | true | undefined
  readonly open?: true | undefined
  readonly replay?: string | undefined
  readonly format?: string | undefined
  readonly readers: readonly Reader[]
  readonly maxLogSize?: number | undefined
}

interface View {
  readonly source: ViewSource
  readonly page: ReadView['page']
  readonly bundle?: PageData['bundle']
  /** Reads the current state of the log again. */
  again(): Promise<ReadView['page']>
}

/** Shows a log: as a file, or served while it grows. */
export async function runView(name: string, options: ViewOptions, context: CommandContext): Promise<void> {
  const view = await makeView(name, options, context)
  if (options.serve === undefined) await writeView(view, options, context)
  else await serveLog(view, options.serve === true ? 0 : options.serve, options, context)
}

async function makeView(name: string, options: ViewOptions, context: CommandContext): Promise<View> {
  const { terminal, signal } = context
  const { track, readers, format, maxLogSize } = options
  const store = await openStore(options.store, terminal)
  const given = {
    ...{ store, track, readers, terminal, signal },
    format,
    maxLogSize,
  }
  const source = await viewSource(name, given)
  const progress = showProgress(terminal, options.output !== '-')
  const counter = memoCounter(tiktokenCounter())
  const redactors = await makeRedactors(options)
  const read = async (from: ViewSource): Promise<ReadView> => {
    const session = await from.read((bytes, total) =>
      progress.show(from.name, { step: 'read', bytes, ...(total !== undefined && { total }) }),
    )
    return readView(session, redactors, counter)
  }
  const main = await read(source)
  const earlier = options.replay === undefined ? undefined : await read(logSource(options.replay, given))
  const join = (view: ReadView): ReadView['page'] =>
    earlier === undefined ? view.page : withReplayed(earlier, view)
  progress.show(source.name, { step: 'plan', events: main.session.events.length })
  const found = source.bundle ?? (await bundleOf(main))
  progress.clear()
  const before = earlier?.page.events.length ?? 0
  return {
    source,
    page: join(main),
    ...(found !== undefined && { bundle: shown(found) }),
    async again() {
      counter.nextRound()
      const view = await read(source)
      progress.clear()
      return join(view)
    },
  }

  function shown({ bundle, from }: FoundBundle): PageData['bundle'] {
    const { redaction } = main
    // It may be older than the log, or made without redaction.
    redaction.learnValue(bundle)
    return redaction.redactValue(pageBundle(bundle, { from, before }))
  }

  async function bundleOf(view: ReadView): Promise<FoundBundle | undefined> {
    if (options.bundle === false) return undefined
    if (typeof options.bundle === 'string') {
      const bundle = await findBundle(options.bundle, given)
      return { bundle, from: /\.(?:json|md)$/i.test(options.bundle) ? 'file' : 'store' }
    }
    const stored = await storedBundle(store, view.session)
    // A log that grows would outgrow a bundle made now within a minute.
    if (stored !== undefined || options.serve !== undefined || view.session.events.length === 0) return stored
    return await offlineBundle(view.session, view.redaction, signal)
  }
}

async function writeView(view: View, options: ViewOptions, { terminal }: CommandContext): Promise<void> {
  const { page, bundle, source } = view
  const html = renderPageData({ ...page, ...(bundle !== undefined && { bundle }) })
  if (options.output === '-') return terminal.write(html)
  const path = options.output ?? `${source.name}.html`
  if (options.output === undefined) await assertOurs(path)
  try {
    await writeFile(path, html)
  } catch (cause) {
    const reason = messageOf(cause)
    throw new TenfoldError('out-failed', `The page cannot be written: ${reason}.`, { cause })
  }
  const size = formatBytes(Buffer.byteLength(html))
  terminal.print(`${cleanLine(path)}  ${formatNumberOf(page.events.length, 'event')}, ${size}`)
  if (options.open) await show(pathToFileURL(resolve(path)).href, terminal)
}

/** Throws if the default name would overwrite a file that somebody else wrote. */
async function assertOurs(path: string): Promise<void> {
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
    throw error
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
    if (state === undefined) await ended(signal)
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

async function ended(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  await new Promise<void>((done) => signal.addEventListener('abort', () => done(), { once: true }))
}

async function show(target: string, terminal: CommandContext['terminal']): Promise<void> {
  try {
    await openBrowser(target)
  } catch (error) {
    terminal.warn(`warning: no browser could be opened (${failureOf(error).message}); the page is ${target}`)
  }
}
