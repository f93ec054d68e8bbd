import {
  type BundleStore,
  type ContextBundle,
  type Session,
  summarizePlan,
  type TokenCounter,
  tiktokenCounter,
} from '@tenfold/core'
import { assembleClean, prepareSession } from '@tenfold/core/internal'
import type { Redaction } from '@tenfold/core/redact'
import {
  type EventImages,
  type PageBundle,
  type PageData,
  pageBundle,
  type ReadView,
  readView,
  withImages,
  withReplayed,
} from '@tenfold/view'
import { makeRedactors } from '../options/log-options.ts'
import { findBundle } from '../store/find-bundle.ts'
import { openStore } from '../store/open-store.ts'
import { showProgress } from '../terminal/progress.ts'
import type { CommandContext } from '../terminal/terminal.ts'
import type { ViewOptions } from './view-options.ts'
import { logSource, type ViewSource, viewSource } from './view-source.ts'

export interface View {
  readonly source: ViewSource
  readonly page: PageData
  again(): Promise<PageData>
}

export async function makeView(name: string, options: ViewOptions, context: CommandContext): Promise<View> {
  const { terminal, signal } = context
  const { track, reading } = options
  const store = await openStore(options.store, terminal)
  const given = { store, track, reading, terminal, signal, follow: options.serve !== undefined }
  const { readers } = reading
  const own = options.images ? withImages(readers) : { readers }
  const source = await viewSource(name, { ...given, reading: { ...reading, readers: own.readers } })
  const progress = showProgress(terminal, options.output !== '-')
  const counter = memoCounter(tiktokenCounter())
  const redactors = await makeRedactors(options)
  const read = async (from: ViewSource, images?: EventImages): Promise<ReadView> => {
    const session = await from.read((bytes, total) =>
      progress(from.name, { step: 'read', bytes, ...(total !== undefined && { total }) }),
    )
    return await readView(session, redactors, counter, { images, signal })
  }
  const readMain = (): Promise<ReadView> => read(source, 'images' in own ? own.images : undefined)
  const main = await readMain()
  const earlier = options.replay === undefined ? undefined : await read(logSource(options.replay, given))
  progress(source.name, { step: 'plan', events: main.session.events.length })
  const found = source.bundle ?? (await bundleOf(main))
  terminal.beforeLine()
  const bundle = found && shown(found, earlier?.page.events.length ?? 0)
  const join = (view: ReadView): PageData => {
    const page = earlier === undefined ? view.page : withReplayed(earlier, view)
    const replayedFrom = source.replayedFrom?.()
    const session = replayedFrom === undefined ? page.session : { ...page.session, replayedFrom }
    return { ...page, session, ...(bundle !== undefined && { bundle }) }
  }
  return {
    source,
    page: join(main),
    async again() {
      const view = await readMain()
      terminal.beforeLine()
      return join(view)
    },
  }

  function shown({ bundle, from }: FoundBundle, before: number): PageData['bundle'] {
    const { redaction } = main
    // The bundle may be older than the log, or made without redaction.
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
    // A growing log would outdate a bundle within a minute, so none is made while serving.
    if (stored !== undefined || options.serve !== undefined || view.session.events.length === 0) return stored
    return await offlineBundle(view.session, view.redaction, signal)
  }
}

/** Maximum texts whose token counts are kept while a log is read repeatedly. */
const mostTexts = 200_000

function memoCounter(counter: TokenCounter): TokenCounter {
  const known = new Map<string, number>()
  return {
    name: counter.name,
    count(text) {
      const tokens = known.get(text) ?? counter.count(text)
      if (known.size > mostTexts) known.clear()
      known.set(text, tokens)
      return tokens
    },
  }
}

interface FoundBundle {
  readonly bundle: ContextBundle
  readonly from: PageBundle['from']
}

/** A stored bundle of this log or of its beginning. Event numbers never change, so its citations are still valid. */
async function storedBundle(store: BundleStore, session: Session): Promise<FoundBundle | undefined> {
  const { sha256 } = session.source
  const entries = await store.list()
  const ofLog = entries.filter((entry) => entry.sourceSha256 === sha256)
  const candidates = ofLog.length > 0 ? ofLog : entries.filter((entry) => entry.sessionId === session.id)
  for (const { id } of candidates.toReversed()) {
    const bundle = await store.load(id)
    const { source } = bundle
    if (source.format === session.format && source.events <= session.events.length)
      return { bundle, from: 'store' }
  }
  return undefined
}

async function offlineBundle(
  session: Session,
  redaction: Redaction,
  signal: AbortSignal,
): Promise<FoundBundle> {
  const { extractiveSummarizer } = await import('@tenfold/summarizers/extractive')
  const prepared = prepareSession(session)
  const summarized = await summarizePlan(prepared.plan, [extractiveSummarizer()], { signal })
  const { bundle } = assembleClean({ ...prepared, redaction }, summarized, {})
  return { bundle, from: 'made' }
}
