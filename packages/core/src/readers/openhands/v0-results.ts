import type { FileChange, ToolResultEvent } from '../../session/event.ts'
import { asList, asNumber, asObject, asText, type JsonObject } from '../../session/json-values.ts'
import { diffCounts } from '../shared/diff-counts.ts'
import { knownOutcome } from '../shared/outcome.ts'
import { closeCall, type OpenHandsCall, type OpenHandsState, write, writeContext } from './state.ts'
import { idOf } from './v0-calls.ts'

/** Reads an observation: the result of the action that caused it. Returns `false` if neither is known. */
export function readObservation(state: OpenHandsState, event: JsonObject): boolean {
  const { out } = state
  const kind = asText(event.observation) ?? ''
  const extras = asObject(event.extras) ?? event
  switch (kind) {
    case 'null':
      out.absorb('state of the agent')
      return true
    case 'agent_state_changed': {
      const reason = extras.agent_state === 'error' ? asText(extras.reason) : undefined
      if (!writeContext(state, 'harness', 'error', reason)) out.absorb('state of the agent')
      return true
    }
    case 'recall':
      if (!readRecall(state, extras)) out.absorb('recall of knowledge')
      return true
    case 'agent_condensation':
      write(state, { type: 'compaction', text: asText(event.content) ?? '' })
      return true
    case 'delegate':
      endDelegate(state, event)
  }
  return readResult(state, event, extras, kind)
}

function readResult(state: OpenHandsState, event: JsonObject, extras: JsonObject, kind: string): boolean {
  const rawId = asText(asObject(event.tool_call_metadata)?.tool_call_id)
  const call = closeCall(state, rawId, idOf(event.cause))
  const text = textOf(event, extras, kind)
  if (call === undefined) {
    if (text === undefined) return false
    if (!writeContext(state, kind === 'error' ? 'harness' : 'output', kind, text))
      state.out.absorb('repeated context')
    return true
  }
  const code = exitCodeOf(event, extras)
  const folder = asText(asObject(extras.metadata)?.working_dir)
  state.out.meta({ cwd: folder })
  if (call.byPerson === true) {
    write(state, { type: 'context', origin: 'output', name: 'command', text: text ?? '' })
    return true
  }
  writeResult(state, call, event, extras, { kind, text: text ?? '', code })
  return true
}

function writeResult(
  state: OpenHandsState,
  call: OpenHandsCall,
  event: JsonObject,
  extras: JsonObject,
  { kind, text, code }: { kind: string; text: string; code: number | undefined },
): void {
  const status = statusOf(kind, text, event, extras, code)
  const changes = /^(?:edit|run_ipython)$/.test(kind) && status === 'ok' ? changesOf(extras, text) : []
  const images =
    asList(extras.image_urls).length + (kind.startsWith('browse') && asText(extras.screenshot) ? 1 : 0)
  const outcome = knownOutcome({ status, text, exitCode: code, changes, images })
  write(state, { type: 'tool_result', callId: call.callId, ...outcome })
  if (call.child === undefined) return
  write(state, { type: 'subagent_end', child: call.child, callId: call.callId })
}

function endDelegate(state: OpenHandsState, event: JsonObject): void {
  const call = state.byAction.get(idOf(event.cause) ?? '')
  const at = call?.child === undefined ? state.agents.length - 1 : state.agents.indexOf(call.child)
  if (at > 0) state.agents.length = at
}

/** The output, with how a command ended if it gave no exit code. */
function textOf(event: JsonObject, extras: JsonObject, kind: string): string | undefined {
  const content = typeof event.content === 'string' ? event.content : undefined
  if (kind === 'delegate') {
    const outputs = asObject(extras.outputs)
    const output = asText(outputs?.content) ?? (outputs === undefined ? undefined : JSON.stringify(outputs))
    return content !== undefined && content !== '' ? content : (output ?? content)
  }
  const ending = asText(asObject(extras.metadata)?.suffix)
  if (content === undefined || ending === undefined || /exit code -?\d+\.?\]/.test(ending)) return content
  return `${content}${ending}`
}

/** The exit code. -1 means that the command still runs. */
function exitCodeOf(event: JsonObject, extras: JsonObject): number | undefined {
  const code =
    asNumber(asObject(extras.metadata)?.exit_code) ?? asNumber(extras.exit_code) ?? asNumber(event.exit_code)
  return code === -1 ? undefined : code
}

/** Messages of the file editor inside the notebook when an edit failed. */
const failures = [
  'ERROR:',
  '[Your proposed edit has introduced new syntax error',
  '[No exact match found in ',
  'Error executing ',
]

function statusOf(
  kind: string,
  text: string,
  event: JsonObject,
  extras: JsonObject,
  code: number | undefined,
): ToolResultEvent['status'] {
  if (kind === 'user_rejected') return 'denied'
  if (kind === 'error' || extras.error === true || (code !== undefined && code !== 0)) return 'error'
  if (event.success === false && code !== undefined) return 'error'
  return failures.some((start) => text.startsWith(start)) ? 'error' : 'ok'
}

function changesOf(extras: JsonObject, text: string): FileChange[] {
  const edited = /^\[File: (\S+) \(\d+ lines total after edit\)\]/.exec(text.slice(0, 1000))?.[1]
  if (edited !== undefined) return [{ path: edited, action: 'modified' }]
  const path = asText(extras.path)
  const diff = asText(extras.diff) ?? (text.startsWith('--- ') ? text : undefined)
  const counts = diff === undefined ? undefined : diffCounts(diff)
  if (path === undefined || counts === undefined) return []
  const created = extras.prev_exist === false && (asText(extras.old_content) ?? '') === ''
  return [{ path, action: created ? 'created' : 'modified', ...counts }]
}

/** Reads what the harness recalled for the agent: notes on the repository and pieces of knowledge. */
function readRecall(state: OpenHandsState, extras: JsonObject): boolean {
  const about = [
    extras.repo_instructions,
    extras.additional_agent_instructions,
    extras.conversation_instructions,
  ]
  const texts = about.map(asText).filter((text) => text !== undefined)
  let written = writeContext(state, 'attachment', 'workspace', texts.join('\n\n'))
  for (const value of asList(extras.microagent_knowledge)) {
    const piece = asObject(value)
    const name = asText(piece?.name)
    const text = asText(piece?.content) ?? (piece === undefined ? undefined : JSON.stringify(piece))
    if (writeContext(state, 'attachment', name === undefined ? 'knowledge' : `knowledge ${name}`, text))
      written = true
  }
  return written
}
