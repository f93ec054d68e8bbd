import type { EventDraft } from '../../session/event.ts'
import { asList, asObject, asText, type JsonObject } from '../../session/json-values.ts'
import { toolKindOf } from '../../tools/tool-kind.ts'
import { toolOutcome } from '../claude-code/tools.ts'
import { exitCodeOf, outcomeOf } from '../messages/outcome.ts'
import { eventFromJson } from '../reader/event-fields.ts'
import { outputText } from '../shared/content.ts'
import type { Outcome, WrittenCall } from '../shared/writer.ts'

/** The result of a tool, from an observation's result and the other fields of its step. */
export function atifOutcome(step: JsonObject, result: JsonObject, call: WrittenCall | undefined): Outcome {
  const extra = asObject(step.extra)
  const about = asObject(result.extra)
  const { text, images } = outputText(result.content)
  const own = ownOutcome(text, about)
  if (own !== undefined) return own
  const metadata = asObject(extra?.metadata)
  const raw = asObject(metadata?.raw_tool_result)
  // Harbor's converter keeps Claude Code's own result next to the text, which repeats it twice.
  if (raw !== undefined && raw.tool_use_id === result.source_call_id)
    return toolOutcome(raw, metadata?.tool_use_result, {}, call?.name)
  const failed = failure(extra?.tool_result_is_error) ?? failure(about?.is_error) ?? statusOf(about)
  const code = exitCodeOf(about)
  const outcome = outcomeOf(text, failed ?? (code === undefined ? undefined : code !== 0))
  const exitCode = code ?? outcome.exitCode
  const isMarked =
    failed !== undefined || exitCode !== undefined || toolKindOf(call?.name ?? '') !== 'execute'
  return {
    text,
    status: outcome.status === 'ok' && !isMarked ? 'unknown' : outcome.status,
    exitCode,
    images,
  }
}

function ownOutcome(text: string, own: JsonObject | undefined): Outcome | undefined {
  if (own === undefined) return undefined
  const { status: reported, exit_code: code, changes: edits, images: pictures } = own
  const more = { status: reported, exitCode: code, changes: edits, images: pictures }
  const event = eventFromJson({ type: 'tool_result', callId: '', text, ...more })
  if (event?.type !== 'tool_result') return undefined
  const { status, exitCode, changes, images } = event
  return { status, text, exitCode, changes, images }
}

function failure(value: unknown): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined
}

function statusOf(about: JsonObject | undefined): boolean | undefined {
  const status = asText(about?.status)
  return status === 'error' || status === 'failed' ? true : undefined
}

/** The fields that Tenfold's own export adds to a step's `extra`; `undefined` in other exports. */
export function ownFields(step: JsonObject): JsonObject | undefined {
  const extra = asObject(step.extra)
  const events = asList(extra?.events)
  return events.length > 0 && events.every((id) => /^e\d+$/.test(String(id))) ? extra : undefined
}

/** The event that a step of the user or the system was; `undefined` if the step holds only results. */
export function ownEvent(step: JsonObject, own: JsonObject, text: string): EventDraft | undefined {
  const { event, origin, name, images, trigger, tokens_before: tokensBefore, turns, raw } = own
  const said =
    step.source === 'user' && /^(?:typed|queued|command)$/.test(String(origin)) ? 'user' : 'context'
  const type = typeof event === 'string' ? event : said
  return eventFromJson({ type, text, origin, name, images, trigger, tokensBefore, turns, raw })
}
