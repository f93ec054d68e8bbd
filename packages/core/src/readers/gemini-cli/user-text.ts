import type { ProgramPiece, UserPiece } from '../shared/program-blocks.ts'

const beginnings: readonly (readonly [start: string, name: string])[] = [
  ['System: Please continue', 'continue'],
  ['This is the Gemini CLI. We are setting up the context for our chat', 'environment'],
  ['<session_context>', 'environment'],
]
const filesStart = '\n--- Content from referenced files ---'
const shellCommand =
  /^I ran the following shell command:\n```sh\n([\s\S]*?)\n```\n\nThis produced the following result:\n```\n([\s\S]*)$/
const hookStart = '<hook_context>'
const hookEnd = '</hook_context>'

export function folderOf(piece: UserPiece): string | undefined {
  if (piece.type !== 'context' || piece.name !== 'environment') return undefined
  return /^- \*\*Workspace Directories:\*\*\n {2}- (\S[^\n]*)$/m.exec(piece.text)?.[1]
}

/** The parts of a prompt by author. `shown` is what the user typed, if it differs from what the model saw. */
export function geminiPieces(seen: string, shown: string | undefined): UserPiece[] {
  const at = seen.indexOf(filesStart)
  const files = at === -1 ? '' : seen.slice(at).trim()
  const prompt = (at === -1 ? seen : seen.slice(0, at)).trim()
  // A hook's text is before the prompt, in the same message or alone.
  const end = prompt.startsWith(hookStart) ? prompt.indexOf(hookEnd) : -1
  const rest = end === -1 ? prompt : prompt.slice(end + hookEnd.length).trim()
  const hook = prompt.slice(hookStart.length, Math.max(hookStart.length, end)).trim()
  return [
    ...(end === -1 ? [] : [program('hook', 'hook_context', hook)]),
    ...wordsOf(rest, shown?.trim()),
    ...(files === '' ? [] : [program('attachment', 'referenced files', files)]),
  ]
}

function program(origin: ProgramPiece['origin'], name: string, text: string): ProgramPiece {
  return { type: 'context', origin, name, text }
}

function wordsOf(prompt: string, shown: string | undefined): UserPiece[] {
  if (shown !== undefined && shown !== '') {
    const isCommand = shown.startsWith('/') && prompt !== shown
    const words: UserPiece = { type: 'user', origin: isCommand ? 'command' : 'typed', text: shown }
    const isWhole = !isCommand || prompt === ''
    return isWhole ? [words] : [words, program('harness', shown.split(/\s/, 1)[0] ?? shown, prompt)]
  }
  if (prompt === '') return []
  const [, known] = beginnings.find(([start]) => prompt.startsWith(start)) ?? []
  // The log does not show what the user typed, so these are the words of a program.
  const name = known ?? (shown === '' ? 'prompt' : undefined)
  const [, command, output = ''] = (known === undefined && shellCommand.exec(prompt)) || []
  if (command !== undefined)
    return [
      { type: 'user', origin: 'command', text: `! ${command}` },
      program('output', 'shell', output.replace(/\n?```$/, '')),
    ]
  return [
    name === undefined ? { type: 'user', origin: 'typed', text: prompt } : program('harness', name, prompt),
  ]
}
