import * as json from '../session/json.ts'
import type { LogHead, LogRecord, Reader, SessionWriter } from './reader/reader.ts'
import { byKind, readRecords, tableOf } from './shared/by-kind.ts'
import { linesUnlessDocument } from './shared/framing.ts'
import { usageIn } from './shared/usage.ts'
import { outputText } from './shared/values.ts'
import { type Change, createWriter, type NewCall, type Writer } from './shared/writer.ts'

/**
 * Reads the output of `codex exec --json` and of `runStreamed()` of Codex's SDK, one event per line, and the turns of
 * its `run()`. They contain neither the prompt nor times. Reads every kind of `sdk/typescript/src/{events,items}.ts` of
 * openai/codex (08a1f30c, 0e27faac). https://developers.openai.com/codex/sdk
 */
export const codexExecReader: Reader = { name: 'codex-exec', framing: linesUnlessDocument, detect, read }

const events =
  /^(?:thread\.started|turn\.(?:started|completed|failed)|item\.(?:started|updated|completed|plan\.delta)|request_user_input)$/
const items =
  /^(?:agent_message|plan|reasoning|command_execution|file_change|mcp_tool_call|collab_tool_call|web_search|todo_list|error)$/

function detect({ document, records }: LogHead): number {
  const given = document === undefined ? records : [document].flat()
  const own = turnsIn(document).length > 0 ? given : given.filter(isEvent)
  return own.length * 2 > given.length ? 0.95 : 0
}

function isEvent(value: unknown): boolean {
  const type = json.text(value, 'type') ?? ''
  return events.test(type) && (!/^item\.[a-z]+$/.test(type) || isItem(json.at(value, 'item')))
}

function isItem(value: unknown): boolean {
  return json.text(value, 'id') !== undefined && items.test(json.text(value, 'type') ?? '')
}

/** Returns turns of `run()`: `{items, finalResponse, usage}`. */
function turnsIn(value: unknown): json.Fields[] {
  const turns = json.objects(Array.isArray(value) ? value : [value])
  return turns.filter((turn) => 'finalResponse' in turn && json.list(turn.items).every(isItem))
}

/** Items that continue in a turn are repeated under the same ids. */
type State = Writer & { readonly begun: Set<string>; turn: number }

async function read(records: AsyncIterable<LogRecord>, out: SessionWriter): Promise<void> {
  const state: State = Object.assign(createWriter(out), { begun: new Set<string>(), turn: 0 })
  await readRecords(lists(records), state, (record) => {
    const [turn] = turnsIn(record)
    if (turn === undefined) return readEvent(state, record.type, record)
    for (const item of json.objects(turn.items)) readDone(state, item)
    endTurn(state, turn)
  })
}

async function* lists(records: AsyncIterable<LogRecord>): AsyncGenerator<LogRecord> {
  for await (const record of records)
    if (Array.isArray(record.value) && record.value.length > 0)
      for (const value of record.value) yield { ...record, value }
    else yield record
}

function endTurn(state: State, { usage }: json.Fields): void {
  state.usage(`turn-${++state.turn}`, usageIn(usage, 'codex'))
  state.begun.clear()
  state.out.absorb('end of a turn')
}

const readEvent = byKind<State>({
  'thread.started': ({ meta }, { thread_id }) => meta({ id: json.text(thread_id) }),
  'turn.started': 'turn',
  'turn.completed': endTurn,
  'turn.failed': (state, { error }) => void state.context('harness', 'error', json.at(error, 'message')),
  error: (state, { message }) =>
    typeof message === 'string' && void state.context('harness', 'error', message),
  'item.started item.updated'(state, { item }) {
    if (!isItem(item)) return false
    // A check list changes until its turn ends.
    if (json.at(item, 'type') !== 'todo_list') readCall(state, json.fields(item))
    state.out.absorb('progress of an item')
  },
  // The question of a tool; the next turn has the answer.
  request_user_input: ({ call }, { call_id, questions }) =>
    void call({ id: call_id, name: 'request_user_input', input: { questions } }),
  'item.plan.delta': 'progress of an item',
  'item.completed': (state, { item }) =>
    json.object(item) !== undefined && readDone(state, json.fields(item)),
})

function readCall(state: State, item: json.Fields): boolean {
  const call = calls.get(item.type)?.(item)
  const id = json.text(item.id) ?? ''
  if (call !== undefined && !state.begun.has(id)) state.call({ id, ...call })
  state.begun.add(id)
  return call !== undefined
}

const calls = tableOf<(item: json.Fields) => NewCall>({
  command_execution: ({ command }) => ({ name: 'exec_command', input: { command } }),
  file_change: ({ changes }) => ({ name: 'apply_patch', input: { changes } }),
  web_search: ({ query }) => ({ name: 'web_search', input: { query } }),
  todo_list: ({ items: steps }) => {
    // In the form of the tool that wrote it.
    const plan = json.objects(steps).map(({ completed, text: step }) => {
      return { step, status: completed === true ? 'completed' : 'pending' }
    })
    return { name: 'update_plan', input: { plan } }
  },
  mcp_tool_call: ({ arguments: input, server, tool }) => ({
    name: `${json.text(server) ?? 'mcp'}.${json.text(tool) ?? 'tool'}`,
    input,
  }),
  collab_tool_call: ({ prompt, tool }) => ({ name: json.text(tool) ?? 'agent', input: { prompt } }),
})

const actions = { add: 'created', delete: 'deleted', update: 'modified' } as const

function readDone(state: State, item: json.Fields): boolean {
  const { aggregated_output, changes, error, exit_code, id, message, result, status, type } = item
  const text = json.text(item.text) ?? ''
  if (type === 'agent_message' || type === 'plan') state.say(text)
  else if (type === 'reasoning') state.think(text)
  else if (type === 'error') state.context('harness', 'error', message)
  else if (!readCall(state, item)) return false
  else {
    const given = json.text(aggregated_output) ?? json.at(result, 'content') ?? json.text(error, 'message')
    const changed = json.objects(changes).flatMap(({ kind, path: given }): Change[] => {
      const path = json.text(given)
      return path === undefined ? [] : [{ path, action: actions[kind as 'add'] ?? 'modified' }]
    })
    const end = {
      status: status === 'declined' ? ('denied' as const) : undefined,
      failed: status === 'failed',
    }
    const outcome = { ...end, ...outputText(given ?? ''), exitCode: json.number(exit_code), changes: changed }
    state.result(state.take(id), outcome, id)
  }
  return true
}
