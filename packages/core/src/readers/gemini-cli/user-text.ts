import type { ProgramPiece, WordsPiece } from '../shared/program-blocks.ts'

const beginnings: readonly (readonly [start: string, name: string])[] = [
  ['System: Please continue', 'continue'],
  ['This is the Gemini CLI. We are setting up the context for our chat', 'environment'],
  ['<session_context>', 'environment'],
]
const filesStart = '\n--- Content from referenced files ---'
const shellStart = 'I ran the following shell command:\n```sh\n'
const shellMiddle = '\n```\n\nThis produced the following result:\n```\n'

/** The first folder of the workspace, as the harness's first message lists it. */
export function folderOf(piece: WordsPiece | ProgramPiece): string | undefined {
  if (piece.type !== 'context' || piece.name !== 'environment') return undefined
  return /^- \*\*Workspace Directories:\*\*\n {2}- (\S[^\n]*)$/m.exec(piece.text)?.[1]
}

/** `shown` is what the user typed, if it differs from what the model saw. */
export function geminiPieces(seen: string, shown: string | undefined): (WordsPiece | ProgramPiece)[] {
  const at = seen.indexOf(filesStart)
  const files = at === -1 ? '' : seen.slice(at).trim()
  const prompt = at === -1 ? seen : seen.slice(0, at)
  const attached: (WordsPiece | ProgramPiece)[] =
    files === '' ? [] : [{ type: 'context', origin: 'attachment', name: 'referenced files', text: files }]
  return [...promptPieces(prompt.trim(), shown?.trim()), ...attached]
}

const hookStart = '<hook_context>'
const hookEnd = '</hook_context>'

/** A hook's text is before the prompt, in the same message or alone. */
function promptPieces(prompt: string, shown: string | undefined): (WordsPiece | ProgramPiece)[] {
  const end = prompt.startsWith(hookStart) ? prompt.indexOf(hookEnd) : -1
  if (end === -1) return wordsOf(prompt, shown)
  const text = prompt.slice(hookStart.length, end).trim()
  const rest = prompt.slice(end + hookEnd.length).trim()
  return [{ type: 'context', origin: 'hook', name: 'hook_context', text }, ...wordsOf(rest, shown)]
}

function wordsOf(prompt: string, shown: string | undefined): (WordsPiece | ProgramPiece)[] {
  if (shown !== undefined && shown !== '') {
    const isCommand = shown.startsWith('/') && prompt !== shown
    const words: WordsPiece = { type: 'user', origin: isCommand ? 'command' : 'typed', text: shown }
    if (!isCommand || prompt === '') return [words]
    return [
      words,
      { type: 'context', origin: 'harness', name: shown.split(/\s/, 1)[0] ?? shown, text: prompt },
    ]
  }
  if (prompt === '') return []
  for (const [start, name] of beginnings) {
    if (prompt.startsWith(start)) return [{ type: 'context', origin: 'harness', name, text: prompt }]
  }
  const middle = prompt.startsWith(shellStart) ? prompt.indexOf(shellMiddle) : -1
  if (middle !== -1) {
    const output = prompt.slice(middle + shellMiddle.length).replace(/\n?```$/, '')
    return [
      { type: 'user', origin: 'command', text: `! ${prompt.slice(shellStart.length, middle)}` },
      { type: 'context', origin: 'output', name: 'shell', text: output },
    ]
  }
  // The log does not show what the user typed, so these are the words of a program.
  if (shown === '') return [{ type: 'context', origin: 'harness', name: 'prompt', text: prompt }]
  return [{ type: 'user', origin: 'typed', text: prompt }]
}
