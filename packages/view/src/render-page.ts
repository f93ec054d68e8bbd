import {
  type ContextBundle,
  type Redactor,
  type Session,
  secretRedactor,
  type TokenCounter,
  tiktokenCounter,
} from '@tenfold/core'
import { pausing, type Steps } from '@tenfold/core/internal'
import type { Redaction } from '@tenfold/core/redact'
import type { AbortableOptions } from '@tenfold/core/storage'
import type { PageBundle } from './browser/page-data.ts'
import { pageBundle } from './page-bundle.ts'
import { readView, withReplayed } from './read-view.ts'
import { renderPageData } from './render-page-data.ts'
import type { EventImages } from './with-images.ts'

/** What a page shows besides the session. */
export interface PageOptions extends AbortableOptions {
  /** Shown next to the timeline, its statements linked to the events that they cite. @default none */
  readonly bundle?: ContextBundle | undefined
  /** An earlier session whose events are shown first, dimmed, above a divider. @default none */
  readonly replayed?: Session | undefined
  /** Replace secrets in the session and in the bundle. @default [secretRedactor()] */
  readonly redactors?: readonly Redactor[] | undefined
  /** Images of the session, from the readers that `withImages` made. No redactor sees what is on them. @default none */
  readonly images?: EventImages | undefined
  /** @default tiktokenCounter() */
  readonly counter?: TokenCounter | undefined
}

/**
 * Renders a session as one HTML file that loads nothing and runs no script but its own. Throws TenfoldError `too-large`
 * if the file would exceed the maximum length of a string. A large one takes seconds, in pauses of which the event loop
 * does its other work.
 */
export async function renderPage(session: Session, options: PageOptions = {}): Promise<string> {
  const { bundle, replayed, images, signal } = options
  const { redactors = [secretRedactor()], counter = tiktokenCounter() } = options
  const view = await readView(session, redactors, counter, { images, signal })
  const earlier = replayed && (await readView(replayed, redactors, counter, { signal }))
  const page = earlier === undefined ? view.page : withReplayed(earlier, view)
  if (bundle === undefined) return await renderPageData(page, signal)
  // A bundle may be older than the log, or made without redaction.
  const before = earlier?.page.events.length ?? 0
  const shown = await pausing(redactedBundle(bundle, before, view.redaction), signal)
  return await renderPageData({ ...page, bundle: shown }, signal)
}

function* redactedBundle(bundle: ContextBundle, before: number, redaction: Redaction): Steps<PageBundle> {
  for (const piece of Object.values(bundle).flat()) {
    redaction.learnValue(piece)
    yield
  }
  const { sections, trail, ...head } = pageBundle(bundle, { from: 'file', before })
  const redacted = function* <T>(pieces: readonly T[]): Steps<T[]> {
    const clean: T[] = []
    for (const piece of pieces) {
      clean.push(redaction.redactValue(piece))
      yield
    }
    return clean
  }
  return {
    ...redaction.redactValue(head),
    sections: yield* redacted(sections),
    trail: yield* redacted(trail),
  }
}
