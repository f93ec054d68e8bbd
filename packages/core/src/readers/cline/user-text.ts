import { byWord } from '../../tools/by-word.ts'

/** A part of the text under the user's name, classified by its author. */
export type ClinePiece =
  | { readonly kind: 'user'; readonly text: string }
  | { readonly kind: 'environment'; readonly text: string }
  | { readonly kind: 'context'; readonly name: string; readonly text: string }
  | { readonly kind: 'attachment'; readonly name: string; readonly text: string }
  | { readonly kind: 'compaction'; readonly text: string; readonly trigger?: string }
  /** `[read_file for 'a.ts'] Result:` and the text after it. */
  | { readonly kind: 'result'; readonly tool: string; readonly text: string }
  | { readonly kind: 'plain'; readonly text: string }

const tags = byWord<'environment' | 'user' | 'attachment' | 'context'>({
  environment: 'environment_details',
  user: 'task feedback answer user_message user_input',
  attachment:
    'file_content folder_content url_content file_mentions git_working_state git_commit workspace_diagnostics terminal_output',
  context: 'explicit_instructions hook_context',
})
const opening = new RegExp(`<(${[...tags.keys()].join('|')})(?: [^<>\\n]{0,1000})?>`, 'g')
const resultStart = /^\[([a-zA-Z_]{2,60})(?: for '[\s\S]{0,2000}?'| [^\]\n]{0,200})?\] Result:[ \t]*\n?/

/** Splits one text block of a user message into its parts. Linear in the length of the text. */
export function splitUserText(text: string): ClinePiece[] {
  const result = resultStart.exec(text)
  if (result !== null) return splitResult(result[1] ?? '', text.slice(result[0].length))
  const pieces: ClinePiece[] = []
  const missing = new Set<string>()
  let rest = ''
  let from = 0
  opening.lastIndex = 0
  for (let match = opening.exec(text); match !== null; match = opening.exec(text)) {
    const [start, tag = ''] = match
    const close = `</${tag}>`
    const inside = match.index + start.length
    const end = missing.has(tag) ? -1 : text.indexOf(close, inside)
    if (end === -1) {
      missing.add(tag)
      continue
    }
    rest += text.slice(from, match.index)
    pieces.push(...taggedPieces(tag, start, text.slice(inside, end)))
    from = end + close.length
    opening.lastIndex = from
  }
  rest += text.slice(from)
  return [...plainPieces(rest.trim()), ...pieces]
}

function taggedPieces(tag: string, start: string, inside: string): ClinePiece[] {
  const kind = tags.get(tag) ?? 'context'
  const text = inside.trim()
  if (text === '') return []
  if (kind === 'user') {
    // A mentioned file may be inside the user's text.
    const inner = splitUserText(text)
    return inner.map(
      (piece): ClinePiece => (piece.kind === 'plain' ? { kind: 'user', text: piece.text } : piece),
    )
  }
  if (kind === 'environment') return [{ kind, text }]
  const name = /(?:path|url|type|source)="([^"]{1,500})"/.exec(start)?.[1] ?? tag
  return [{ kind, name, text }]
}

function plainPieces(text: string): ClinePiece[] {
  if (text === '') return []
  if (/^This session is being continued from a previous conversation that ran out of context/.test(text))
    return [{ kind: 'compaction', text }]
  if (/^\[NOTE\] Some previous conversation history with the user has been removed/.test(text))
    return [{ kind: 'compaction', text, trigger: 'truncation' }]
  return [isHarness(text) ? { kind: 'context', name: 'message', text } : { kind: 'plain', text }]
}

/** Whether Cline or Roo wrote the text under the user's name. */
function isHarness(text: string): boolean {
  return /^(?:\[(?:ERROR|TASK RESUMPTION|NOTE|DUPLICATE|WARNING)|# (?:task_progress|TODO|Reminder|Next Steps)|Current Time|The user has provided feedback on the results|The user (?:denied|approved)|Error: |\(?No tools? (?:was )?used|Task resumption|New message to respond to|Tool \[)/i.test(
    text,
  )
}

/** Cuts the user's words out of a result. */
function splitResult(tool: string, body: string): ClinePiece[] {
  const words: ClinePiece[] = []
  let text = body
  for (const tag of ['feedback', 'answer', 'user_message', 'environment_details'] as const) {
    const start = text.lastIndexOf(`<${tag}>`)
    const end = start === -1 ? -1 : text.indexOf(`</${tag}>`, start)
    if (end === -1 || (tag === 'feedback' && !feedbackLead.test(text.slice(Math.max(0, start - 300), start))))
      continue
    const inside = text.slice(start + tag.length + 2, end).trim()
    if (inside !== '')
      words.push({ kind: tag === 'environment_details' ? 'environment' : 'user', text: inside })
    text = `${text.slice(0, start).trimEnd()}${text.slice(end + tag.length + 3)}`
  }
  return [{ kind: 'result', tool, text: text.trim() }, ...words]
}

/** The output of a tool may hold such a tag; only one that the harness introduces is the user's. */
const feedbackLead = /(?:feedback|user (?:said|denied|has)|to proceed)[^<]{0,250}$|^\s*$/i
