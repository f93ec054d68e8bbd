import type { ContextBundle } from './bundle/schema.ts'
import type { SessionSummary } from './bundle/session-summary.ts'
import type { TranscriptItem } from './plan/transcript-item.ts'
import type { PreparedLog } from './prepare-log.ts'
import { eventIndex, type SessionEvent } from './session/event.ts'
import type { Note } from './session/note.ts'

/** What a run can go on from: the summary of the bundle before, and the items of the transcript that are new since. */
export interface Continuation {
  readonly summary: SessionSummary
  readonly items: readonly TranscriptItem[]
}

/** What of `previous` a run over the prepared log can go on from, or a note that says why it reads all anew. */
export function continueBundle(
  { continues, session, plan }: PreparedLog,
  previous: ContextBundle,
  summarizer: { readonly name: string; readonly incremental?: boolean },
): Continuation | Note {
  const anew = (message: string): Note => ({ code: 'read-anew', message })
  if (continues !== true)
    return anew(`the log is not that of ${previous.id} with more at its end: all of it was read`)
  if (summarizer.incremental !== true) return anew(`${summarizer.name} reads the whole session each time`)
  if (previous.kind !== plan.kind)
    return anew(`bundle ${previous.id} is of kind ${previous.kind}: all of the log was read`)
  const isNew = newSince(session.events, previous.source.events)
  return { summary: summaryOf(previous), items: plan.transcript.filter(isNew) }
}

/** Items of events after the first `count`; also a call before them whose result came after. */
function newSince(events: readonly SessionEvent[], count: number): (item: TranscriptItem) => boolean {
  const answered = new Set(
    events.slice(count).flatMap((event) => (event.type === 'tool_result' ? [event.callId] : [])),
  )
  const pending = new Set(
    events
      .slice(0, count)
      .flatMap((event) => (event.type === 'tool_call' && answered.has(event.callId) ? [event.id] : [])),
  )
  return ({ event, until }) => eventIndex(until ?? event) >= count || pending.has(event)
}

/** The summary that a bundle holds; grounding flags are set anew by the run that takes it over. */
function summaryOf(bundle: ContextBundle): SessionSummary {
  const { summary, workflow, findings, decisions, constraints, openQuestions, nextSteps } = bundle
  const { resumeInstructions, plan, progress, research, files } = bundle
  return {
    overview: summary,
    workflow,
    findings,
    decisions,
    constraints,
    openQuestions,
    nextSteps,
    resumeInstructions,
    fileReasons: files.flatMap(({ path, reason }) => (reason === undefined ? [] : [{ path, reason }])),
    ...(plan === undefined ? {} : { plan }),
    ...(progress === undefined ? {} : { progress }),
    ...(research === undefined ? {} : { research }),
  }
}
