import type { FileChange } from '../../session/event.ts'
import * as json from '../../session/json.ts'
import type { LogRecord, SessionWriter } from '../reader/reader.ts'
import { byKind } from '../shared/by-kind.ts'
import { stopIn } from '../shared/outcome.ts'
import { isUnused, usageIn } from '../shared/usage.ts'
import { contentParts, outputText } from '../shared/values.ts'
import { createWriter, type Outcome, type WrittenCall } from '../shared/writer.ts'
import { createTree } from './tree.ts'

type State = ReturnType<typeof createState>

function createState(out: SessionWriter) {
  const writer = createWriter(out)
  return Object.assign(writer, { tree: createTree(writer), key: '', task: undefined as string | undefined })
}

/** Holds back the copy at the beginning of a branched session until the session has its own content. */
export async function readPi(records: AsyncIterable<LogRecord>, out: SessionWriter): Promise<void> {
  const state = createState(out)
  const held: LogRecord[] = []
  let since: number | undefined

  function flush(copied: boolean): void {
    state.copied = copied
    for (const record of held.splice(0)) readRecord(state, record)
    state.copied = false
    since = undefined
  }

  for await (const given of records) {
    const record = json.object(given.value)
    if (record?.type === 'session') since ??= branchedAt(record)
    else if (since !== undefined && record !== undefined) {
      if (Date.parse(json.text(record.timestamp) ?? '') < since || record.type !== 'message') {
        held.push(given)
        out.absorb('history copied from another session')
        continue
      }
      flush(true)
    }
    readRecord(state, given)
  }
  if (held.some(({ value }) => json.at(value, 'type') === 'message'))
    out.note('copied-history', 'this session only copies another one; the copy is read as its own history')
  flush(false)
}

function branchedAt({ branchedFrom, parentSession, timestamp }: json.Fields): number | undefined {
  if (json.text(branchedFrom) === undefined && json.text(parentSession) === undefined) return undefined
  const time = json.time(timestamp)
  return time === undefined ? undefined : Date.parse(time)
}

function readRecord(state: State, { value, file, line }: LogRecord): void {
  const record = json.object(value)
  state.at = { file, line }
  state.time = json.text(record?.timestamp)
  if (record !== undefined) state.tree.enter(record)
  state.key = json.text(record?.id) ?? `${file}:${line}`
  if (record === undefined || !readEntry(state, record.type, record)) state.other(value)
}

const readEntry = byKind<State>({
  session(state, header) {
    state.model = json.text(header.modelId) ?? state.model
    return state.meta({ id: json.text(header.id), cwd: json.text(header.cwd) })
  },
  'message message_end': readMessage,
  // A response that is not a message: one that warms a cache, or a compaction.
  usage(state, record) {
    countUsage(state, `usage ${state.key}`, record.usage, json.text(record.model))
    state.out.absorb('usage')
  },
  compaction: readCompaction,
  branch_summary: readBranch,
  custom_message: readCustom,
  model_change(state, { modelId }) {
    state.model = json.text(modelId) ?? state.model
    state.out.absorb('settings')
  },
  session_info: ({ meta }, { name }) => meta({ title: json.text(name) }),
  'agent_start agent_end turn_start turn_end message_start message_update': 'progress',
  'tool_execution_start tool_execution_update tool_execution_end': 'progress',
  thinking_level_change: 'settings',
  context_edit: 'change of what the model sees of an entry',
  label: 'label of an entry',
  custom: 'state of an extension',
})

function readMessage(state: State, { message: given }: json.Fields): boolean {
  const message = json.fields(given)
  return readRole(state, message.role, message)
}

const readRole = byKind<State>({
  user(state, message) {
    const { texts, images, others } = contentParts(message.content)
    const text = texts.join('\n')
    if (state.agent === 'main') {
      const { attachments, words } = cutAttachments(text)
      state.ask(words, { images })
      for (const { name, text } of attachments) state.context('attachment', name, text)
    }
    // The call already contains the task.
    else if (state.task === undefined || !text.endsWith(state.task)) state.ask(text, { images })
    for (const raw of others) state.other(raw, 'user block')
    state.out.absorb('empty message')
  },
  assistant(state, message) {
    const { content, errorMessage, stopReason } = message
    state.model = json.text(message.model) ?? state.model
    countUsage(state, state.key, message.usage)
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? [])
    for (const value of Array.isArray(blocks) ? blocks : [blocks]) {
      const block = json.object(value)
      if (block === undefined || !readBlock(state, block.type, { ...block, stopReason }))
        state.other(value, json.text(block?.type) ?? 'assistant block')
    }
    const text = json.text(errorMessage) ?? ''
    if (stopReason === 'error' || stopReason === 'aborted' || text !== '')
      state.write({ type: 'context', origin: 'harness', name: json.text(stopReason) ?? 'error', text })
    state.out.absorb('answer without content')
  },
  toolResult(state, message) {
    const call = state.take(message.toolCallId)
    if (call !== undefined) readSubagents(state, message.details, call)
    state.result(call, outcomeOf(message, call), message.toolCallId)
  },
  // Reads a command that the user ran with `!`; one with `!!` was not shown to the agent.
  bashExecution(state, message) {
    const { cancelled, excludeFromContext, exitCode, output } = message
    const mark = excludeFromContext === true ? '!!' : '!'
    state.ask(`${mark} ${json.text(message.command) ?? ''}`, { origin: 'command' })
    const code = typeof exitCode === 'number' && exitCode !== 0 ? [`(exit code ${exitCode})`] : []
    const end = cancelled === true ? ['(cancelled)'] : []
    state.context('output', 'bash', [json.text(output) ?? '', ...code, ...end].join('\n').trim())
  },
  // Reads a system prompt, or a change of it (0.87): text, and named sections, deleted by `null`.
  system(state, message) {
    const parts = [...contentParts(message.content).texts, ...Object.values(json.fields(message.sections))]
    const text = parts.filter((part) => json.text(part) !== undefined).join('\n\n')
    state.context('system', 'system prompt', text)
  },
  'custom hookMessage': readCustom,
  branchSummary: readBranch,
  compactionSummary: readCompaction,
})

