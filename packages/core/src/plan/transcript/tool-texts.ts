import { type AskedQuestion, questionsOf } from '../../facts/answers/asked-questions.ts'
import { cleanText } from '../../session/clean-text.ts'
import { textsOfJson } from '../../text/json-texts.ts'
import { editPairs, newText } from '../../tools/given-text.ts'
import { field } from '../../tools/input-field.ts'
import type { ToolUse } from '../../tools/tool-uses.ts'
import { cutMiddle, decisiveLines, withoutPassedRuns } from '../decisive-lines.ts'
import { hasFailed, withoutExitCode } from '../tool-line.ts'
import { foldLines } from './fold-lines.ts'
import type { ReadKind } from './read-kinds.ts'

/** A text of an item, and how much room it deserves. */
export interface ReadText {
  readonly kind: ReadKind
  readonly text: string
  /** The file that it is of. */
  readonly source?: string | undefined
}

export interface ToolTextOptions {
  /** If the command tests, builds or lints. */
  readonly purpose?: string | undefined
  /** Makes the mark for text that was left out. */
  readonly omitted: (text: string) => string
}

/**
 * Returns what a model reads of a call beyond its line: what it was given, then what it returned. Output that repeats
 * itself is said once; a failure keeps the lines that say what failed.
 */
export function toolTexts({ call, result }: ToolUse, options: ToolTextOptions): ReadText[] {
  const { purpose, omitted } = options
  const cut = (text: string) => cutMiddle(text, omitted)
  const output = cut(outputOf(result?.text ?? '', call.kind === 'read'))
  const questions = questionsOf(call)
  if (questions.length > 0)
    return [
      { kind: 'question', text: questions.map(questionText).join('\n') },
      { kind: 'question', text: output === '' ? '' : `answer: ${output}` },
    ]
  if (call.kind === 'switch_mode')
    return [
      { kind: 'proposal', text: field(call.input, 'plan') ?? '' },
      { kind: 'failure', text: result?.status === 'ok' ? '' : output },
    ]
  const source = pathOf(call.input)
  const shorten = (text: string) => foldLines(text, omitted)
  const edit: ReadText = { kind: 'edit', text: call.kind === 'edit' ? cut(editDiff(call.input)) : '', source }
  if (result !== undefined && hasFailed(result))
    return [
      edit,
      { kind: 'failure', text: foldLines(decisiveLines(withoutExitCode(output, result.exitCode)), omitted) },
    ]
  if (startsAgent(call.name))
    return [
      { kind: 'task', text: taskOf(call.input) },
      { kind: 'report', text: reportText(output) },
    ]
  if (call.kind === 'think') return []
  if (call.kind === 'edit')
    return [edit, { kind: 'notice', text: shorten(noticesOf(cut(cleanText(result?.text ?? '')), edit.text)) }]
  if (purpose !== undefined) return [{ kind: 'check', text: shorten(withoutPassedRuns(output, omitted)) }]
  const about = sourceOf(call.input)
  if (isOfHarness(about)) return [{ kind: 'context', text: shorten(output), source }]
  if (isInstructions(about)) return [{ kind: 'instructions', text: shorten(output), source }]
  if (isDocument(about)) return [{ kind: 'document', text: shorten(output), source }]
  if (call.kind === 'read' || call.kind === 'search') return [{ kind: 'file', text: shorten(output), source }]
  return [{ kind: 'output', text: shorten(output), source }]
}

/** Whether a tool gives work to another agent, or waits for it. */
export function startsAgent(name: string): boolean {
  return /^(?:Task|Agent|spawn_agent|wait_agent|close_agent|send_input|task|delegate_to_agent)$/.test(name)
}

/** What another agent is to do. */
export function taskOf(input: unknown): string {
  return field(input, 'prompt') ?? field(input, 'message') ?? ''
}

/** A skill or command of the harness, in the home of its user: it says how the agent works, whatever the project is. */
function isOfHarness(about: string): boolean {
  return /[/\\]\.(?:codex|claude|agents|gemini|opencode)[/\\](?:[^\s/\\]{1,80}[/\\]){0,6}(?:skills|commands|prompts|plugins)[/\\][^\s]{1,300}\.md\b/.test(
    about.slice(0, 2000),
  )
}

const pathNames = ['file_path', 'filePath', 'absolute_path', 'path', 'target_file'] as const

/** The file that a call names. */
function pathOf(input: unknown): string | undefined {
  return pathNames.map((name) => field(input, name)).find((text) => text !== undefined)
}

/** What a call looked at: a path, a URL or a command. */
function sourceOf(input: unknown): string {
  return pathOf(input) ?? field(input, 'url') ?? field(input, 'command') ?? field(input, 'cmd') ?? ''
}

