import type { CommandFact } from '../facts/facts.ts'
import { cleanLine } from '../session/clean-text.ts'
import type { ToolCallEvent, ToolResultEvent } from '../session/event.ts'
import { toolInputText } from '../session/event-text.ts'
import * as json from '../session/json.ts'
import type { TokenCounter } from '../tokens/token-counter.ts'
import { textAt } from '../tools/tool-uses.ts'
import { belowCwd } from './below-cwd.ts'
import type { ExcerptPart } from './excerpt.ts'

const pathKeys = ['file_path', 'notebook_path', 'filePath', 'absolute_path', 'target_file', 'filename']

/** Returns the target of a tool call in a few words: a path, a command, a pattern, a question. */
export function toolTarget({ input, kind }: ToolCallEvent, cwd: string | undefined): string {
  if (typeof input === 'string') return patchFiles(input, cwd) ?? cleanLine(input)
  const path = textAt(input, ...pathKeys, ...(/^(?:read|edit|delete)$/.test(kind) ? ['path'] : []))
  if (path !== undefined) return relative(path, cwd)
  const patched = patchFiles(textAt(input, 'patchText', 'patch') ?? '', cwd)
  if (patched !== undefined) return patched
  const command = commandOf(input)
  if (command !== undefined) return patchFiles(command, cwd) ?? belowCwd(cleanLine(command), cwd)
  const pattern = textAt(input, 'pattern', 'query', 'regex')
  const place = textAt(input, 'path', 'url')
  if (pattern !== undefined)
    return cleanLine(place === undefined ? pattern : `${pattern} in ${relative(place, cwd)}`)
  if (place !== undefined) return relative(place, cwd)
  const [title] = textAt(input, 'plan')?.trim().split('\n') ?? []
  if (title !== undefined) return cleanLine(title.replace(/^#+\s*/, ''))
  const about = textAt(input, 'description', 'skill', 'subject', 'message')
  return questionsOf(input) ?? todoCounts(input) ?? cleanLine(about ?? toolInputText(input))
}

/**
 * Returns the outcome of a call unless it is plain success: ` -> exit 1`, ` -> denied`. `command` includes failures
 * that a pipe hides.
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

/** Whether a call failed or was not allowed to run. */
export function hasFailed({ status, exitCode = 0 }: ToolResultEvent): boolean {
  return (status !== 'ok' && status !== 'unknown') || exitCode !== 0
}

function changed(result: ToolResultEvent): string {
  const change = result.changes?.length === 1 ? result.changes[0] : undefined
  if (change?.added === undefined && change?.removed === undefined) return ''
  return ` +${change.added ?? 0} -${change.removed ?? 0}`
}

/** Makes the line of a tool call. `suffix`, the outcome, stays even if the line is cut. */
export function linePart(text: string, suffix: string, counter: TokenCounter): ExcerptPart {
  return { kind: 'line', text, suffix, tokens: counter.count(`${text}${suffix}`), lines: 0 }
}

/** Returns the command line of a shell call as given; undefined for other calls. */
export function commandOf(input: unknown): string | undefined {
  const command = textAt(input, 'command', 'cmd', 'code')
  const list = json.fields(input).command
  if (command !== undefined || !Array.isArray(list)) return command
  const words = list.map(String)
  return /^(?:.*\/)?(?:ba|z|da)?sh$/.test(words[0] ?? '') && /^-l?c$/.test(words[1] ?? '')
    ? words[2]
    : words.join(' ')
}

/** Returns the file names of an apply_patch text, in its own form or in SpecStory's. */
function patchFiles(text: string, cwd: string | undefined): string | undefined {
  const pattern = text.includes('*** Begin Patch') ? patchHead : shownHead
  const files = [...text.matchAll(pattern)]
  if (files.length === 0 && pattern === shownHead) return undefined
  return files.map(([, action, path = '']) => `${action?.toLowerCase()} ${relative(path, cwd)}`).join(', ')
}

const patchHead = /^\*\*\* (Add|Update|Delete) File: (.{1,400})$/gm
const shownHead = /^\*\*(Add|Update|Delete): `([^`\n]{1,400})`\*\*$/gm

function questionsOf(input: unknown): string | undefined {
  const list = json.fields(input).questions
  if (!Array.isArray(list)) return undefined
  const questions = list.flatMap((item) => textAt(item, 'header', 'question') ?? [])
  return questions.length === 0 ? undefined : cleanLine(questions.join(', '))
}

function todoCounts(input: unknown): string | undefined {
  const { todos, plan } = json.fields(input)
  const list = todos ?? plan
  if (!Array.isArray(list)) return undefined
  const counts = new Map<string, number>()
  for (const task of list) {
    const status = textAt(task, 'status') ?? 'pending'
    counts.set(status, (counts.get(status) ?? 0) + 1)
  }
  const active = list.find((task) => textAt(task, 'status') === 'in_progress')
  const now = textAt(active, 'content', 'step')
  const sums = [...counts].map(([status, count]) => `${count} ${cleanLine(status)}`).join(', ')
  return now === undefined ? sums : `${sums}: ${cleanLine(now)}`
}

/** Returns a path relative to the cwd if it is below it. */
function relative(path: string, cwd: string | undefined): string {
  return cleanLine(cwd !== undefined && path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : path)
}
