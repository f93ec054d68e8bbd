import type { EventDraft } from '../../session/event.ts'
import * as json from '../../session/json.ts'
import { toolKindOf } from '../../tools/tool-kind.ts'
import { toolOutcome } from '../claude-code/tools.ts'
import { eventFromJson } from '../reader/event-fields.ts'
import { exitCodeOf, outcomeOf } from '../shared/outcome.ts'
import { outputText } from '../shared/values.ts'
import type { Outcome, WrittenCall } from '../shared/writer.ts'

export function atifOutcome(step: json.Fields, result: json.Fields, call: WrittenCall | undefined): Outcome {
  const about = json.object(result.extra)
  const { text, images } = outputText(result.content)
  // Tenfold's own export.
  const { status, exit_code: code, changes, images: pictures } = about ?? {}
  const shown = { type: 'tool_result', callId: '', text, status, exitCode: code, changes, images: pictures }
  const own = about === undefined ? undefined : eventFromJson(shown)
  if (own?.type === 'tool_result') return own
  const { metadata, tool_result_is_error } = json.fields(step.extra)
  const raw = json.object(metadata, 'raw_tool_result')
  // Harbor's converter keeps Claude Code's own result next to the text, which repeats it twice.
  if (raw !== undefined && raw.tool_use_id === result.source_call_id)
    return toolOutcome(raw, json.at(metadata, 'tool_use_result'), {}, call?.name)
  const failed =
    [tool_result_is_error, about?.is_error].find((value) => typeof value === 'boolean') ??
    (status === 'error' || status === 'failed' || undefined)
  const reported = exitCodeOf(about)
  const outcome = outcomeOf(text, failed ?? (reported === undefined ? undefined : reported !== 0))
  const exitCode = reported ?? outcome.exitCode
  const isMarked =
    failed !== undefined || exitCode !== undefined || toolKindOf(call?.name ?? '') !== 'execute'
  return { text, status: outcome.status === 'ok' && !isMarked ? 'unknown' : outcome.status, exitCode, images }
}

/** The fields that Tenfold's own export adds to a step's `extra`; `undefined` in other exports. */
export function ownFields(step: json.Fields): json.Fields | undefined {
  const events = json.list(step.extra, 'events')
  return events.length > 0 && events.every((id) => /^e\d+$/.test(String(id)))
    ? json.object(step.extra)
    : undefined
}

export function ownEvent(step: json.Fields, own: json.Fields, text: string): EventDraft | undefined {
  const { event, origin, name, images, trigger, tokens_before: tokensBefore, turns, raw } = own
  const isWords = step.source === 'user' && /^(?:typed|queued|command)$/.test(String(origin))
  const type = json.text(event) ?? (isWords ? 'user' : 'context')
  return eventFromJson({ type, text, origin, name, images, trigger, tokensBefore, turns, raw })
}
