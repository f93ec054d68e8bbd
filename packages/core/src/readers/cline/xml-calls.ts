/** A part of an assistant text: plain text, thoughts, or a tool call written as XML. */
export type TextPart =
  | { readonly kind: 'words'; readonly text: string }
  | { readonly kind: 'thoughts'; readonly text: string }
  | { readonly kind: 'call'; readonly name: string; readonly input: Readonly<Record<string, string>> }

const tools =
  'execute_command read_file write_to_file replace_in_file apply_diff insert_content search_and_replace edit_file search_files list_files list_code_definition_names codebase_search browser_action use_mcp_tool access_mcp_resource load_mcp_documentation ask_followup_question attempt_completion plan_mode_respond plan_mode_response new_task switch_mode update_todo_list condense summarize_task new_rule report_bug fetch_instructions web_fetch web_search generate_image run_slash_command use_skill apply_patch'
const opening = new RegExp(`<(thinking|${tools.split(' ').join('|')})>`, 'g')

/** Splits an assistant text into parts. A call that breaks off keeps its text so far. */
export function splitAssistantText(text: string): TextPart[] {
  const parts: TextPart[] = []
  const missing = new Set<string>()
  let from = 0
  opening.lastIndex = 0
  for (let match = opening.exec(text); match !== null; match = opening.exec(text)) {
    const [start, name = ''] = match
    const close = `</${name}>`
    const inside = match.index + start.length
    const found = missing.has(name) ? -1 : text.indexOf(close, inside)
    if (found === -1) missing.add(name)
    // A tag in the middle of a sentence only mentions the tool.
    if (found === -1 && !/^\s*</.test(text.slice(inside, inside + 200))) continue
    const end = found === -1 ? text.length : found
    pushWords(parts, text.slice(from, match.index))
    const body = text.slice(inside, end)
    if (name === 'thinking') parts.push({ kind: 'thoughts', text: body.trim() })
    else parts.push({ kind: 'call', name, input: parametersOf(body) })
    from = Math.min(text.length, end + close.length)
    opening.lastIndex = from
  }
  pushWords(parts, text.slice(from))
  return parts
}

function pushWords(parts: TextPart[], text: string): void {
  if (text.trim() !== '') parts.push({ kind: 'words', text: text.trim() })
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
