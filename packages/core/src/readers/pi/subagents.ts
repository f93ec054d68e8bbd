import { asList, asObject, asText, type JsonObject } from '../../session/json-values.ts'
import type { PiCall, PiState } from './state.ts'
import { write } from './state.ts'

/** Reads one message of a session; returns `false` if its role is not known. */
type ReadMessage = (state: PiState, message: JsonObject, key: string) => boolean

/**
 * Reads the details that pi's `subagent` extension adds to its results: for each task the messages of the agent that
 * ran it. https://github.com/badlogic/pi-mono/tree/main/packages/coding-agent/examples/extensions/subagent
 */
export function readSubagents(
  state: PiState,
  details: unknown,
  call: PiCall,
  readMessage: ReadMessage,
): void {
  for (const [index, value] of asList(asObject(details)?.results).entries()) {
    const result = asObject(value)
    if (result === undefined || !Array.isArray(result.messages) || asText(result.agent) === undefined)
      continue
    readOne(state, result, { child: `${call.callId}-${index + 1}`, callId: call.callId }, readMessage)
  }
}

function readOne(
  state: PiState,
  result: JsonObject,
  { child, callId }: { readonly child: string; readonly callId: string },
  readMessage: ReadMessage,
): void {
  const { agent, entry, model, out, time } = state
  out.agent({ id: child, parent: agent, callId, type: asText(result.agent) })
  write(state, { type: 'subagent_start', child, callId })
  Object.assign(state, {
    agent: child,
    entry: undefined,
    model: asText(result.model),
    task: asText(result.task),
  })
  for (const [index, value] of asList(result.messages).entries()) {
    const message = asObject(value)
    if (message === undefined || !readMessage(state, message, `${child}-${index + 1}`))
      write(state, { type: 'other', name: asText(message?.role) ?? 'message', raw: value })
  }
  Object.assign(state, { agent, entry, model, task: undefined, time })
  write(state, { type: 'subagent_end', child, callId })
}
