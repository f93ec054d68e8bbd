import {
  type ContextBundle,
  type Redactor,
  type Session,
  secretRedactor,
  type TokenCounter,
  tiktokenCounter,
} from '@tenfold/core'
import { pageBundle } from './page-bundle.ts'
import { readView, withReplayed } from './read-view.ts'
import { renderPageData } from './render-page-data.ts'
import type { EventImages } from './with-images.ts'

export interface PageOptions {
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
 * if the file would exceed the maximum length of a string.
 */
export function renderPage(session: Session, options: PageOptions = {}): string {
  const { bundle, replayed, images, redactors = [secretRedactor()], counter = tiktokenCounter() } = options
  const view = readView(session, redactors, counter, images)
  const earlier = replayed === undefined ? undefined : readView(replayed, redactors, counter)
  const page = earlier === undefined ? view.page : withReplayed(earlier, view)
  if (bundle === undefined) return renderPageData(page)
  // A bundle may be older than the log, or made without redaction.
  const { redaction } = view
  redaction.learnValue(bundle)
  const before = earlier?.page.events.length ?? 0
  return renderPageData({
    ...page,
    bundle: redaction.redactValue(pageBundle(bundle, { from: 'file', before })),
  })
}
