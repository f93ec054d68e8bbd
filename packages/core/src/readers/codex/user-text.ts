import type { ContextEvent } from '../../session/event.ts'
import type { ProgramPiece } from '../shared/program-blocks.ts'

/** Text of a program. `standing`: an instruction, not an event, so that repetitions are dropped. */
export type CodexPiece = Omit<ProgramPiece, 'type'> & { readonly standing: boolean }

type Program = readonly [start: string, origin: ContextEvent['origin'], name: string, standing: boolean]

const programs: readonly Program[] = [
  ['# AGENTS.md instructions', 'attachment', 'AGENTS.md', true],
  ['<user_instructions>', 'attachment', 'AGENTS.md', true],
  ['<INSTRUCTIONS>', 'attachment', 'AGENTS.md', true],
  ['<environment_context>', 'harness', 'environment_context', true],
  ['<permissions instructions>', 'system', 'permissions instructions', true],
  ['<skill>', 'attachment', 'skill', true],
  ['<subagent_notification>', 'notification', 'subagent_notification', false],
  ['<turn_aborted>', 'harness', 'turn_aborted', false],
  ['<user_action>', 'notification', 'user_action', false],
  ['<user_shell_command>', 'output', 'user_shell_command', false],
  ['<hook_prompt', 'hook', 'hook_prompt', false],
  ['Another language model started to solve this problem', 'harness', 'summary', false],
]
const editorStarts = ['# Context from my IDE setup:', '# Files mentioned by the user:']
const requestHeading = '## My request for Codex:'

export function programPiece(text: string): CodexPiece | undefined {
  const trimmed = text.trim()
  const [, origin, name, standing = true] = programs.find(([start]) => trimmed.startsWith(start)) ?? []
  if (origin !== undefined) return { text, origin, name: name ?? '', standing }
  // Codex wraps inserted text in a tag with an underscore; HTML elements have no such names.
  const tag = /^<([a-z]{1,40}(?:_[a-z]{1,40}){1,5})[ >]/.exec(trimmed)?.[1]
  if (tag === undefined || !trimmed.endsWith(`</${tag}>`)) return undefined
  return { text, origin: 'harness', name: tag, standing: true }
}

export function splitPrompt(text: string): { readonly editor?: CodexPiece; readonly words: string } {
  const trimmed = text.trimStart()
  const isEdited = editorStarts.some((start) => trimmed.startsWith(start))
  const heading = isEdited ? text.indexOf(requestHeading) : -1
  if (heading === -1) return { words: text }
  const before = text.slice(0, heading).trim()
  const words = text.slice(heading + requestHeading.length).trim()
  if (!before.includes('\n')) return { words }
  return { editor: { text: before, origin: 'attachment', name: 'editor', standing: true }, words }
}

/** Returns AGENTS.md without its wrapping, to recognize it in another one. */
export function standingKey(text: string): string {
  const start = text.indexOf('<INSTRUCTIONS>')
  const end = text.lastIndexOf('</INSTRUCTIONS>')
  return (start === -1 || end < start ? text : text.slice(start + '<INSTRUCTIONS>'.length, end)).trim()
}

export function elementText(text: string, name: string): string | undefined {
  const start = text.indexOf(`<${name}>`)
  const end = text.indexOf(`</${name}>`, start)
  if (start === -1 || end === -1) return undefined
  return text.slice(start + name.length + 2, end).trim()
}
