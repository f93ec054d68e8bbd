import * as json from '../../session/json.ts'
import { byWord } from '../../tools/by-word.ts'
import { callArguments } from '../messages/conversation.ts'
import { byKind } from '../shared/by-kind.ts'
import { cutElements, splitElements } from '../shared/program-blocks.ts'
import { usageIn } from '../shared/usage.ts'
import { timeOfMillis } from '../shared/values.ts'
import {
  type ClineOutput,
  type ClineState as State,
  writeCall,
  writeResult,
  writeUser,
  writeWords,
} from './calls.ts'
import { blocksOf, textOf } from './shapes.ts'

export function readHistoryMessage(state: State, value: unknown, time?: string): void {
  const message = json.fields(value)
  const text = textOf(message.content)
  state.time = timeOfMillis(message.ts) ?? time
  state.model = json.text(message.modelInfo, 'modelId') ?? state.model
  if (message.isSummary === true) {
    // Roo's summary; Roo keeps the messages that the summary hides.
    state.isNew(text)
    state.compact(text)
  } else if (message.isTruncationMarker === true) state.compact(text, { trigger: 'truncation' })
  else if (message.type === 'reasoning') {
    // A separate message (Roo with the Responses API).
    const parts = [...json.list(message.summary), ...blocksOf(message.content)]
    state.think(json.text(message.text) ?? thoughtsIn(parts))
  } else if (!readRole(state, message.role, message)) state.other(value, json.text(message.role) ?? 'message')
}

const readRole = byKind<State>({
  assistant(state, message) {
    const blocks = blocksOf(message.content)
    state.waiting = []
    if (!blocks.some((block) => /^(?:thinking|reasoning)$/.test(json.text(block, 'type') ?? '')))
      state.think(json.text(message.reasoning_content) ?? thoughtsIn(json.list(message.reasoning_details)))
    // Versions that did not use the API's tools put calls into the text.
    readResponseBlocks(state, blocks, (text) => {
      for (const part of splitAssistantText(text)) {
        if (part.kind === 'call') writeCall(state, undefined, part.name, part.input)
        else if (part.kind === 'words') writeWords(state, part.text)
        else state.think(part.text)
      }
    })
    state.out.absorb('empty message')
  },
  user: (state, { content }) => readUserBlocks(state, blocksOf(content), readToolResult),
  system: (state, { content }) => void state.contextOnce('system', 'system prompt', textOf(content).trim()),
})

function thoughtsIn(parts: readonly unknown[]): string {
  return json.texts(parts.map((part) => json.text(part, 'text') ?? json.text(part, 'summary'))).join('\n')
}

export function readResponseBlocks(state: State, blocks: readonly unknown[], say: (text: string) => void) {
  for (const value of blocks) {
    const block = json.fields(value)
    if (block.type === 'text' && typeof block.text === 'string') say(block.text)
    else if (!readBlock(state, block.type, block)) state.other(value, json.text(block.type) ?? 'block')
  }
}

const readBlock = byKind<State>({
  'thinking reasoning': (state, { text, thinking }) => void state.think(json.text(thinking) ?? text),
  'redacted_thinking thoughtSignature': 'encrypted reasoning',
  tool_use(state, { id, input, name }) {
    if (json.text(name) === undefined) return false
    writeCall(state, json.text(id), String(name), callArguments(input))
  },
})

export function readUserBlocks(state: State, blocks: readonly unknown[], readResult: typeof readToolResult) {
  let images = 0
  const pieces: ClinePiece[] = []
  const flush = (): void => {
    writePieces(state, pieces.splice(0), images)
    images = 0
  }
  for (const value of blocks) {
    const block = json.fields(value)
    const type = json.text(block.type)
    if (typeof block.text === 'string' && type === 'text') pieces.push(...splitUserText(block.text))
    else if (type === 'image' || type === 'image_url') images++
    else if (type === 'document' || type === 'file') {
      const [text = type] = json.texts([block.content, block.title])
      pieces.push({ kind: 'attachment', name: json.text(block.path) ?? type, text })
    } else {
      flush()
      if (type === 'tool_result') readResult(state, block)
      else state.other(value, type ?? 'block')
    }
  }
  flush()
  state.out.absorb('repeated context')
}

