import type { EventDraft, ToolKind } from '../../../session/event.ts'
import { asObject } from '../../../session/json-values.ts'
import { plainValue, textOf } from '../../../session/plain-value.ts'
import { byWord } from '../../../tools/by-word.ts'
import { mcpToolName } from '../mcp-tool-name.ts'
import { toolResultOf } from './conversation-tools.ts'

/** Called for anything in a turn that has no event of its own. */
export type TurnNote = (code: 'unknown-turn' | 'unknown-step' | 'deep-steps', message: string) => void

/** Maximum levels of nested subagents to read; deeper ones become a note. */
const deepest = 16

const kinds = byWord<ToolKind>({
  execute: 'shell',
  edit: 'write edit',
  delete: 'delete',
  read: 'read readLints',
  search: 'glob grep ls semSearch',
  think: 'createPlan updateTodos',
})

/**
 * The events of one `ConversationTurn`, no matter what it contains; `number` counts turns from 1 and forms the call ids
 * (`t1s2`), which turns lack. A shell command of the user is a call of `user_shell`; the steps of a `task` are events
 * of a subagent. Steps and turns of unknown types become `other` events and notes.
 */
export function turnEvents(turn: unknown, number: number, note: TurnNote): EventDraft[] {
  const record = asObject(turn)
  const body = asObject(record?.turn)
  if (body !== undefined && (Array.isArray(body.steps) || 'userMessage' in body)) {
    const prompt = textOf(asObject(body.userMessage)?.text ?? body.userMessage)
    const user: EventDraft[] = prompt === '' ? [] : [{ type: 'user', origin: 'typed', text: prompt }]
    return [...user, ...stepEvents(body.steps, { place: `t${number}s`, agent: 'main', depth: 0, note })]
  }
  if (body !== undefined && ('shellCommand' in body || 'shellOutput' in body)) return shellTurn(body, number)
  const name = nameOf(record?.type, 'turn')
  note('unknown-turn', `turn ${number} has a kind or shape that is not known: ${name}`)
  return [{ type: 'other', name, raw: plainValue(turn) }]
}

interface StepPlace {
  /** Prefix of the call ids. */
  readonly place: string
  readonly agent: string
  readonly depth: number
  readonly note: TurnNote
}

function stepEvents(steps: unknown, at: StepPlace): EventDraft[] {
  return (Array.isArray(steps) ? steps : []).flatMap((step, index) =>
    stepEvent(step, { ...at, place: `${at.place}${index + 1}` }),
  )
}

function stepEvent(step: unknown, at: StepPlace): EventDraft[] {
  const record = asObject(step)
  const { agent } = at
  const message = record?.message
  if (record?.type === 'assistantMessage' || record?.type === 'thinkingMessage') {
    const text = textOf(asObject(message)?.text ?? message)
    if (text === '') return []
    return [{ type: record.type === 'assistantMessage' ? 'assistant' : 'reasoning', agent, text }]
  }
  const call = asObject(message)
  if (record?.type === 'toolCall' && call !== undefined) return callEvents(call, at)
  const name = nameOf(record?.type, 'step')
  at.note('unknown-step', `step ${at.place} has a kind or shape that is not known: ${name}`)
  return [{ type: 'other', agent, name, raw: plainValue(step) }]
}

function callEvents(call: Readonly<Record<string, unknown>>, at: StepPlace): EventDraft[] {
  const { agent, place: callId } = at
  const tool = nameOf(call.type, 'tool')
  const { providerIdentifier, toolName } = asObject(call.args) ?? {}
  const name = tool === 'mcp' ? mcpToolName(providerIdentifier, toolName) : tool
  const kind = kinds.get(tool) ?? 'other'
  const begun: EventDraft = { type: 'tool_call', agent, callId, name, kind, input: plainValue(call.args) }
  const result = toolResultOf(tool, call.args, call.result)
  const done: EventDraft[] = result === undefined ? [] : [{ type: 'tool_result', agent, callId, ...result }]
  return [begun, ...(tool === 'task' ? subagentEvents(call, at) : []), ...done]
}

function subagentEvents(call: Readonly<Record<string, unknown>>, at: StepPlace): EventDraft[] {
  const value = asObject(asObject(call.result)?.value)
  const steps = value?.conversationSteps
  if (!Array.isArray(steps) || steps.length === 0) return []
  if (at.depth >= deepest) {
    at.note('deep-steps', `the ${steps.length} steps of the task in step ${at.place} are nested too deep`)
    return []
  }
  const named = value?.agentId
  const child = typeof named === 'string' && named !== '' && named !== 'main' ? named : `task-${at.place}`
  const link = { agent: at.agent, child, callId: at.place }
  const inside = stepEvents(steps, { ...at, place: `${at.place}.`, agent: child, depth: at.depth + 1 })
  return [{ type: 'subagent_start', ...link }, ...inside, { type: 'subagent_end', ...link }]
}

function shellTurn(body: Readonly<Record<string, unknown>>, number: number): EventDraft[] {
  const callId = `t${number}`
  const input = plainValue(body.shellCommand)
  const call: EventDraft = { type: 'tool_call', callId, name: 'user_shell', kind: 'execute', input }
  if (body.shellOutput === undefined || body.shellOutput === null) return [call]
  const result = toolResultOf('shell', undefined, { status: 'success', value: body.shellOutput })
  return result === undefined ? [call] : [call, { type: 'tool_result', callId, ...result }]
}

function nameOf(type: unknown, otherwise: string): string {
  return typeof type === 'string' && type !== '' ? type : otherwise
}
