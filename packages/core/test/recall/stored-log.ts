import { emptySummary } from '../../src/bundle/section-contents.ts'
import { type CompressLogOptions, compressLog } from '../../src/compress-log.ts'
import { sessionToJsonl } from '../../src/readers/tenfold.ts'
import type { EventDraft } from '../../src/session/event.ts'
import type { BundleStore } from '../../src/store/bundle-store.ts'
import type { Summarizer } from '../../src/summarize/summarizer.ts'
import { makeSession } from '../support/session.ts'

const silent: Summarizer = {
  name: 'silent',
  summarize: async () => ({ summary: emptySummary(), calls: [] }),
}

/** Compresses a log of these events into the store, as a session of that id. */
export async function storeLog(
  store: BundleStore,
  id: string,
  drafts: readonly EventDraft[],
  options: Partial<CompressLogOptions> = {},
) {
  const session = makeSession(drafts, { id, title: `Session ${id}` })
  const log = new TextEncoder().encode([...sessionToJsonl(session)].join(''))
  const { bundle } = await compressLog(log, { summarizer: silent, store, ...options })
  return bundle
}
