import {
  assembleClean,
  type BundleStore,
  type ContextBundle,
  prepareSession,
  type Redaction,
  type Session,
  summarizePlan,
} from '@tenfold/core'
import type { PageBundle } from '@tenfold/view'

export interface FoundBundle {
  readonly bundle: ContextBundle
  readonly from: PageBundle['from']
}

/**
 * The newest bundle in the store that was made from this log, or from its beginning. Event numbers never change, so
 * what an earlier bundle cites is still valid.
 */
export async function storedBundle(store: BundleStore, session: Session): Promise<FoundBundle | undefined> {
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

/** A bundle made now by the offline summarizer and not saved; undefined if there is nothing to compress. */
export async function offlineBundle(
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