/** A text without a tag continues the result before it, or is the user's if no other part is. */
function writePieces(state: State, pieces: readonly ClinePiece[], images: number): void {
  const hasWords = pieces.some(({ kind }) => kind === 'user')
  let result: { name: string | undefined; texts: string[] } | undefined
  let pictures = images
  const close = (): void => {
    if (result === undefined) return
    const text = result.texts.filter((part, index) => part !== '' || index === 0).join('\n')
    writeResult(state, result, [{ text: text.trim(), images: pictures }])
    pictures = 0
    result = undefined
  }
  for (const piece of pieces) {
    const { kind, name, text } = piece
    if (result !== undefined && (kind === 'plain' || (kind === 'context' && name === 'message'))) {
      result.texts.push(text)
      continue
    }
    close()
    if (kind === 'result') result = { name, texts: [text] }
    else if (kind === 'user' || (kind === 'plain' && !hasWords)) {
      writeUser(state, text, pictures)
      pictures = 0
    } else writePiece(state, piece)
  }
  close()
  if (pictures > 0) writeUser(state, '', pictures)
}

function writePiece(state: State, { kind, name = 'message', text, trigger }: ClinePiece): void {
  if (kind === 'user') writeUser(state, text)
  else if (kind === 'environment') writeEnvironment(state, text)
  else if (kind === 'compaction') state.compact(text, { trigger })
  else state.contextOnce(kind === 'attachment' ? kind : 'harness', name, text.trim())
}

const passingHeading = /^# (?:Current Time|Context Window Usage|Current Context Size|Current Cost)\b/

export function writeEnvironment(state: State, text: string): void {
  const cwd = /^# Current (?:Workspace|Working) Directory \(([^)\n]{1,1000})\)/m.exec(text)?.[1]
  state.out.meta({ cwd })
  const fresh: string[] = []
  let heading = ''
  for (const line of text.split('\n')) {
    if (line.startsWith('# ')) heading = line
    if (line.trim() === '' || state.environment.has(line) || passingHeading.test(heading)) continue
    state.environment.add(line)
    fresh.push(line)
  }
  if (fresh.some((line) => !line.startsWith('#')))
    state.contextOnce('harness', 'environment_details', fresh.join('\n').trim())
}

function readToolResult(state: State, block: json.Fields): void {
  const texts: string[] = []
  const words: ClinePiece[] = []
  let images = 0
  for (const value of blocksOf(block.content)) {
    const { text, type } = json.fields(value)
    if (/image/.test(json.text(type) ?? '')) images++
    else if (typeof text === 'string') {
      const isMarked = text.startsWith('[') && /^\[[^\n]{0,2100}\] Result:/.test(text)
      for (const piece of splitUserText(isMarked ? text : `[tool] Result:\n${text}`)) {
        if (piece.kind === 'result') texts.push(piece.text)
        else words.push(piece)
      }
    } else texts.push(typeof value === 'string' ? value : JSON.stringify(value))
  }
  const output: ClineOutput = { text: texts.join('\n'), failed: block.is_error === true, images }
  writeResult(state, { id: json.text(block.tool_use_id) ?? '' }, [output])
  for (const piece of words) writePiece(state, piece)
}

export function countMessage(state: State, value: unknown, index: number): void {
  const usage = usageIn(json.at(value, 'metrics', 'tokens'), 'cline')
  state.usage(`message ${index}`, usage, json.text(value, 'modelInfo', 'modelId'))
}

interface ClinePiece {
  /** `result` is `[read_file for 'a.ts'] Result:` with the text after it; its name is the tool. */
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
    // The user's text may contain a mentioned file.
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

/** The output of a tool may contain such a tag; only one introduced by the harness is the user's. */
const feedbackLead = /(?:feedback|user (?:said|denied|has)|to proceed)[^<]{0,250}$|^\s*$/i

type TextPart =
  | { readonly kind: 'words' | 'thoughts'; readonly text: string }
  | { readonly kind: 'call'; readonly name: string; readonly input: Readonly<Record<string, string>> }

const tools =
  'execute_command read_file write_to_file replace_in_file apply_diff insert_content search_and_replace edit_file search_files list_files list_code_definition_names codebase_search browser_action use_mcp_tool access_mcp_resource load_mcp_documentation ask_followup_question attempt_completion plan_mode_respond plan_mode_response new_task switch_mode update_todo_list condense summarize_task new_rule report_bug fetch_instructions web_fetch web_search generate_image run_slash_command use_skill apply_patch'
const callStart = new RegExp(`<(thinking|${tools.replaceAll(' ', '|')})>`, 'g')

function splitAssistantText(text: string): TextPart[] {
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

/** Parses `<path>a.ts</path>…`; a file's content may contain tags, so each value ends at its last end tag. */
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
