import type { ContextEvent, SourcePosition } from '../../session/event.ts'
import * as json from '../../session/json.ts'
import { textOf } from '../../session/plain-value.ts'
import { toolKindOf } from '../../tools/tool-kind.ts'
import type { SessionWriter } from '../reader/reader.ts'
import { byKind } from '../shared/by-kind.ts'
import { createdFile } from '../shared/diff-counts.ts'
import { stopIn } from '../shared/outcome.ts'
import { isUnused, usageIn } from '../shared/usage.ts'
import { timeOfMillis } from '../shared/values.ts'
import { type Change, createWriter, type Outcome } from '../shared/writer.ts'
import type { OpenCodeMessage, OpenCodeSession } from './collection.ts'

export type Reading = ReturnType<typeof startReading>

export function startReading(out: SessionWriter) {
  return Object.assign(createWriter(out), {
    at: { file: 0, line: 1 } as SourcePosition,
    tasks: new Map<string, { readonly callId: string; readonly agent: string; readonly prompt: string }>(),
    writeChild: (_id: string): void => {},
    children: new Map<string, OpenCodeSession[]>(),
    depth: 0,
    written: new Set<string>(),
    phase: undefined as 'commentary' | 'final' | undefined,
    trigger: undefined as string | undefined,
    /** End of the last answer, in ms: earlier messages were queued. */
    busyUntil: 0,
  })
}

export function writeMessage(reading: Reading, message: OpenCodeMessage): void {
  const value = message.load()
  const info = json.fields(value)
  reading.at = message.at
  reading.time = timeOfMillis(json.at(info.time, 'created'))
  reading.model = undefined
  reading.phase = undefined
  if (info.role === 'user') writeUser(reading, message, info)
  else if (info.role === 'assistant') writeAnswer(reading, message, info)
  else {
    reading.other(value, 'message')
    for (const part of message.parts) writeAt(reading, part)
  }
}

function writeAt(reading: Reading, part: OpenCodeMessage['parts'][number], write = writePart): void {
  reading.at = part.at
  write(reading, part.load())
}

function writeUser(reading: Reading, message: OpenCodeMessage, info: json.Fields): void {
  reading.context('system', 'system', info.system)
  const words: string[] = []
  let images = 0
  const others: OpenCodeMessage['parts'] = []
  let command: string | undefined
  for (const part of message.parts) {
    const fields = json.fields(part.load())
    const { type, text } = fields
    if (type === 'text' && typeof text === 'string' && !isInserted(fields)) {
      if (text.trim() !== '') words.push(unquoted(text))
    } else if (type === 'file' && isImage(fields)) images++
    else if (type === 'subtask') {
      // The request for a subagent as typed, `/review`. Its prompt is the input of the `task` call that follows.
      const name = json.text(fields.command)
      command = (name && `/${name}`) ?? json.text(fields.description) ?? json.text(fields.prompt) ?? type
    } else others.push(part)
  }
  if (command !== undefined) reading.write({ type: 'user', origin: 'command', text: command })
  const text = words.join('\n')
  const waited = (json.number(info.time, 'created') ?? 0) < reading.busyUntil
  const isRepeated = reading.byAgent && reading.tasks.get(reading.agent)?.prompt.trim() === text.trim()
  if (isRepeated && text !== '') reading.out.absorb('prompt repeated from the call')
  else reading.ask(text, { origin: waited ? 'queued' : 'typed', images })
  for (const part of others) writeAt(reading, part, writeBeside)
}

/** `opencode run` quotes a prompt with spaces, and escapes quotes in it with a backslash. */
function unquoted(text: string): string {
  const inside = /^"([\s\S]*)"$/.exec(text.trim())?.[1]
  return inside === undefined || /(?<!\\)"|\\$/.test(inside) ? text : inside.replaceAll('\\"', '"')
}

function isInserted(part: json.Fields): boolean {
  return part.synthetic === true || part.ignored === true
}

function writeBeside(reading: Reading, value: unknown): void {
  const part = json.fields(value)
  const { auto, ignored, text, type } = part
  if (type === 'compaction') {
    reading.trigger = auto === true ? 'auto' : 'manual'
    reading.out.absorb('request for a compaction')
  } else if (type === 'file') reading.out.absorb('file named in the prompt, read next to it')
  else if (type !== 'text' || typeof text !== 'string') writePart(reading, value)
  else if (text.trim() !== '') {
    // Ignored text is shown only to the user.
    const inContext = ignored === true ? false : undefined
    reading.write({ type: 'context', inContext, ...insertedText(text, part), text })
  }
}

