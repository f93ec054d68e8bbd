import { questionsOf } from '../facts/answers/asked-questions.ts'
import { textsOfJson } from '../text/json-texts.ts'
import { type ToolUse, textAt } from '../tools/tool-uses.ts'
import { cutMiddle, decisiveLines } from './decisive-lines.ts'
import type { TextKind } from './text-kinds.ts'
import { hasFailed } from './tool-line.ts'

/** A text of a call's input or output, with its kind. */
export interface ToolText {
  readonly kind: TextKind
  readonly text: string
  /** File of the text. */
  readonly source?: string | undefined
}

/** How texts of a call are read. */
export interface ToolTextOptions {
  /** Set if the command tests, builds or lints. */
  readonly purpose?: string | undefined
  /** Removes from an output what the command did not print. */
  readonly clean: (output: string) => string
  /** Returns what an edit did, from its input. */
  readonly edited: (input: unknown) => string
  /** Makes the mark for omitted text. */
  readonly omitted: (text: string) => string
}

/**
 * Returns the texts of a call's input beyond its target, then of its output; of a failed one only the lines that show
 * the failure.
 */
export function toolTexts(
  { call, result }: Pick<ToolUse, 'call' | 'result'>,
  { purpose, clean, edited, omitted }: ToolTextOptions,
): ToolText[] {
  const output = result === undefined ? '' : cutMiddle(clean(result.text), omitted)
  if (questionsOf(call).length > 0) return [{ kind: 'question', text: output }]
  if (call.kind === 'switch_mode')
    return [
      { kind: 'proposal', text: textAt(call.input, 'plan') ?? '' },
      { kind: 'failure', text: result?.status === 'ok' ? '' : output },
    ]
  const source = textAt(call.input, ...pathKeys)
  const edits: ToolText[] =
    call.kind === 'edit' ? [{ kind: 'edit', text: cutMiddle(edited(call.input), omitted), source }] : []
  if (result !== undefined && hasFailed(result)) {
    const own = result.exitCode === undefined ? output : output.replace(/^Exit code \d{1,3}(?:\n|$)/, '')
    return [...edits, { kind: 'failure', text: decisiveLines(own) }]
  }
  if (startsAgent(call.name))
    return [
      { kind: 'task', text: cutMiddle(taskOf(call.input), omitted) },
      { kind: 'report', text: output },
    ]
  if (call.kind === 'think') return []
  if (call.kind === 'edit') return [...edits, { kind: 'notice', text: output }]
  return [{ kind: purpose === undefined ? outputKind(call) : 'check', text: output, source }]
}

function outputKind({ kind, input }: ToolUse['call']): TextKind {
  const about = textAt(input, ...pathKeys, 'url', 'command', 'cmd') ?? ''
  if (isOfHarness(about)) return 'skill'
  if (isInstructions(about)) return 'instructions'
  if (isDocument(about)) return 'document'
  return kind === 'read' || kind === 'search' ? 'file' : 'output'
}

/** Whether a tool gives work to another agent, or waits for it. */
export function startsAgent(name: string): boolean {
  return /^(?:Task|Agent|spawn_agent|wait_agent|close_agent|send_input|task|delegate_to_agent)$/.test(name)
}

/** Returns the task given to another agent. */
export function taskOf(input: unknown): string {
  return textAt(input, 'prompt', 'message') ?? ''
}

/**
 * Whether a file is a skill or command of the harness in the user's home, which is about how the agent works, not about
 * the project.
 */
function isOfHarness(about: string): boolean {
  return /[/\\]\.(?:codex|claude|agents|gemini|opencode)[/\\](?:[^\s/\\]{1,80}[/\\]){0,6}(?:skills|commands|prompts|plugins)[/\\][^\s]{1,300}\.md\b/.test(
    about.slice(0, 2000),
  )
}

const pathKeys = ['file_path', 'filePath', 'absolute_path', 'path', 'target_file']

/** Whether a file contains a project's instructions for agents or people. */
export function isInstructions(about: string): boolean {
  return /\b(?:CLAUDE|AGENTS|GEMINI|CONTRIBUTING|CONVENTIONS|copilot-instructions)(?:\.[\w-]{1,20})?\.md\b|\.(?:cursor|windsurf|cline)\/?rules\b|\.mdc\b/i.test(
    about.slice(0, 2000),
  )
}

/** Whether a file or page is prose, such as a specification, a plan or an issue. */
function isDocument(about: string): boolean {
  const text = about.slice(0, 2000)
  return (
    /\.(?:md|rst|adoc|txt)(?:$|[\s"'|;&)])/i.test(text) ||
    /\b(?:gh|glab|bd|linear|jira)\s+(?:issue|pr|mr|show|view)\b/.test(text)
  )
}

/** Returns an agent's report; of a report in JSON only its texts, one per line. */
export function reportText(text: string): string {
  return textsOfJson(text)?.join('\n') ?? text
}
