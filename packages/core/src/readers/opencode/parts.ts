import { asObject, asText, type JsonObject } from '../../session/json-values.ts'
import { known } from '../../session/known.ts'
import { toolKindOf } from '../../tools/tool-kind.ts'
import { timeOfMillis } from '../shared/epoch-time.ts'
import { type Reading, write } from './reading.ts'
import { openCodeOutcome } from './tool-outcome.ts'

/** Data of a message that one of its parts needs. */
export interface PartContext {
  readonly model?: string
  readonly phase?: 'commentary' | 'final'
  /** When the message was made. */
  readonly time?: string
}

const silent: Readonly<Record<string, string>> = {
  'step-start': 'beginning of a step',
  'step-finish': 'end of a step',
  snapshot: 'snapshot of the files',
  patch: 'snapshot of the files',
  agent: 'mention of an agent',
  compaction: 'request for a compaction',
}

/** Writes a part of an answer, or any part of a message that is not the user's text. */
export function writePart(reading: Reading, value: unknown, context: PartContext): void {
  const part = asObject(value)
  const type = asText(part?.type)
  const time = timeOfMillis(asObject(part?.time)?.start) ?? context.time
  if (part !== undefined && type === 'text' && typeof part.text === 'string') {
    writeText(reading, part.text, part, context, time)
  } else if (part !== undefined && type === 'reasoning' && typeof part.text === 'string') {
    if (part.text.trim() === '') reading.out.absorb('encrypted reasoning')
    else write(reading, { type: 'reasoning', text: part.text }, time)
  } else if (part !== undefined && type === 'tool' && asText(part.tool) !== undefined) {
    writeTool(reading, part, context)
  } else if (type === 'file') writeFile(reading, part ?? {}, time)
  else if (part !== undefined && type === 'retry') {
    const error = asObject(part.error)
    const text = asText(asObject(error?.data)?.message) ?? asText(error?.message) ?? asText(error?.name) ?? ''
    write(reading, { type: 'context', origin: 'harness', name: 'retry', text }, time)
  } else if (type !== undefined && Object.hasOwn(silent, type)) reading.out.absorb(silent[type] ?? type)
  else write(reading, { type: 'other', name: type ?? 'part', raw: value }, time)
}

function writeText(
  reading: Reading,
  text: string,
  part: JsonObject,
  context: PartContext,
  time?: string,
): void {
  const { model, phase } = context
  if (text.trim() === '') reading.out.absorb('empty text')
  else if (part.synthetic === true || part.ignored === true) {
    write(reading, { type: 'context', origin: 'harness', name: 'synthetic', text }, time)
  } else {
    const by = known({ model, phase })
    write(reading, { type: 'assistant', text, ...by }, time)
  }
}

function writeFile(reading: Reading, part: JsonObject, time?: string): void {
  const text = asText(part.filename) ?? asText(part.mime) ?? 'file'
  const images = isImage(part) ? { images: 1 } : {}
  write(reading, { type: 'context', origin: 'attachment', name: 'file', text, ...images }, time)
}

/** Whether a file part is a picture, or a page as a picture. */
export function isImage(part: JsonObject): boolean {
  const mime = asText(part.mime) ?? ''
  return mime.startsWith('image/') || mime === 'application/pdf'
}

function writeTool(reading: Reading, part: JsonObject, { model, time }: PartContext): void {
  const { out } = reading
  const state = asObject(part.state) ?? {}
  const clock = asObject(state.time)
  const name = asText(part.tool) ?? ''
  reading.calls++
  const callId = reading.callId(part.callID, `call-${reading.calls}`)
  const began = timeOfMillis(clock?.start) ?? time
  const input = state.input ?? (asText(state.raw) === undefined ? null : state.raw)
  const kind = isListing(name, state) ? 'search' : toolKindOf(name)
  write(
    reading,
    { type: 'tool_call', callId, name, kind, input, ...(model !== undefined && { model }) },
    began,
  )
  const metadata = asObject(state.metadata)
  const child = asText(metadata?.sessionId) ?? asText(metadata?.sessionID)
  if (child !== undefined && child !== 'main') startChild(reading, child, callId, asObject(input), began)
  const outcome = openCodeOutcome(name, state)
  if (outcome === undefined) return
  const { feedback, ...result } = outcome
  const ended = timeOfMillis(clock?.end) ?? began
  if (child !== undefined && reading.tasks.has(child)) {
    write(reading, { type: 'subagent_end', child, callId }, ended)
  }
  write(reading, { type: 'tool_result', callId, ...result }, ended)
  if (feedback !== undefined && reading.agent === 'main') {
    write(reading, { type: 'user', origin: 'typed', text: feedback }, ended)
  } else if (feedback !== undefined) out.absorb('words of the user to a subagent')
}

/** The read tool lists folders, too. */
function isListing(name: string, { output }: JsonObject): boolean {
  return (
    name === 'read' && typeof output === 'string' && output.slice(0, 1000).includes('<type>directory</type>')
  )
}

/**
 * Starts the subagent of a `task` call, which names its session; a resumed one names a session that was started before.
 */
function startChild(
  reading: Reading,
  child: string,
  callId: string,
  input: JsonObject | undefined,
  time?: string,
): void {
  const { out, agent } = reading
  const prompt = asText(input?.prompt) ?? ''
  const type = asText(input?.subagent_type)
  out.agent({ id: child, parent: agent, callId, type, title: asText(input?.description) })
  reading.tasks.set(child, { callId, agent, prompt })
  write(reading, { type: 'subagent_start', child, callId }, time)
  reading.writeChild(child)
}