/** Files in which a project instructs agents and people. */
export function isInstructions(about: string): boolean {
  return /\b(?:CLAUDE|AGENTS|GEMINI|CONTRIBUTING|CONVENTIONS|copilot-instructions)(?:\.[\w-]{1,20})?\.md\b|\.(?:cursor|windsurf|cline)\/?rules\b|\.mdc\b/i.test(
    about.slice(0, 2000),
  )
}

/** Prose that was read or fetched: specifications, plans, issues. */
function isDocument(about: string): boolean {
  const text = about.slice(0, 2000)
  return (
    /\.(?:md|rst|adoc|txt)(?:$|[\s"'|;&)])/i.test(text) ||
    /\b(?:gh|glab|bd|linear|jira)\s+(?:issue|pr|mr|show|view)\b/.test(text)
  )
}

function questionText({ question, options }: AskedQuestion): string {
  const lines = options.map(({ mark, label, description }) => {
    const named = mark === undefined ? label : `${mark}) ${label}`
    return `- ${named}${description === undefined ? '' : `: ${description}`}`
  })
  return [`question: ${question}`, ...lines].join('\n')
}

/** What an edit's result says beyond success: what a hook, a linter or a compiler said of it, without the file as it is now. */
function noticesOf(output: string, diff: string): string {
  const edited = new Set(diff.split('\n').map((line) => line.slice(1).trim()))
  return withoutReminders(output)
    .split('\n')
    .filter((line) => !/^\s*\d+\s*[→|\t]/.test(line) && !edited.has(line.trim()) && !confirmsEdit.test(line))
    .join('\n')
    .trim()
}

const confirmsEdit =
  /^.{0,300}\b(?:has been|have been|was|were)? ?(?:successfully )?(?:updated|created|written|applied|edited|replaced|saved)\b|^(?:done|success)\b|running `cat -n`/i

/** Reminders that a harness puts into the output of any tool are no part of it. */
function withoutReminders(output: string): string {
  return output.replace(/<system-reminder>[^<]{0,20000}<\/system-reminder>/g, '')
}

/** Output as a model reads it: clean, without the marks of a harness, and without the numbers of a file's lines. */
function outputOf(text: string, isRead: boolean): string {
  const clean = cleanText(text)
  return withoutReminders(isRead ? clean.replace(/^ {0,8}\d{1,6}(?:\t|: )/gm, '') : clean)
    .replace(/<\/?tool_use_error>/g, '')
    .replace(/^ {0,8}\d{1,6}→/gm, '')
    .replace(/ \[ref=\w{1,12}\]| \[cursor=pointer\]/g, '')
    .replace(/^\s*\n/, '')
    .trimEnd()
}

/**
 * Returns what an edit did as a small diff: `-` before the lines that it removed, `+` before those that it added. A
 * file that is written whole has only its text; a patch loses the lines that it leaves as they are.
 */
export function editDiff(input: unknown): string {
  const pairs = editPairs(input)
  if (pairs.length > 0) return pairs.map(({ before, after }) => diffOf(before, after)).join('\n')
  const text = newText(input)
  return isPatch(text) ? changesOf(text) : text
}

function diffOf(before: string, after: string): string {
  if (before === '') return prefixed('+', after.split('\n'))
  const [old, now] = [before.split('\n'), after === '' ? [] : after.split('\n')]
  let start = 0
  while (start < old.length && start < now.length && old[start] === now[start]) start++
  let end = 0
  while (end < old.length - start && end < now.length - start && old.at(-1 - end) === now.at(-1 - end)) end++
  const removed = old.slice(start, old.length - end)
  const added = now.slice(start, now.length - end)
  return [prefixed('-', linesBeside(removed, added)), prefixed('+', linesBeside(added, removed))]
    .filter((text) => text !== '')
    .join('\n')
}

/** Lines that the others do not have; all of them if that is none: then their order changed. */
function linesBeside(lines: readonly string[], others: readonly string[]): readonly string[] {
  const known = new Set(others)
  const own = lines.filter((line) => !known.has(line))
  return own.length === 0 && others.length === lines.length ? lines : own
}

function prefixed(sign: string, lines: readonly string[]): string {
  return lines.map((line) => `${sign}${line}`).join('\n')
}

/** Whether a text is made of lines that were removed and added, and not a whole file. */
export function isDiff(text: string): boolean {
  const lines = text.split('\n')
  return lines.filter((line) => /^(?:[+-]|@@|\*\*\* )/.test(line)).length * 2 > lines.length
}

function isPatch(text: string): boolean {
  return /^(?:\*\*\* Begin Patch|--- |diff --git |@@ )/m.test(text.slice(0, 2000))
}

/** The lines of a patch that name a place or change something. */
function changesOf(patch: string): string {
  return patch
    .split('\n')
    .filter((line) => /^(?:[+-]|@@|\*\*\* (?!Begin|End))/.test(line))
    .join('\n')
}

/** Returns what an agent reported; of a report in JSON its texts, each on lines of its own. */
export function reportText(text: string): string {
  return textsOfJson(text)?.join('\n') ?? text
}
