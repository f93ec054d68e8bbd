import type { SessionEvent, SubagentEvent, ToolCallEvent, ToolResultEvent } from '../session/event.ts'
import * as json from '../session/json.ts'
import { known } from '../session/known.ts'
import type { AtifExtra, AtifResult, AtifStep, AtifToolCall } from './atif-trajectory.ts'

interface OpenStep {
  readonly source: AtifStep['source']
  readonly event: SessionEvent
  readonly extra: AtifExtra
  model?: string | undefined
  message: string
  readonly reasoning: string[]
  readonly calls: AtifToolCall[]
  readonly results: AtifResult[]
  readonly events: string[]
}

/**
 * Combines the events of one agent into steps: one response of the model (reasoning, words, calls) and the results of
 * its calls are one step; every other event is a separate step. `extra.events` names the events of a step.
 */
export function atifSteps(events: readonly SessionEvent[]): AtifStep[] {
  const steps: OpenStep[] = []
  const stepOfCall = new Map<string, OpenStep>()
  let response: OpenStep | undefined

  const open = (event: SessionEvent, source: AtifStep['source'], message: string, extra = {}): OpenStep => {
    const step = { source, event, extra, message, reasoning: [], calls: [], results: [], events: [event.id] }
    steps.push(step)
    return step
  }
  const answering = (event: SessionEvent, fits: (step: OpenStep) => boolean): OpenStep => {
    const { copied, inContext } = response?.event ?? {}
    const isSame = copied === event.copied && inContext === event.inContext
    if (response !== undefined && isSame && fits(response)) {
      response.events.push(event.id)
      return response
    }
    response = open(event, 'agent', '')
    return response
  }

  for (const event of events) {
    if (event.type === 'reasoning') answering(event, isUnsaid).reasoning.push(event.text)
    else if (event.type === 'assistant') {
      const step = answering(event, isUnsaid)
      step.message = event.text
      step.model ??= event.model
    } else if (event.type === 'tool_call') {
      const isOwn = (call: AtifToolCall) => call.tool_call_id === event.callId
      const step = answering(event, ({ results, calls }) => results.length === 0 && !calls.some(isOwn))
      step.model ??= event.model
      step.calls.push(atifCall(event))
      stepOfCall.set(event.callId, step)
    } else if (event.type === 'tool_result' || 'child' in event) {
      const step = event.callId === undefined ? undefined : stepOfCall.get(event.callId)
      if (step === undefined) {
        open(event, 'system', '', extraOf(event)).results.push(looseResult(event))
        response = undefined
      } else {
        step.events.push(event.id)
        const isResult = event.type === 'tool_result'
        addResult(step.results, isResult ? atifResult(event) : childRef(event.child, event.callId))
      }
    } else {
      response = undefined
      // To a subagent, a task from another agent is what the user's message is to the main agent.
      const isTask = event.type === 'context' && event.origin === 'agent'
      const source = event.type === 'user' || isTask ? 'user' : 'system'
      open(event, source, 'text' in event ? event.text : '', extraOf(event))
    }
  }
  return steps.map(closed)
}

const isUnsaid = ({ message, calls }: OpenStep): boolean => message === '' && calls.length === 0

function closed(step: OpenStep, index: number): AtifStep {
  const { source, event, message, reasoning, calls, results, events } = step
  return {
    step_id: index + 1,
    ...known({ timestamp: event.time }),
    source,
    ...(source === 'agent' && known({ model_name: step.model })),
    message,
    ...(reasoning.length > 0 && { reasoning_content: reasoning.join('\n\n') }),
    ...(calls.length > 0 && { tool_calls: calls }),
    ...(results.length > 0 && { observation: { results } }),
    ...(event.copied === true && { is_copied_context: true as const }),
    extra: {
      events,
      turn: event.turn,
      ...step.extra,
      ...(event.inContext === false && { in_context: false }),
    },
  }
}

function atifCall({ callId, name, input, kind }: ToolCallEvent): AtifToolCall {
  const fields = json.object(input)
  return {
    tool_call_id: callId,
    function_name: name,
    arguments: fields ?? { input },
    extra: { kind, ...(fields === undefined && { raw_input: true }) },
  }
}

function atifResult({ callId, text, status, exitCode, changes, images }: ToolResultEvent): AtifResult {
  const extra = known({ status, exit_code: exitCode, changes, images })
  return { source_call_id: callId, content: text, extra }
}

function childRef(child: string, callId?: string): AtifResult {
  return { ...known({ source_call_id: callId }), subagent_trajectory_ref: [{ trajectory_id: child }] }
}

/** Without `source_call_id`, which must name a call of the step: the log has no call for this result. */
function looseResult(event: ToolResultEvent | SubagentEvent): AtifResult {
  if (event.type !== 'tool_result') return childRef(event.child)
  const { source_call_id, extra, ...result } = atifResult(event)
  return { ...result, extra: { ...extra, call_id: source_call_id } }
}

/** A call gets one reference to its subagent, even if the log reports it several times. */
function addResult(results: AtifResult[], result: AtifResult): void {
  const [ref] = result.subagent_trajectory_ref ?? []
  const isReported = (other: AtifResult): boolean =>
    other.source_call_id === result.source_call_id &&
    (other.subagent_trajectory_ref ?? []).some(({ trajectory_id }) => trajectory_id === ref?.trajectory_id)
  if (ref === undefined || !results.some(isReported)) results.push(result)
}

function extraOf(event: SessionEvent): AtifExtra {
  switch (event.type) {
    case 'user':
      return known({ origin: event.origin, images: event.images })
    case 'context':
      return known({ origin: event.origin, name: event.name, images: event.images })
    case 'compaction':
      return known({ event: event.type, trigger: event.trigger, tokens_before: event.tokensBefore })
    case 'rewind':
      return { event: event.type, turns: event.turns }
    case 'other':
      return { event: event.type, name: event.name, raw: event.raw }
    default:
      return { event: event.type }
  }
}
