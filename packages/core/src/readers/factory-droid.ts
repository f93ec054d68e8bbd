import { basename, dirname, join } from 'node:path'
import type { ToolResultEvent } from '../session/event.ts'
import * as json from '../session/json.ts'
import { unpackedName } from './log/log-file.ts'
import type { LogHead, LogRecord, Reader, SessionWriter } from './reader/reader.ts'
import { byKind, readRecords } from './shared/by-kind.ts'
import { filesAt, filesThatBegin } from './shared/folder-files.ts'
import { cutBlocks } from './shared/program-blocks.ts'
import { usageIn } from './shared/usage.ts'
import { numberIn, outputText } from './shared/values.ts'
import { createWriter } from './shared/writer.ts'

/**
 * Reads sessions of Factory's Droid, `~/.factory/sessions/<project>/<id>.jsonl`, with the model and the usage from
 * `<id>.settings.json` next to them.
 */
export const factoryDroidReader: Reader = {
  name: 'factory-droid',
  framing: ({ document }) => (isSettings(document) ? 'document' : 'lines'),
  detect,
  logsInFolder,
  sessionFiles: settingsFile,
  read,
}

function detect({ records }: LogHead): number {
  let score = 0
  for (const value of records) {
    const { type, id, message, uuid, ...record } = json.fields(value)
    // pi writes the same kind of message, in a session with another beginning.
    if (type === 'session') return 0
    if (json.text(id) === undefined) continue
    const marks = ['sessionTitle', 'owner', 'version', 'cwd', 'title'].filter((mark) => mark in record)
    if (type === 'session_start' && marks.length >= 2) return 1
    const role = json.at(message, 'role')
    if (type === 'message' && uuid === undefined && (role === 'user' || role === 'assistant')) score = 0.55
  }
  return score
}

