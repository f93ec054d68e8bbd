import {
  type ContextBundle,
  type Redactor,
  type Session,
  secretRedactor,
  type TokenCounter,
  tiktokenCounter,
} from '@tenfold/core'
import { measuringSteps, pausing, redactionSteps, type Steps } from '@tenfold/core/internal'
import { eventText, type SessionTokens } from '@tenfold/core/readers'
import { createRedaction, type Redaction } from '@tenfold/core/redact'
import type { AbortableOptions } from '@tenfold/core/storage'
import type { PageBundle, PageEvent, PageSession } from './browser/page-data.ts'
import { pageBundle } from './page-bundle.ts'
import { pageEvents, pageSession } from './page-session.ts'
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

/** The page data of a log, and the redacted session that it was made from. */
export interface ReadView {
  /** With its secrets replaced. */
  readonly session: Session
  /** For other data that is shown with it. */
  readonly redaction: Redaction
  /** What a page shows of it. */
  readonly page: { readonly session: PageSession; readonly events: readonly PageEvent[] }
}

/** Redacts a session and counts its tokens. Images are shown as they are: no redactor sees what is on them. */
export async function readView(
  read: Session,
  redactors: readonly Redactor[],
  counter: TokenCounter,
  { images, signal }: ReadViewOptions = {},
): Promise<ReadView> {
  return await pausing(readingSteps(read, createRedaction(redactors), counter, images), signal)
}

/** Images to show, and a signal to stop. */
export interface ReadViewOptions extends AbortableOptions {
  /** From the readers that `withImages` made. @default none */
  readonly images?: EventImages | undefined
}

function* readingSteps(
  read: Session,
  redaction: Redaction,
  counter: TokenCounter,
  images: EventImages | undefined,
): Steps<ReadView> {
  const session = yield* redactionSteps(read, redaction)
  const tokens = yield* measuringSteps(session, counter)
  return {
    session,
    redaction,
    page: {
      session: pageSession(session, tokens),
      events: yield* pageEvents(session, sizesOf(session, tokens, counter), images),
    },
  }
}

/** Tokens by event, including copied history, which no sum counts. */
function sizesOf({ events }: Session, { byEvent }: SessionTokens, counter: TokenCounter): number[] {
  return events.map((event, index) =>
    event.copied ? counter.count(eventText(event)) : (byEvent[index] ?? 0),
  )
}

/** Puts the events of an earlier session, replayed, before those of a later one. */
export function withReplayed(earlier: ReadView, later: ReadView): ReadView['page'] {
  const { session, events } = later.page
  const shiftAgents = session.agents.length
  const shiftEvents = earlier.page.events.length
  const replayed = earlier.page.events.map((event): PageEvent => {
    const { child } = event
    return {
      ...event,
      id: `r${event.id.slice(1)}`,
      replayed: true,
      agent: event.agent === 0 ? 0 : event.agent + shiftAgents - 1,
      ...(child !== undefined && { child: child === 0 ? 0 : child + shiftAgents - 1 }),
    }
  })
  const agents = earlier.page.session.agents.slice(1).map((agent) => {
    const { parent } = agent
    return parent === undefined || parent === 0 ? agent : { ...agent, parent: parent + shiftAgents - 1 }
  })
  const notes = session.notes.map((note) =>
    note.after === undefined ? note : { ...note, after: note.after + shiftEvents },
  )
  return {
    session: {
      ...session,
      notes,
      agents: [...session.agents, ...agents],
      replayedFrom: earlier.page.session.id,
    },
    events: [...replayed, ...events],
  }
}
