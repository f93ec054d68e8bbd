import type { ToolResultEvent } from '../../session/event.ts'
import * as json from '../../session/json.ts'
import { numberIn } from '../shared/content.ts'

const denial =
  /^(?:<tool_use_error>)?(?:The user doesn't want to (?:proceed|take this action)|Permission (?:for|to) |Claude requested permissions to |User rejected tool use|[\w ]{0,30}(?:rejected by (?:the )?user|user rejected|denied by (?:the )?user)\b|The user (?:rejected|denied|declined) )/i
const cancellation =
  /^(?:\[Request interrupted by user|<tool_use_error>(?:Sibling tool call errored|Cancelled: )|aborted(?: by user\b|$)|Tool execution (?:was )?(?:aborted|cancelled))/i
/** How OpenCode ends the output of a command that the user stopped. */
const stopped = /<shell_metadata>\s*User aborted the command\s*<\/shell_metadata>\s*$/
const failure = /^(?:<tool_use_error>|Error: |Error executing |ERROR: |Traceback \(most recent call last\):)/

/**
 * Status and exit code of a tool by its text, for formats that do not report them: the fixed phrases of agents and of
 * their harnesses, and the keys of results in JSON. `failed` is the format's own statement.
 */
export function outcomeOf(text: string, failed?: boolean): Pick<ToolResultEvent, 'status' | 'exitCode'> {
  const head = text.slice(0, 400)
  const exitCode = exitCodeIn(text, head)
  return { status: statusOf(text, head, exitCode, failed), ...(exitCode !== undefined && { exitCode }) }
}

function statusOf(text: string, head: string, exitCode = 0, failed?: boolean): ToolResultEvent['status'] {
  if (failed !== false && denial.test(head)) return 'denied'
  if ((failed !== false && cancellation.test(head)) || stopped.test(text.slice(-200))) return 'cancelled'
  if (failed === true || exitCode !== 0) return 'error'
  return failed === undefined && failure.test(head) ? 'error' : 'ok'
}

const codeLines = [
  /^(?:Error: )?Exit code:? (-?\d{1,10})\b/,
  /^Process exited with code (-?\d{1,10})$/m,
  /^<returncode>(-?\d{1,10})<\/returncode>/,
  /^\[(?:The command completed with |Command finished with )?exit code:? (-?\d{1,10})\.?\]$/im,
]
const lastLine =
  /(?:^|\n)\[?(?:Exit code|Exit status|exit code|exit_code|returncode)[:=]? ?(-?\d{1,10})\]?\s*$/

function exitCodeIn(text: string, head: string): number | undefined {
  for (const line of codeLines) {
    const code = numberIn(head, line)
    if (code !== undefined) return code
  }
  if (text.startsWith('{')) return exitCodeOf(json.object(json.parse(text)))
  return numberIn(text.slice(-60), lastLine)
}

/** The exit code in an object, under any of its usual names. */
export function exitCodeOf(object: json.Fields | undefined): number | undefined {
  if (object === undefined) return undefined
  const inner = json.object(object.metadata)
  for (const value of [
    object.exit_code,
    object.exitCode,
    object.return_code,
    object.returncode,
    object.returnCode,
    inner?.exit_code,
  ]) {
    const code = json.number(value)
    if (code !== undefined && Number.isSafeInteger(code)) return code
  }
  return undefined
}
