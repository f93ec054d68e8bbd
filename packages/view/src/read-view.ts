import type { Redactor, Session, TokenCounter } from '@tenfold/core'
import { measuringSteps, pausing, redactionSteps, type Steps } from '@tenfold/core/internal'
import { eventText, type SessionTokens } from '@tenfold/core/readers'
import { createRedaction, type Redaction } from '@tenfold/core/redact'
import type { AbortableOptions } from '@tenfold/core/storage'
import type { PageEvent, PageSession } from './browser/page-data.ts'
import { pageEvents } from './page-events.ts'
import { pageSession } from './page-session.ts'
import type { EventImages } from './with-images.ts'

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
