import type { CommandFact } from '../facts/facts.ts'
import { cleanLine, cleanText } from '../session/clean-text.ts'
import type { ToolCallEvent, ToolResultEvent } from '../session/event.ts'
import { toolInputText } from '../session/event-text.ts'
import type { TokenCounter } from '../tokens/token-counter.ts'
import { changedText } from '../tools/given-text.ts'
import { field } from '../tools/input-field.ts'
import { cutMiddle, decisiveLines } from './decisive-lines.ts'
import type { ExcerptPart } from './excerpt.ts'
import type { PartKind } from './part-kinds.ts'

/** Returns the target of a tool call in a few words: a path, a command, a pattern, a question. */
export function toolTarget(call: ToolCallEvent, cwd: string | undefined): string {
  const input = call.input
  if (typeof input === 'string') return patchFiles(input, cwd) ?? cleanLine(input)
  const named = [
    'file_path',
    'notebook_path',
    'filePath',
    'absolute_path',
    'target_file',
    'filename',
  ] as const
  const files = /^(?:read|edit|delete)$/.test(call.kind) ? ([...named, 'path'] as const) : named
  const path = files.map((key) => field(input, key)).find((text) => text !== undefined)
  if (path !== undefined) return relative(path, cwd)
  const patch = field(input, 'patchText') ?? field(input, 'patch')
  const patched = patch === undefined ? undefined : patchFiles(patch, cwd)
  if (patched !== undefined) return patched
  const command = commandOf(input)
  if (command !== undefined) return patchFiles(command, cwd) ?? withoutCwd(cleanLine(command), cwd)
  const pattern = field(input, 'pattern') ?? field(input, 'query') ?? field(input, 'regex')
  const place = field(input, 'path') ?? field(input, 'url')
  if (pattern !== undefined)
    return cleanLine(place === undefined ? pattern : `${pattern} in ${relative(place, cwd)}`)
  if (place !== undefined) return relative(place, cwd)
  const plan = field(input, 'plan')
  if (plan !== undefined)
    return cleanLine(
      plan
        .trim()
        .split('\n')[0]
        ?.replace(/^#+\s*/, '') ?? '',
    )
  const asked = questionsOf(input)
  if (asked !== undefined) return asked
  const todos = todoCounts(input)
  if (todos !== undefined) return todos
  const about =
    field(input, 'description') ?? field(input, 'skill') ?? field(input, 'subject') ?? field(input, 'message')
  if (about !== undefined) return cleanLine(about)
  return cleanLine(toolInputText(input))
}

/**
 * Returns the outcome of a call, if it is not plain success: ` -> exit 1`, ` -> denied`. `command` knows what a pipe
 * hides.
 */
export function toolOutcome(
  call: ToolCallEvent,
  result: ToolResultEvent | undefined,
  command?: CommandFact,
): string {
  if (result === undefined) return ' -> no result'
  if (result.exitCode !== undefined && result.exitCode !== 0) return ` -> exit ${result.exitCode}`
  if (result.status !== 'ok') return ` -> ${result.status}`
  return call.kind === 'execute' ? ` -> ${command?.status ?? 'ok'}` : changed(result)
}

/** Whether a result says that the call failed, or was not allowed to run. */
export function hasFailed({ status, exitCode = 0 }: ToolResultEvent): boolean {
  return (status !== 'ok' && status !== 'unknown') || exitCode !== 0
}

function changed(result: ToolResultEvent): string {
  const change = result.changes?.length === 1 ? result.changes[0] : undefined
  if (change?.added === undefined && change?.removed === undefined) return ''
  return ` +${change.added ?? 0} -${change.removed ?? 0}`
}

/** Makes the line of a tool call; its outcome stays however short the line is cut. */
export function linePart(text: string, suffix: string, counter: TokenCounter): ExcerptPart {
  return { kind: 'line', text, suffix, tokens: counter.count(`${text}${suffix}`), lines: 0 }
}

/** Returns the command line of a shell call as it was given, if it is one. */
export function commandOf(input: unknown): string | undefined {
  const command = field(input, 'command') ?? field(input, 'cmd') ?? field(input, 'code')
  if (command !== undefined) return command
  const list: unknown =
    typeof input === 'object' && input !== null && 'command' in input ? input.command : undefined
  if (!Array.isArray(list)) return undefined
  const words = list.map(String)
  return /^(?:.*\/)?(?:ba|z|da)?sh$/.test(words[0] ?? '') && /^-l?c$/.test(words[1] ?? '')
    ? words[2]
    : words.join(' ')
}

/** The file names of an apply_patch text, as it or SpecStory spells them. */
function patchFiles(text: string, cwd: string | undefined): string | undefined {
  const pattern = text.includes('*** Begin Patch') ? patchHead : shownHead
  const files = [...text.matchAll(pattern)]
  if (files.length === 0 && pattern === shownHead) return undefined
  return files.map(([, action, path = '']) => `${action?.toLowerCase()} ${relative(path, cwd)}`).join(', ')
}

const patchHead = /^\*\*\* (Add|Update|Delete) File: (.{1,400})$/gm
const shownHead = /^\*\*(Add|Update|Delete): `([^`\n]{1,400})`\*\*$/gm

function questionsOf(input: unknown): string | undefined {
  const list: unknown =
    typeof input === 'object' && input !== null ? Reflect.get(input, 'questions') : undefined
  if (!Array.isArray(list)) return undefined
  const questions = list.flatMap((item) => field(item, 'header') ?? field(item, 'question') ?? [])
  return questions.length === 0 ? undefined : cleanLine(questions.join(', '))
}

function todoCounts(input: unknown): string | undefined {
  const list: unknown =
    typeof input === 'object' && input !== null
      ? (Reflect.get(input, 'todos') ?? Reflect.get(input, 'plan'))
      : undefined
  if (!Array.isArray(list)) return undefined
  const counts = new Map<string, number>()
  for (const task of list) {
    const status = field(task, 'status') ?? 'pending'
    counts.set(status, (counts.get(status) ?? 0) + 1)
  }
  const active = list.find((task) => field(task, 'status') === 'in_progress')
  const now = field(active, 'content') ?? field(active, 'step')
  const sums = [...counts].map(([status, count]) => `${count} ${cleanLine(status)}`).join(', ')
  return now === undefined ? sums : `${sums}: ${cleanLine(now)}`
}

/** Returns a path as the session would write it: without the cwd if it is below the cwd. */
function relative(path: string, cwd: string | undefined): string {
  return cleanLine(cwd !== undefined && path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : path)
}

function withoutCwd(command: string, cwd: string | undefined): string {
  return cwd === undefined ? command : command.replace(`cd ${cwd} && `, '').replaceAll(`${cwd}/`, '')
}

/** Output without the line that repeats the exit code, which the outcome of the call gives. */
export function withoutExitCode(output: string, exitCode: number | undefined): string {
  return exitCode === undefined ? output : output.replace(/^Exit code \d{1,3}(?:\n|$)/, '')
}

/** A command without the `cd` to the folder of the session before it. */
export function withoutCd(command: string, cwd: string | undefined): string {
  const start = `cd ${cwd} && `
  return cwd !== undefined && command.startsWith(start) ? command.slice(start.length) : command
}

/** A text from a tool call's input or output, and its weight. */
interface Body {
  readonly kind: PartKind
  readonly text: string
}

interface ToolBodyOptions {
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