function insertedText(text: string, part: json.Fields): Pick<ContextEvent, 'origin' | 'name'> {
  const start = text.trimStart()
  if (json.text(part.metadata, 'kind') === 'editor_context')
    return { origin: 'attachment', name: 'editor_context' }
  if (part.ignored === true) return { origin: 'harness', name: 'ignored' }
  if (/^(?:Called the \w+ tool with|<path>|<file>|\d{5}\| )/.test(start))
    return { origin: 'attachment', name: 'file' }
  const isReminder = start.startsWith('<system-reminder>')
  const goesOn = start.startsWith('Continue if you have next steps')
  return { origin: 'harness', name: isReminder ? 'system-reminder' : goesOn ? 'continue' : 'synthetic' }
}

function writeAnswer(reading: Reading, message: OpenCodeMessage, info: json.Fields): void {
  const { time } = reading
  const usage = usageIn(info.tokens, 'opencode')
  reading.model = json.text(info.modelID)
  reading.phase = info.finish === 'stop' ? 'final' : info.finish === 'tool-calls' ? 'commentary' : undefined
  if (!isUnused(usage)) reading.usage(message.id, usage)
  if (info.summary === true) writeSummary(reading, message, usage.inputTokens || undefined)
  else for (const part of message.parts) writeAt(reading, part)
  const completed = json.at(info.time, 'completed')
  reading.busyUntil = json.number(completed) ?? 0
  reading.time = timeOfMillis(completed) ?? time
  if (json.object(info.error)) writeError(reading, info.error)
  reading.out.absorb('answer without content')
}

export function writeError(reading: Reading, error: unknown, fallback = 'error', more?: string): void {
  const known = json.text(error, 'name') ?? fallback
  const text = json.text(error, 'data', 'message') ?? json.text(error, 'message') ?? json.text(error) ?? known
  reading.context('harness', more ?? known, text)
}

function writeSummary(reading: Reading, message: OpenCodeMessage, tokensBefore: number | undefined): void {
  const { time, trigger } = reading
  const texts: string[] = []
  for (const part of message.parts) {
    const { text, type } = json.fields(part.load())
    if (type === 'text' && typeof text === 'string') texts.push(text)
    else writeAt(reading, part)
  }
  const text = texts.join('\n').trim()
  reading.trigger = undefined
  reading.time = time
  // A failed summary left the conversation unchanged.
  if (text !== '') reading.compact(text, { trigger, tokensBefore })
}

export function writePart(reading: Reading, value: unknown): void {
  const { time } = reading
  const part = json.fields(value)
  reading.time = timeOfMillis(json.at(part.time, 'start')) ?? time
  if (!writeKind(reading, part.type, part)) reading.other(value, json.text(part.type) ?? 'part')
  reading.time = time
}

const writeKind = byKind<Reading>({
  text(reading, part) {
    const { text } = part
    if (typeof text !== 'string') return false
    if (isInserted(part)) reading.context('harness', 'synthetic', text)
    else reading.say(text, { phase: reading.phase })
  },
  reasoning: (reading, { text }) => typeof text === 'string' && void reading.think(text),
  tool: (reading, part) => json.text(part.tool) !== undefined && writeTool(reading, part),
  file(reading, part) {
    const name = json.text(part.filename) ?? json.text(part.mime) ?? 'file'
    reading.context('attachment', 'file', name, isImage(part) ? 1 : 0)
  },
  retry: (reading, { error }) => writeError(reading, error, '', 'retry'),
  'step-start': 'beginning of a step',
  'step-finish': 'end of a step',
  'snapshot patch': 'snapshot of the files',
  agent: 'mention of an agent',
  compaction: 'request for a compaction',
})

function isImage({ mime }: json.Fields): boolean {
  return /^(?:image\/|application\/pdf$)/.test(json.text(mime) ?? '')
}

