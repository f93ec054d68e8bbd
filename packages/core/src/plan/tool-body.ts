import { cleanText } from '../session/clean-text.ts'
import type { ToolCallEvent, ToolResultEvent } from '../session/event.ts'
import { changedText } from '../tools/given-text.ts'
import { field } from '../tools/input-field.ts'
import { cutMiddle } from './cut-middle.ts'
import { decisiveLines } from './decisive-lines.ts'
import type { PartKind } from './excerpt.ts'
import { hasFailed, withoutExitCode } from './tool-line.ts'

/** A text from a tool call's input or output, and its weight. */
interface Body {
  readonly kind: PartKind
  readonly text: string
}

export interface ToolBodyOptions {
  /** If the command tests, builds or lints. */
  readonly purpose?: string | undefined
  /** Makes the mark for text that was left out. */
  readonly omitted: (text: string) => string
}

/** Returns what a call was given beyond its target and what it returned, the decisive lines of a failure first. */
export function toolBodies(
  call: ToolCallEvent,
  result: ToolResultEvent | undefined,
  { purpose, omitted }: ToolBodyOptions,
): readonly Body[] {
  const cut = (text: string) => cutMiddle(text, omitted)
  const output =
    result === undefined
      ? ''
      : cut(
          cleanText(result.text)
            .replace(/<\/?tool_use_error>/g, '')
            .trim(),
        )
  if (/^(AskUserQuestion|ask_user|request_user_input|ask_followup_question)$/i.test(call.name)) {
    return [{ kind: 'question', text: output }]
  }
  if (call.kind === 'switch_mode') {
    const plan = field(call.input, 'plan')
    return [
      { kind: 'proposal', text: plan ?? '' },
      { kind: 'error-body', text: result?.status === 'ok' ? '' : output },
    ]
  }
  if (result !== undefined && hasFailed(result)) {
    const text = decisiveLines(withoutExitCode(output, result.exitCode))
    return [{ kind: 'error-body', text }, ...editBody(call, cut)]
  }
  if (/^(Task|Agent|spawn_agent|wait_agent)$/.test(call.name)) {
    return [
      { kind: 'agent-report', text: output },
      { kind: 'agent-task', text: cut(field(call.input, 'prompt') ?? field(call.input, 'message') ?? '') },
    ]
  }
  if (purpose !== undefined) return [{ kind: 'check-body', text: lastLines(output, 30) }]
  if (call.kind === 'edit') return editBody(call, cut)
  if (call.kind === 'think') return []
  if (call.kind === 'other') return [{ kind: 'output-body', text: output }]
  return [{ kind: call.kind === 'execute' ? 'output-body' : 'search-body', text: output }]
}

function editBody(call: ToolCallEvent, cut: (text: string) => string): Body[] {
  return call.kind === 'edit' ? [{ kind: 'edit-body', text: cut(changedText(call.input)) }] : []
}

function lastLines(output: string, count: number): string {
  const lines = output.split('\n')
  return lines.slice(-count).join('\n')
}
