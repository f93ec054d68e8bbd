import type { ContextBundle } from './bundle/schema.ts'
import type { SessionSummary } from './bundle/session-summary.ts'
import type { TranscriptItem } from './plan/transcript-item.ts'
import type { PreparedLog } from './prepare-log.ts'
import { eventIndex, type SessionEvent } from './session/event.ts'
import type { Note } from './session/note.ts'

/** Starting point of a run that continues a bundle: the summary of the earlier bundle and the new transcript items. */
export interface Continuation {
  readonly summary: SessionSummary
  readonly items: readonly TranscriptItem[]
}

/** Returns what a run can continue from in `previous`, or a note on why the whole log is read. */
export function continueBundle(
  { continues, session, plan }: PreparedLog,
  previous: ContextBundle,
  summarizer: { readonly name: string; readonly incremental?: boolean },
): Continuation | Note {
  const readWhole = (message: string): Note => ({ code: 'read-whole', message })
  if (continues !== true)
    return readWhole(`the log does not continue that of ${previous.id}: all of it was read`)
  if (summarizer.incremental !== true)
    return readWhole(`${summarizer.name} reads the whole session each time`)
  if (previous.kind !== plan.kind)
    return readWhole(`bundle ${previous.id} is of kind ${previous.kind}: all of the log was read`)
  const isNew = newSince(session.events, previous.source.events)
  return { summary: summaryOf(previous), items: plan.transcript.filter(isNew) }
}

/** Items of events after the first `count`; also an earlier call if its result came later. */
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

/** The grounding flags are left out: the run that continues the bundle sets them again. */
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
    plan,
    progress,
    research,
  }
}