/** Cuts the blocks that pi puts before a prompt for `@file` arguments and `/skill:name`. */
function cutAttachments(text: string) {
  const attachments: { name: string; text: string }[] = []
  let words = text
  for (;;) {
    const name = /^\s*<(file|skill) name="/.exec(words)?.[1]
    const end = name === undefined ? -1 : words.indexOf(`</${name}>`)
    if (name === undefined || end === -1) break
    const stop = end + name.length + 3
    attachments.push({ name, text: words.slice(0, stop).trim() })
    words = words.slice(stop)
  }
  return { attachments, words: attachments.length > 0 ? words.trim() : words }
}

const readBlock = byKind<State>({
  text: (state, block) =>
    typeof block.text === 'string' && void state.say(block.text, { phase: phaseOf(block) }),
  thinking(state, { redacted, thinking }) {
    if (typeof thinking === 'string') state.think(thinking)
    else if (redacted === true) state.out.absorb('encrypted reasoning')
    else return false
  },
  redactedThinking: 'encrypted reasoning',
  toolCall(state, block) {
    const name = json.text(block.name)
    if (name === undefined) return false
    state.call({ id: block.id, name, input: block.arguments })
  },
})

function phaseOf({ textSignature, stopReason }: json.Fields): 'commentary' | 'final' | undefined {
  const phase = json.object(json.parse(json.text(textSignature) ?? ''))?.phase
  if (phase === 'final_answer') return 'final'
  if (phase === 'commentary' || stopReason === 'toolUse') return 'commentary'
  return stopReason === 'stop' ? 'final' : undefined
}

function countUsage(state: State, key: string, given: unknown, model?: string): void {
  const usage = usageIn(given, 'pi')
  if (!isUnused(usage)) state.usage(key, usage, model)
}

function outcomeOf(message: json.Fields, call: WrittenCall | undefined): Outcome {
  const { text, images } = outputText(message.content)
  const failed = message.isError === true
  const isShell = (call?.name ?? message.toolName) === 'bash'
  // The shell tool fails with any code other than 0, and reports it at the end.
  const code = failed ? /Command exited with code (-?\d{1,10})\s*$/.exec(text.slice(-100))?.[1] : '0'
  const exitCode = isShell && code !== undefined ? Number(code) : undefined
  const changes = failed ? [] : changesOf(message, call)
  return { status: failed ? (stopIn(text) ?? 'error') : 'ok', text, exitCode, changes, images }
}

/** Pi's diffs have a line number after the sign. */
function changesOf({ details }: json.Fields, call: WrittenCall | undefined): FileChange[] {
  const path = json.text(call?.input, 'path')
  const lines = json.text(details, 'diff')?.split('\n')
  if (path === undefined || lines === undefined) return []
  const count = (line: RegExp): number => lines.filter((text) => line.test(text)).length
  return [{ path, action: 'modified', added: count(/^\+\s*\d/), removed: count(/^-\s*\d/) }]
}

function readCustom(state: State, message: json.Fields): void {
  const { texts, images, others } = contentParts(message.content)
  const name = json.text(message.customType) ?? 'custom'
  state.context('harness', name, texts.join('\n'), images)
  for (const raw of others) state.other(raw, name)
}

function readBranch(state: State, { summary }: json.Fields): void {
  state.context('harness', 'branch_summary', summary)
}

function readCompaction(state: State, { fromHook, summary, tokensBefore }: json.Fields): void {
  state.compact(summary, { trigger: fromHook === true ? 'hook' : undefined, tokensBefore })
}

/**
 * Reads the details that pi's `subagent` extension adds to its results: for each task, the messages of the agent that
 * ran it. https://github.com/badlogic/pi-mono/tree/main/packages/coding-agent/examples/extensions/subagent
 */
function readSubagents(state: State, details: unknown, { callId }: WrittenCall): void {
  for (const [index, value] of json.list(details, 'results').entries()) {
    const { agent: type, messages, model, task } = json.fields(value)
    if (!Array.isArray(messages) || json.text(type) === undefined) continue
    const child = `${callId}-${index + 1}`
    const { key } = state
    state.within(child, { callId, type: json.text(type) }, () => {
      Object.assign(state, { model: json.text(model), task: json.text(task) })
      for (const [number, message] of messages.entries()) {
        state.key = `${child}-${number + 1}`
        if (!readMessage(state, { message })) state.other(message)
      }
    })
    Object.assign(state, { key, task: undefined })
  }
}
