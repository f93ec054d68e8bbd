import type { ContextEvent } from '../../session/event.ts'

/** A piece of a message under the user's name. */
export type CodexUserPiece =
  | { readonly by: 'person'; readonly text: string }
  | {
      readonly by: 'program'
      readonly text: string
      readonly origin: ContextEvent['origin']
      readonly name: string
      /** A repetition says nothing new: a standing instruction, not an event. */
      readonly standing: boolean
    }

const programs: readonly (readonly [
  start: string,
  origin: ContextEvent['origin'],
  name: string,
  standing: boolean,
])[] = [
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

/** Text that a program put into a text part under the user's name; `undefined` if the user wrote it. */
export function programPiece(text: string): CodexUserPiece | undefined {
  const trimmed = text.trim()
  for (const [start, origin, name, standing] of programs) {
    if (trimmed.startsWith(start)) return { by: 'program', text, origin, name, standing }
  }
  // Codex wraps what it inserts in a tag with an underscore in its name; no HTML element has such a name.
  const tag = /^<([a-z]{1,40}(?:_[a-z]{1,40}){1,5})[ >]/.exec(trimmed)?.[1]
  if (tag === undefined || !trimmed.endsWith(`</${tag}>`)) return undefined
  return { by: 'program', text, origin: 'harness', name: tag, standing: true }
}

/** The text that an editor put before a prompt, and the prompt. */
export function promptPieces(text: string): CodexUserPiece[] {
  const prompt: CodexUserPiece[] = [{ by: 'person', text }]
  const trimmed = text.trimStart()
  if (!editorStarts.some((start) => trimmed.startsWith(start))) return prompt
  const heading = text.indexOf(requestHeading)
  if (heading === -1) return prompt
  const before = text.slice(0, heading).trim()
  const request = text.slice(heading + requestHeading.length).trim()
  const pieces: CodexUserPiece[] = []
  if (before.includes('\n')) {
    pieces.push({ by: 'program', text: before, origin: 'attachment', name: 'editor', standing: true })
  }
  if (request !== '') pieces.push({ by: 'person', text: request })
  return pieces
}

/** Whether a text part only wraps an image: `<image name=[Image #1]>` and `</image>`. */
export function isImageWrapper(text: string): boolean {
  return text === '</image>' || /^<image(?: [^>]{0,200})?>$/.test(text)
}

/** AGENTS.md without its wrapping, so that it is recognised in another one. */
export function standingKey(text: string): string {
  const start = text.indexOf('<INSTRUCTIONS>')
  const end = text.lastIndexOf('</INSTRUCTIONS>')
  return (start === -1 || end < start ? text : text.slice(start + '<INSTRUCTIONS>'.length, end)).trim()
}

/** Text of an element that occurs once in a text: `<cwd>/srv/app</cwd>`. */
export function elementText(text: string, name: string): string | undefined {
  const start = text.indexOf(`<${name}>`)
  const end = text.indexOf(`</${name}>`, start)
  if (start === -1 || end === -1) return undefined
  return text.slice(start + name.length + 2, end).trim()
}