function writeTool(reading: Reading, part: json.Fields): void {
  const { agent, out, time } = reading
  const state = json.fields(part.state)
  const name = json.text(part.tool) ?? ''
  reading.time = timeOfMillis(json.at(state.time, 'start')) ?? time
  const input = state.input ?? json.text(state.raw) ?? null
  // The read tool also lists folders.
  const start = name === 'read' ? (json.text(state.output)?.slice(0, 1000) ?? '') : ''
  const kind = start.includes('<type>directory</type>') ? 'search' : toolKindOf(name)
  const call = reading.call({ id: part.callID, name, input, kind })
  const child = json.text(state.metadata, 'sessionId') ?? json.text(state.metadata, 'sessionID')
  if (child !== undefined && child !== 'main') {
    // The call names its session; for a resumed one, a session that was started before.
    const { description, prompt, subagent_type } = json.fields(input)
    const { callId } = call
    reading.tasks.set(child, { callId, agent, prompt: json.text(prompt) ?? '' })
    reading.begin(child, { callId, type: json.text(subagent_type), title: json.text(description) })
    const { model, phase, time: began } = reading
    reading.writeChild(child)
    Object.assign(reading, { model, phase, time: began })
  }
  const outcome = openCodeOutcome(name, state)
  if (outcome === undefined) return
  const { feedback = '', ...result } = outcome
  reading.time = timeOfMillis(json.at(state.time, 'end')) ?? reading.time
  if (child !== undefined && reading.tasks.has(child)) reading.end(child, call.callId)
  reading.result(call, result)
  if (feedback !== '' && agent === 'main') reading.write({ type: 'user', origin: 'typed', text: feedback })
  else if (feedback !== '') out.absorb('words of the user to a subagent')
}

type OpenCodeOutcome = Outcome & { readonly feedback?: string }

/** Returns the outcome in a tool part's `state`; `undefined` while it runs. `feedback` has the words of a user's refusal. */
function openCodeOutcome(tool: string, state: json.Fields): OpenCodeOutcome | undefined {
  if (state.status === 'error') return failure(state)
  if (state.status !== 'completed' && state.output === undefined) return undefined
  const metadata = json.fields(state.metadata)
  const text = textOf(state.output)
  // The shell tool's remark if it ended the command itself.
  const remark = /<(?:shell|bash)_metadata>\s*([^<]{0,400})/.exec(text.slice(-1000))?.[1] ?? ''
  return {
    status: /aborted/i.test(remark) ? 'cancelled' : undefined,
    failed: /timeout|timed out/i.test(remark),
    text,
    exitCode: json.number(metadata.exit),
    changes: changesOf(tool, json.fields(state.input), metadata),
    images: json.list(state.attachments).length,
  }
}

const feedbackStart = 'with the following feedback: '

function failure(state: json.Fields): OpenCodeOutcome {
  const text = textOf(state.error ?? state.output)
  const status = stopIn(text) ?? 'error'
  const at = status === 'denied' ? text.indexOf(feedbackStart) : -1
  const feedback = at === -1 ? '' : text.slice(at + feedbackStart.length).trim()
  return { status, text: feedback === '' ? text : text.slice(0, at).trim(), feedback }
}

function changesOf(tool: string, input: json.Fields, metadata: json.Fields): readonly Change[] {
  if (Array.isArray(metadata.files)) return metadata.files.flatMap(patchedFile)
  const written = json.text(metadata.filepath) ?? json.text(input.filePath)
  if (tool === 'write') {
    if (written === undefined || typeof metadata.exists !== 'boolean') return []
    return [metadata.exists ? { path: written, action: 'modified' } : createdFile(written, input.content)]
  }
  const diffs = [metadata, ...json.list(metadata.results)].map((edit) => json.at(edit, 'filediff'))
  return diffs.flatMap((diff) => {
    const { before, deletions, file } = json.fields(diff)
    const path = json.text(file) ?? json.text(input.filePath)
    if (typeof diff !== 'object' || path === undefined) return []
    const isNew = input.oldString === '' && (before ?? '') === '' && (deletions ?? 0) === 0
    return [{ path, action: isNew ? 'created' : 'modified', ...lines(diff) } as const]
  })
}

function patchedFile(file: unknown): Change[] {
  const from = json.text(file, 'filePath') ?? json.text(file, 'relativePath')
  const type = json.text(file, 'type')
  const target = json.text(file, 'movePath')
  if (from === undefined) return []
  if (target !== undefined) return [{ path: target, action: 'renamed', from, ...lines(file) }]
  const actions = { move: 'renamed', add: 'created', delete: 'deleted' } as const
  return [{ path: from, action: actions[type as 'add'] ?? 'modified', ...lines(file) }]
}

function lines(counts: unknown): Pick<Change, 'added' | 'removed'> {
  return { added: json.count(counts, 'additions'), removed: json.count(counts, 'deletions') }
}
