import { byWord } from '../../tools/by-word.ts'
import { cutElements, splitElements } from '../shared/program-blocks.ts'

export interface ClinePiece {
  /** `result`: `[read_file for 'a.ts'] Result:` and the text after it, with the tool as its name. */
  readonly kind: 'user' | 'environment' | 'context' | 'attachment' | 'compaction' | 'result' | 'plain'
  readonly text: string
  readonly name?: string
  readonly trigger?: string
}

const tags = byWord<ClinePiece['kind']>({
  environment: 'environment_details',
  user: 'task feedback answer user_message user_input',
  attachment:
    'file_content folder_content url_content file_mentions git_working_state git_commit workspace_diagnostics terminal_output',
  context: 'explicit_instructions hook_context',
})
const opening = new RegExp(`<(${[...tags.keys()].join('|')})(?: [^<>\\n]{0,1000})?>`, 'g')
const resultStart = /^\[([a-zA-Z_]{2,60})(?: for '[\s\S]{0,2000}?'| [^\]\n]{0,200})?\] Result:[ \t]*\n?/

export function splitUserText(text: string): ClinePiece[] {
  const result = resultStart.exec(text)
  if (result !== null) return splitResult(result[1] ?? '', text.slice(result[0].length))
  const { elements, rest } = cutElements(text, opening)
  const pieces = elements.flatMap(({ name: tag, start, inside: given }): ClinePiece[] => {
    const kind = tags.get(tag) ?? 'context'
    const inside = given.trim()
    if (inside === '') return []
    // A mentioned file may be inside the user's text.
    if (kind === 'user')
      return splitUserText(inside).map((piece) => (piece.kind === 'plain' ? { ...piece, kind } : piece))
    if (kind === 'environment') return [{ kind, text: inside }]
    return [{ kind, name: /(?:path|url|type|source)="([^"]{1,500})"/.exec(start)?.[1] ?? tag, text: inside }]
  })
  return [...plainPieces(rest.trim()), ...pieces]
}

const harness =
  /^(?:\[(?:ERROR|TASK RESUMPTION|NOTE|DUPLICATE|WARNING)|# (?:task_progress|TODO|Reminder|Next Steps)|Current Time|The user has provided feedback on the results|The user (?:denied|approved)|Error: |\(?No tools? (?:was )?used|Task resumption|New message to respond to|Tool \[)/i

function plainPieces(text: string): ClinePiece[] {
  if (text === '') return []
  if (/^This session is being continued from a previous conversation that ran out of context/.test(text))
    return [{ kind: 'compaction', text }]
  if (/^\[NOTE\] Some previous conversation history with the user has been removed/.test(text))
    return [{ kind: 'compaction', text, trigger: 'truncation' }]
  return [harness.test(text) ? { kind: 'context', name: 'message', text } : { kind: 'plain', text }]
}

function splitResult(name: string, body: string): ClinePiece[] {
  const words: ClinePiece[] = []
  let text = body
  for (const tag of ['feedback', 'answer', 'user_message', 'environment_details']) {
    const start = text.lastIndexOf(`<${tag}>`)
    const end = start === -1 ? -1 : text.indexOf(`</${tag}>`, start)
    if (end === -1 || (tag === 'feedback' && !feedbackLead.test(text.slice(Math.max(0, start - 300), start))))
      continue
    const inside = text.slice(start + tag.length + 2, end).trim()
    if (inside !== '') words.push({ kind: tags.get(tag) ?? 'user', text: inside })
    text = `${text.slice(0, start).trimEnd()}${text.slice(end + tag.length + 3)}`
  }
  return [{ kind: 'result', name, text: text.trim() }, ...words]
}

/** The output of a tool may hold such a tag; only one that the harness introduces is the user's. */
const feedbackLead = /(?:feedback|user (?:said|denied|has)|to proceed)[^<]{0,250}$|^\s*$/i

type TextPart =
  | { readonly kind: 'words' | 'thoughts'; readonly text: string }
  | { readonly kind: 'call'; readonly name: string; readonly input: Readonly<Record<string, string>> }

const tools =
  'execute_command read_file write_to_file replace_in_file apply_diff insert_content search_and_replace edit_file search_files list_files list_code_definition_names codebase_search browser_action use_mcp_tool access_mcp_resource load_mcp_documentation ask_followup_question attempt_completion plan_mode_respond plan_mode_response new_task switch_mode update_todo_list condense summarize_task new_rule report_bug fetch_instructions web_fetch web_search generate_image run_slash_command use_skill apply_patch'
const callStart = new RegExp(`<(thinking|${tools.replaceAll(' ', '|')})>`, 'g')

export function splitAssistantText(text: string): TextPart[] {
  // A tag in the middle of a sentence only mentions the tool.
  const isOpen = (inside: string): boolean => /^\s*</.test(inside.slice(0, 200))
  const { elements, rest } = splitElements(text, callStart, { isOpen })
  const wordsIn = (given: string): TextPart[] =>
    given.trim() === '' ? [] : [{ kind: 'words', text: given.trim() }]
  const partOf = (name: string, inside: string): TextPart =>
    name === 'thinking'
      ? { kind: 'thoughts', text: inside.trim() }
      : { kind: 'call', name, input: parametersOf(inside) }
  const parts = elements.flatMap(({ before, inside, name }) => [...wordsIn(before), partOf(name, inside)])
  return [...parts, ...wordsIn(rest)]
}

/** `<path>a.ts</path>…`; the content of a file may hold tags itself, so it ends at its own last end tag. */
function parametersOf(body: string): Record<string, string> {
  const entries: [string, string][] = []
  const start = /<([a-z_]{1,60})>/g
  for (let match = start.exec(body); match !== null; match = start.exec(body)) {
    const [tag, name = ''] = match
    const inside = match.index + tag.length
    const close = `</${name}>`
    const greedy = name === 'content' || name === 'diff' || name === 'args'
    const found = greedy ? body.lastIndexOf(close) : body.indexOf(close, inside)
    const end = found < inside ? body.length : found
    const value = body.slice(inside, end)
    entries.push([name, greedy ? value.replace(/^\n|\n$/g, '') : value.trim()])
    start.lastIndex = Math.min(body.length, end + close.length)
  }
  const parameters = Object.fromEntries(entries)
  const path = parameters.path ?? /<path>([^<\n]{1,1000})<\/path>/.exec(parameters.args ?? '')?.[1]
  return path === undefined ? parameters : { path: path.trim(), ...parameters }
}
