import { asList, asNumber, asObject, asText, type JsonObject, objectsIn } from '../session/json-values.ts'
import type { LogHead, LogRecord, Reader, SessionWriter } from './reader/reader.ts'
import { outputText } from './shared/content.ts'
import { linesUnlessDocument } from './shared/framing.ts'
import { byKind, createWriter, readRecords } from './shared/writer.ts'

/**
 * Reads what `codex exec --json` prints and `runStreamed()` of Codex's SDK yields, one event a line, and the turns that
 * its `run()` returns. They hold neither the prompt nor times. https://developers.openai.com/codex/sdk
 */
export const codexExecReader: Reader = { name: 'codex-exec', framing: linesUnlessDocument, detect, read }

const events = /^(?:thread\.started|turn\.(?:started|completed|failed)|item\.(?:started|updated|completed))$/
const items =
  /^(?:agent_message|reasoning|command_execution|file_change|mcp_tool_call|collab_tool_call|web_search|todo_list|error)$/

function detect({ document, records }: LogHead): number {
  if (document !== undefined) return turnsIn(document).length > 0 ? 0.95 : isEvent(document) ? 0.9 : 0
  const own = records.filter(isEvent).length
  return own > 0 && own * 2 > records.length ? 0.95 : 0
}

function isEvent(value: unknown): boolean {
  const { type, item, thread_id, usage } = asObject(value) ?? {}
  const kind = asText(type) ?? ''
  return (
    events.test(kind) &&
    (!kind.startsWith('item.') || isItem(item)) &&
    (asText(thread_id) ?? usage ?? kind) !== undefined
  )
}

function isItem(value: unknown): boolean {
  const { id, type } = asObject(value) ?? {}
  return asText(id) !== undefined && items.test(asText(type) ?? '')
}

/** Turns of `run()`: `{items, finalResponse, usage}`. */
function turnsIn(value: unknown): JsonObject[] {
  const turns = Array.isArray(value) ? objectsIn(value) : [asObject(value) ?? {}]
  return turns.filter((turn) => 'finalResponse' in turn && asList(turn.items).every(isItem))
}

type State = ReturnType<typeof createState>

function createState(out: SessionWriter) {
  // Items that a turn went on with are there again, under their ids.
  return Object.assign(createWriter(out), { begun: new Set<string>(), turn: 0 })
}

async function read(records: AsyncIterable<LogRecord>, out: SessionWriter): Promise<void> {
  const state = createState(out)
  await readRecords(lists(records), state, (record) => {
    const [turn] = turnsIn(record)
    if (turn === undefined) return readEvent(state, record.type, record)
    for (const item of objectsIn(turn.items)) readDone(state, item)
    endTurn(state, turn)
  })
}

async function* lists(records: AsyncIterable<LogRecord>): AsyncGenerator<LogRecord> {
  for await (const record of records)
    if (Array.isArray(record.value) && record.value.length > 0)
      for (const value of record.value) yield { ...record, value }
    else yield record
}

function endTurn(state: State, { usage }: JsonObject): void {
  const {
    cache_write_input_tokens,
    cached_input_tokens,
    input_tokens,
    output_tokens,
    reasoning_output_tokens,
  } = asObject(usage) ?? {}
  state.usage(`turn-${++state.turn}`, {
    inputTokens: input_tokens,
    outputTokens: output_tokens,
    cacheReadTokens: cached_input_tokens,
    cacheWriteTokens: cache_write_input_tokens,
    reasoningTokens: reasoning_output_tokens,
  })
  state.begun.clear()
  state.out.absorb('end of a turn')
}

const readEvent = byKind<State>({
  'thread.started'({ out }, { thread_id }) {
    out.meta({ id: asText(thread_id) })
    out.absorb('session metadata')
  },
  'turn.started': 'turn',
  'turn.completed': endTurn,
  'turn.failed': (state, { error }) =>
    state.context('harness', 'error', asText(asObject(error)?.message) ?? ''),
  error: (state, { message }) =>
    typeof message === 'string' && void state.context('harness', 'error', message),
  'item.started item.updated'(state, { item }) {
    const begun = asObject(item)
    if (begun === undefined || !isItem(item)) return false
    // A check list changes until its turn ends.
    if (begun.type !== 'todo_list') readCall(state, begun)
    state.out.absorb('progress of an item')
  },
  'item.completed'(state, { item }) {
    const done = asObject(item)
    if (done === undefined) return false
    return readDone(state, done)
  },
})

/** Writes the call that an item is, once; returns `false` if it is none. */
function readCall(state: State, item: JsonObject): boolean {
  const call = readTool(item)
  const id = asText(item.id) ?? ''
  if (call !== undefined && !state.begun.has(id)) state.call({ id, ...call })
  state.begun.add(id)
  return call !== undefined
}

function readTool(item: JsonObject) {
  const { arguments: input, changes, command, query, server, tool, type } = item
  if (type === 'command_execution')
    return { name: 'exec_command', input: { command }, kind: 'execute' } as const
  if (type === 'file_change') return { name: 'apply_patch', input: { changes }, kind: 'edit' } as const
  if (type === 'web_search') return { name: 'web_search', input: { query }, kind: 'fetch' } as const
  if (type === 'todo_list')
    return { name: 'update_plan', input: { plan: planOf(item) }, kind: 'think' } as const
  if (type === 'mcp_tool_call')
    return { name: `${asText(server) ?? 'mcp'}.${asText(tool) ?? 'tool'}`, input } as const
  return type === 'collab_tool_call'
    ? ({ name: asText(tool) ?? 'agent', input: { prompt: item.prompt } } as const)
    : undefined
}

/** The check list in the form of the tool that wrote it. */
function planOf({ items: steps }: JsonObject) {
  return objectsIn(steps).map(({ completed, text }) => ({
    step: text,
    status: completed === true ? 'completed' : 'pending',
  }))
}

function readDone(state: State, item: JsonObject): boolean {
  const text = asText(item.text) ?? ''
  if (item.type === 'agent_message') state.say(text)
  else if (item.type === 'reasoning') state.think(text)
  else if (item.type === 'error') state.context('harness', 'error', asText(item.message) ?? '')
  else if (!readCall(state, item)) return false
  else {
    const call = state.take(item.id)
    const failed = item.status === 'failed' || item.status === 'declined'
    const exitCode = asNumber(item.exit_code)
    const status = item.status === 'declined' ? 'denied' : failed || (exitCode ?? 0) !== 0 ? 'error' : 'ok'
    const actions = { add: 'created', delete: 'deleted', update: 'modified' } as const
    const changes = objectsIn(failed ? [] : item.changes).flatMap(({ kind, path }) => {
      const file = asText(path)
      return file === undefined ? [] : [{ path: file, action: actions[kind as 'add'] ?? 'modified' }]
    })
    const result = asObject(item.result)
    const shown = outputText(
      asText(item.aggregated_output) ?? result?.content ?? asText(asObject(item.error)?.message) ?? '',
    )
    state.result(call, { status, ...shown, exitCode, changes }, item.id)
  }
  return true
}