const firstLine = /^\uFEFF?\s*\{"type":\s*"session_start"/

async function logsInFolder(folder: string): Promise<readonly string[]> {
  const store = basename(folder) === '.factory' ? join(folder, 'sessions') : folder
  const found = await filesAt(store, /\.jsonl$/)
  if (basename(store) === 'sessions') found.push(...(await filesAt(store, /./, /\.jsonl$/)))
  return await filesThatBegin(found, firstLine)
}

async function settingsFile(path: string): Promise<readonly string[]> {
  const log = unpackedName(basename(path))
  if (!log.endsWith('.jsonl')) return []
  return await filesThatBegin(await filesAt(dirname(path), log.replace(/jsonl$/, 'settings.json')), /\S/)
}

type State = ReturnType<typeof createState>

function createState(out: SessionWriter) {
  // Whether the messages report their own usage.
  return Object.assign(createWriter(out), { responses: 0, counted: false, images: 0 })
}

async function read(records: AsyncIterable<LogRecord>, out: SessionWriter): Promise<void> {
  const state = createState(out)
  await readRecords(records, state, (record) => {
    state.time = json.text(record.timestamp)
    return readKind(state, record.type, record) || readSettings(state, record)
  })
}

const readKind = byKind<State>({
  session_start({ out }, record) {
    const titles = [record.sessionTitle, record.title].map((each) => json.text(each))
    const title = titles.find((text) => text !== undefined && text !== 'New Session')
    out.meta({ id: json.text(record.id), title, cwd: json.text(record.cwd) })
    out.absorb('session metadata')
  },
  message: readMessage,
  todo_state: 'task list, as the call before it wrote it',
  'session_event session_end': 'session metadata',
  'compaction_state compaction'(state, record) {
    const text = json.text(record.summaryText) ?? json.text(record.summary)
    if (text === undefined) return false
    const tokensBefore = json.count(record.tokensBefore) ?? json.count(record.removedTokens)
    state.write({ type: 'compaction', text, tokensBefore })
  },
})

/**
 * `{model, tokenUsage: {inputTokens, outputTokens, cacheCreationTokens, cacheReadTokens, thinkingTokens}}`, unless the
 * messages have their own usage.
 */
function readSettings(state: State, settings: json.Fields): boolean {
  if (!isSettings(settings)) return false
  const model = json.text(settings.model)
  state.out.meta({ models: [model] })
  if (!state.counted)
    state.usage('session', usageIn(settings.tokenUsage, 'factory-droid'), model ?? 'unknown')
  state.out.absorb('settings and usage of the session')
  return true
}

/** Blocks of the Anthropic API, which may be for the user's eyes only. */
function readMessage(state: State, record: json.Fields): boolean {
  const message = json.object(record.message)
  if (message?.role !== 'user' && message?.role !== 'assistant') return false
  const { role, content } = message
  if (role === 'assistant') {
    state.model = json.text(message.model) ?? state.model
    countResponse(state, json.text(record.id), json.object(message.usage))
  }
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : json.list(content)
  state.undone = message.visibility === 'user_only' || record.visibility === 'user_only'
  state.images = role === 'user' ? blocks.filter((block) => json.at(block, 'type') === 'image').length : 0
  for (const value of blocks) {
    const block = json.fields(value)
    const type = block.type === 'text' ? role : block.type
    if (!readBlock(state, type, block)) state.other(value, json.text(block.type) ?? 'block')
  }
  if (state.images > 0) state.ask('', state)
  state.undone = false
  state.out.absorb('empty message')
  return true
}

const readBlock = byKind<State>({
  user: (state, { text }) => typeof text === 'string' && readPrompt(state, text),
  assistant: (state, { text }) => typeof text === 'string' && void state.say(text),
  thinking: (state, { thinking }) => void state.think(thinking),
  redacted_thinking: 'encrypted reasoning',
  tool_use(state, { id, name, input }) {
    if (json.text(name) === undefined) return false
    state.call({ id, name: json.text(name) ?? '', input })
  },
  tool_result(state, { tool_use_id, content, is_error }) {
    const call = state.take(tool_use_id)
    const { text, images } = outputText(content)
    const exitCode = call?.kind === 'execute' ? exitCodeOf(text) : undefined
    const status = statusOf(text, is_error === true, exitCode)
    state.result(call, { status, text, exitCode, images }, tool_use_id)
  },
  image: 'picture of a message',
})

function readPrompt(state: State, text: string): boolean {
  const { blocks, rest } = cutBlocks(text, 'system-reminder')
  const words = rest.trim()
  for (const reminder of blocks) state.contextOnce('harness', 'system-reminder', reminder.trim())
  // Shown to the user and not to the model: output of a command of the interface.
  if (state.undone) state.context('output', 'user_only', words)
  else if (/^(?:Request (?:cancelled|interrupted) by user|\[Request interrupted)/.test(words))
    state.context('harness', 'interrupted', words)
  else if (words !== '') {
    state.ask(words, state)
    state.images = 0
  }
  return true
}

function exitCodeOf(text: string): number | undefined {
  return (
    numberIn(text.slice(-200), /\[Process exited with code (-?\d{1,10})\]\s*$/) ??
    numberIn(text.slice(0, 300), /\(exit code:? (-?\d{1,10})\)/i)
  )
}

const denied =
  /^(?:Error: )?(?:User (?:denied|rejected|declined)|The user (?:denied|rejected)|Tool execution (?:denied|rejected))/i
const cancelled =
  /^(?:Error: )?(?:Tool execution cancelled|Request (?:cancelled|interrupted)|Aborted by user)/i

function statusOf(text: string, failed: boolean, code: number | undefined): ToolResultEvent['status'] {
  const head = text.slice(0, 300)
  if (denied.test(head)) return 'denied'
  if (cancelled.test(head)) return 'cancelled'
  return failed || (code !== undefined && code !== 0) ? 'error' : 'ok'
}

function countResponse(state: State, id: string | undefined, usage: json.Fields | undefined): void {
  state.responses++
  if (usage === undefined) return
  state.counted = true
  state.usage(id ?? `response ${state.responses}`, usageIn(usage, 'anthropic'))
}

function isSettings(value: unknown): value is json.Fields {
  const object = json.object(value)
  return object !== undefined && object.type === undefined && ('tokenUsage' in object || 'model' in object)
}
