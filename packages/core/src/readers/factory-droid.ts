import { basename, dirname, join } from 'node:path'
import * as json from '../session/json.ts'
import { readModelBlocks } from './anthropic-messages/blocks.ts'
import { unpackedName } from './log/log-file.ts'
import type { Reader } from './reader/reader.ts'
import { byKind, readRecords } from './shared/by-kind.ts'
import { filesAt, filesThatBegin } from './shared/folder-files.ts'
import { cutBlocks } from './shared/program-blocks.ts'
import { usageIn } from './shared/usage.ts'
import { createWriter, type Writer } from './shared/writer.ts'

/**
 * Reads sessions of Factory's Droid, `~/.factory/sessions/<project>/<id>.jsonl`, with model and usage from
 * `<id>.settings.json` next to them.
 */
export const factoryDroidReader: Reader = {
  name: 'factory-droid',
  framing: ({ document }) => (isSettings(document) ? 'document' : 'lines'),
  detect({ records }) {
    let score = 0
    for (const value of records) {
      const { type, id, message, uuid, ...record } = json.fields(value)
      // pi writes the same kind of message, in a session that begins otherwise.
      if (type === 'session') return 0
      if (json.text(id) === undefined) continue
      const marks = ['sessionTitle', 'owner', 'version', 'cwd', 'title'].filter((mark) => mark in record)
      if (type === 'session_start' && marks.length >= 2) return 1
      const role = json.at(message, 'role')
      if (type === 'message' && uuid === undefined && (role === 'user' || role === 'assistant')) score = 0.55
    }
    return score
  },
  async logsInFolder(folder) {
    const store = basename(folder) === '.factory' ? join(folder, 'sessions') : folder
    const found = await filesAt(store, /\.jsonl$/)
    if (basename(store) === 'sessions') found.push(...(await filesAt(store, /./, /\.jsonl$/)))
    return await filesThatBegin(found, firstLine)
  },
  async sessionFiles(path) {
    const log = unpackedName(basename(path))
    if (!log.endsWith('.jsonl')) return []
    return await filesThatBegin(await filesAt(dirname(path), log.replace(/jsonl$/, 'settings.json')), /\S/)
  },
  async read(records, out) {
    const state: State = Object.assign(createWriter(out), { responses: 0, counted: false, images: 0 })
    await readRecords(records, state, (record) => {
      state.time = json.text(record.timestamp)
      return readKind(state, record.type, record) || readSettings(state, record)
    })
  },
}

const firstLine = /^\uFEFF?\s*\{"type":\s*"session_start"/

type State = Writer & { responses: number; counted: boolean; images: number }

const readKind = byKind<State>({
  session_start({ meta }, record) {
    const title = json.texts([record.sessionTitle, record.title]).find((text) => text !== 'New Session')
    return meta({ id: json.text(record.id), title, cwd: json.text(record.cwd) })
  },
  // Blocks of the Anthropic API, which may be visible only to the user.
  message(state, record) {
    const { content, model, role, usage, visibility = record.visibility } = json.fields(record.message)
    if (role !== 'user' && role !== 'assistant') return false
    if (role === 'assistant') {
      state.model = json.text(model) ?? state.model
      state.responses++
      state.counted ||= json.object(usage) !== undefined
      state.usage(json.text(record.id) ?? `response ${state.responses}`, usageIn(usage, 'anthropic'))
    }
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : json.list(content)
    const isImage = (block: unknown): boolean => role === 'user' && json.at(block, 'type') === 'image'
    state.undone = visibility === 'user_only'
    state.images = blocks.filter(isImage).length
    for (const value of blocks) {
      const { text, type } = json.fields(value)
      if (isImage(value)) state.out.absorb('picture of a message')
      else if (role === 'user' && type === 'text' && typeof text === 'string') readPrompt(state, text)
      else readModelBlocks(state, [value])
    }
    if (state.images > 0) state.ask('', state)
    state.undone = false
    state.out.absorb('empty message')
  },
  todo_state: 'task list, as the call before it wrote it',
  'session_event session_end': 'session metadata',
  'compaction_state compaction'(state, record) {
    const text = json.text(record.summaryText) ?? json.text(record.summary)
    if (text === undefined) return false
    state.compact(text, { tokensBefore: json.count(record.tokensBefore) ?? record.removedTokens })
  },
})

function readSettings(state: State, settings: json.Fields): boolean {
  if (!isSettings(settings)) return false
  const model = json.text(settings.model)
  state.out.meta({ models: [model] })
  if (!state.counted)
    state.usage('session', usageIn(settings.tokenUsage, 'factory-droid'), model ?? 'unknown')
  state.out.absorb('settings and usage of the session')
  return true
}

function readPrompt(state: State, text: string): void {
  const { blocks, rest } = cutBlocks(text, 'system-reminder')
  const words = rest.trim()
  for (const reminder of blocks) state.contextOnce('harness', 'system-reminder', reminder.trim())
  // Shown only to the user, not to the model: output of a command of the interface.
  if (state.undone) state.context('output', 'user_only', words)
  else if (/^(?:Request (?:cancelled|interrupted) by user|\[Request interrupted)/.test(words))
    state.context('harness', 'interrupted', words)
  else if (words !== '') {
    state.ask(words, state)
    state.images = 0
  }
}

function isSettings(value: unknown): value is json.Fields {
  const object = json.object(value)
  return object !== undefined && object.type === undefined && ('tokenUsage' in object || 'model' in object)
}
