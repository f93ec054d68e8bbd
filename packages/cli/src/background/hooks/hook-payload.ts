import { asObject, parseJson } from '../../terminal/regular-file.ts'
import { actionOf, type HookAction, type HookAgent } from './hook-agents.ts'

/** With the same names for all agents; a field is undefined if it was missing, empty or null. */
export interface HookPayload {
  readonly agent: HookAgent
  readonly event: string
  readonly action?: HookAction | undefined
  readonly session?: string | undefined
  readonly transcript?: string | undefined
  readonly cwd?: string | undefined
  /** Why a session starts: `startup`, `resume`, `fork`, `clear` or `compact`. */
  readonly source?: string | undefined
  /** What caused a compaction: `auto` or `manual`. */
  readonly trigger?: string | undefined
  readonly tool?: string | undefined
  readonly subagent: { readonly id?: string | undefined; readonly transcript?: string | undefined }
}

/** `named` is the event if only the command names it. Returns a text that says what is wrong. */
export function parseHookPayload(agent: HookAgent, text: string, named?: string): HookPayload | string {
  if (text.trim() === '') return 'stdin was empty'
  const parsed = parseJson(text.replace(/^\ufeff/, ''))
  // The text itself may contain secrets, so it is not quoted.
  if (parsed === undefined) return 'stdin was not JSON: it does not parse'
  const value = asObject(parsed)
  if (value === undefined) return 'stdin held JSON that is not an object'
  const own = (name: string): unknown => (Object.hasOwn(value, name) ? value[name] : undefined)
  const word = (...names: string[]): string | undefined =>
    names.map(own).find((found): found is string => typeof found === 'string' && found.trim() !== '')
  const event = named ?? word('hook_event_name', 'hookEventName')
  if (event === undefined) return 'the JSON has no hook_event_name'
  const roots = own('workspace_roots') ?? own('workspaceRoots')
  const root: unknown = Array.isArray(roots) ? roots[0] : undefined
  return {
    agent,
    event,
    action: actionOf(event),
    session: word('session_id', 'conversation_id', 'sessionId'),
    transcript: word('transcript_path', 'transcriptPath'),
    cwd: word('cwd') ?? (typeof root === 'string' ? root : undefined),
    source: word('source'),
    trigger: word('trigger'),
    tool: word('tool_name'),
    subagent: { id: word('agent_id', 'subagent_id'), transcript: word('agent_transcript_path') },
  }
}

/** Payloads are small; even one that carries a whole file as tool input stays below this. */
const maxBytes = 16 * 1024 * 1024
const maxWait = 5_000

/** Reads excess input too, or the agent fails on a broken pipe; does not wait for the end once the JSON is complete. */
export async function readHookInput(
  stdin: NodeJS.ReadStream,
): Promise<{ readonly text: string } | { readonly fault: string }> {
  if (stdin.isTTY) return { fault: 'expected the JSON of a hook on stdin, got a terminal' }
  const blocks: Buffer[] = []
  let bytes = 0
  const timer = setTimeout(() => stdin.destroy(), maxWait)
  try {
    for await (const block of stdin) {
      const buffer = Buffer.isBuffer(block) ? block : Buffer.from(String(block))
      bytes += buffer.byteLength
      if (bytes <= maxBytes) blocks.push(buffer)
      else blocks.length = 0
      if (isWhole(blocks)) break
    }
  } catch (error) {
    // The timer gave up; what came until then may be complete.
    if (blocks.length === 0) return { fault: `stdin cannot be read: ${String(error)}` }
  } finally {
    clearTimeout(timer)
  }
  if (bytes > maxBytes) return { fault: `stdin held ${bytes} bytes, more than the ${maxBytes} that are read` }
  return { text: Buffer.concat(blocks).toString('utf8') }
}

function isWhole(blocks: readonly Buffer[]): boolean {
  if (!/\}\s*$/.test(blocks.at(-1)?.toString('latin1').slice(-100) ?? '')) return false
  return parseJson(Buffer.concat(blocks).toString('utf8')) !== undefined
}
