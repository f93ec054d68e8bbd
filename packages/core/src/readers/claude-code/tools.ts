import type { FileChange, ToolKind, ToolResultEvent } from '../../session/event.ts'
import { asCount, asList, asObject, asText, type JsonObject, textsIn } from '../../session/json-values.ts'
import { known } from '../../session/known.ts'
import type { TokenUsage } from '../../session/usage.ts'
import { byWord } from '../../tools/by-word.ts'
import { numberIn } from '../shared/content.ts'
import { countLines } from '../shared/diff-counts.ts'
import { countOf, type Outcome } from '../shared/writer.ts'

const kinds = byWord<ToolKind>({
  read: 'Read NotebookRead ReadMcpResourceTool',
  edit: 'Edit Write MultiEdit NotebookEdit',
  execute: 'Bash BashOutput KillShell KillBash PowerShell Monitor TaskOutput TaskStop',
  search: 'Grep Glob LS ToolSearch LSP',
  fetch: 'WebFetch WebSearch web_search web_fetch',
  switch_mode: 'ExitPlanMode EnterPlanMode exit_plan_mode EnterWorktree ExitWorktree',
  think: 'TodoWrite TodoRead TaskCreate TaskUpdate TaskList TaskGet',
})

/** Kind of a tool of Claude Code by its name; tools of MCP servers and subagents are `other`. */
export function toolKind(name: string): ToolKind {
  return kinds.get(name) ?? 'other'
}

/** The outcome in a `tool_result` block; `structured` is the `toolUseResult` next to the message. */
export function toolOutcome(
  block: JsonObject,
  structured: unknown,
  record: JsonObject,
  name?: string,
): Outcome {
  const content = resultContent(block.content)
  const text = content.text !== '' || content.images > 0 ? content.text : structuredText(structured)
  const failed = block.is_error === true
  const details = asObject(structured)
  const status = statusOf(text, failed, record, structured)
  const exitCode = exitCodeOf(text, failed, details)
  const changes =
    status === 'ok' && (name === undefined || toolKind(name) === 'edit') ? changesOf(details) : []
  return { status, text, exitCode, changes, images: content.images }
}

function resultContent(content: unknown): { readonly text: string; readonly images: number } {
  if (typeof content === 'string') return { text: content, images: 0 }
  const texts: string[] = []
  let images = 0
  for (const item of asList(content)) {
    const part = asObject(item)
    if (typeof item === 'string') texts.push(item)
    else if (part?.type === 'image' || part?.type === 'document') images++
    else if (part?.type === 'tool_reference') texts.push(`tool: ${asText(part.tool_name) ?? ''}`)
    else if (typeof part?.text === 'string') texts.push(part.text)
    else if (item !== null && item !== undefined) texts.push(JSON.stringify(item))
  }
  return { text: texts.join('\n'), images }
}

/** Text of a result whose message is empty: what the tool printed, or the file that it read. */
function structuredText(structured: unknown): string {
  if (typeof structured === 'string') return structured
  const details = asObject(structured)
  const printed = textsIn([details?.stdout, details?.stderr])
  return printed.length > 0 ? printed.join('\n') : (asText(asObject(details?.file)?.content) ?? '')
}

const denial =
  /^(?:The user doesn't want to (?:proceed with this tool use|take this action right now)|Permission for this action (?:was|has been) denied|Permission to use |Claude requested permissions to |User rejected tool use)/
const cancellation =
  /^(?:\[Request interrupted by user|<tool_use_error>(?:Sibling tool call errored|Cancelled: parallel tool call))/

function statusOf(
  text: string,
  failed: boolean,
  { toolDenialKind }: JsonObject,
  structured: unknown,
): ToolResultEvent['status'] {
  const isDenied =
    denial.test(text) || toolDenialKind !== undefined || structured === 'User rejected tool use'
  if (failed && isDenied) return 'denied'
  if (asObject(structured)?.interrupted === true || (failed && cancellation.test(text))) return 'cancelled'
  return failed ? 'error' : 'ok'
}

function exitCodeOf(text: string, failed: boolean, details: JsonObject | undefined): number | undefined {
  if (Number.isSafeInteger(details?.exitCode)) return Number(details?.exitCode)
  // The meanings of exit code 1 that are no failure: of grep, find, diff and test.
  if (!failed && asText(details?.returnCodeInterpretation) !== undefined) return 1
  return failed ? numberIn(text, /^(?:Error: )?Exit code (-?\d{1,10})\b/) : undefined
}

function changesOf(details: JsonObject | undefined): FileChange[] {
  const path = asText(details?.filePath) ?? asText(details?.notebook_path)
  if (details === undefined || path === undefined) return []
  if (details.type === 'create') {
    const added = typeof details.content === 'string' ? countLines(details.content) : undefined
    return [{ path, action: 'created', ...(added !== undefined && { added, removed: 0 }) }]
  }
  if (!Array.isArray(details.structuredPatch)) return [{ path, action: 'modified' }]
  const lines = details.structuredPatch.flatMap((hunk) => asList(asObject(hunk)?.lines))
  const count = (sign: string): number =>
    lines.filter((line) => typeof line === 'string' && line.startsWith(sign)).length
  return [{ path, action: 'modified', added: count('+'), removed: count('-') }]
}

/** Tokens that a response billed, in the terms of {@link TokenUsage}: input includes the cache. */
export function claudeUsage(usage: JsonObject): TokenUsage {
  const {
    input_tokens,
    output_tokens,
    cache_read_input_tokens: read,
    cache_creation_input_tokens: written,
  } = usage
  return known<TokenUsage>({
    inputTokens: countOf(input_tokens, read, written),
    outputTokens: asCount(output_tokens),
    cacheReadTokens: asCount(read),
    cacheWriteTokens: asCount(written),
  })
}
