import type { ToolResultEvent } from '../../session/event.ts'
import * as json from '../../session/json.ts'
import { numberIn } from './values.ts'

// Fixed phrases of agents and of their harnesses.
const denial =
  /^(?:<tool_use_error>)?(?:Error: )?(?:The user doesn't want to (?:proceed|take this action)|The user (?:has )?(?:rejected|denied|declined) |The user (?:dismissed this question|has specified a rule which prevents you)|Permission (?:for|to|denied and) |Claude requested permissions to |User (?:rejected|denied|declined)\b|Tool (?:execution|call) (?:was )?(?:denied|rejected|blocked)|Blocked by |Denied by |Command not executed|\{"status":"denied"|[\w ]{0,30}(?:rejected by (?:the )?user|user (?:rejected|cancelled)|denied by (?:the )?user)\b)/i
const cancellation =
  /^(?:\[Request interrupted by user|<tool_use_error>(?:Sibling tool call errored|Cancelled: )|aborted(?: by user\b|$)|cancelled\b|The user (?:aborted|cancelled)|(?:Error: )?(?:\[?Tool execution (?:was )?(?:aborted|cancelled|interrupted)|Request (?:cancelled|interrupted))|Tool \[?[\w-]{1,60}\]? was not executed|Skipping tool|.{0,60}was interrupted by the user)/i
/** Ending of a command's output in OpenCode and pi if the user stopped it. */
const stopped =
  /<shell_metadata>\s*User aborted the command\s*<\/shell_metadata>\s*$|(?:^|\n)(?:Command|Operation|Request was) aborted\.?\s*$/
const failure =
  /^(?:<tool_use_error>|<error>|Error: |Error executing |ERROR: |Traceback \(most recent call last\):|An error occurred while running the tool\. |The tool execution failed with the following error|\{"status":"error"|File does not exist|ENOENT)/

export function stopIn(text: string): 'denied' | 'cancelled' | undefined {
  const head = text.slice(0, 400)
  if (denial.test(head)) return 'denied'
  return cancellation.test(head) || stopped.test(text.slice(-300)) ? 'cancelled' : undefined
}

/** Derives the outcome from the text, for formats that do not report it. `failed` is the format's own report. */
export function outcomeOf(text: string, failed?: boolean): Pick<ToolResultEvent, 'status' | 'exitCode'> {
  const head = text.slice(0, 400)
  const exitCode = exitCodeIn(text, head)
  const stop = failed === false && !stopped.test(text.slice(-300)) ? undefined : stopIn(text)
  const isFailed = failed === true || (exitCode ?? 0) !== 0 || (failed === undefined && failure.test(head))
  return { status: stop ?? (isFailed ? 'error' : 'ok'), ...(exitCode !== undefined && { exitCode }) }
}

const codeLines = [
  /^(?:Error: )?Exit code:? (-?\d{1,10})\b/,
  /^\[?Process exited with code (-?\d{1,10})\]?$/m,
  /^Error: Command failed \(exit code: (-?\d{1,10})\)/,
  /^<returncode>(-?\d{1,10})<\/returncode>/,
  /^\[(?:The command completed with |Command finished with )?exit code:? (-?\d{1,10})\.?\]$/im,
]
const lastLine =
  /(?:^|\n)\[?(?:Exit code|Exit status|exit code|exit_code|returncode|Process exited with code)[:=]? ?(-?\d{1,10})\]?\s*$/

function exitCodeIn(text: string, head: string): number | undefined {
  const [code] = codeLines.flatMap((line) => numberIn(head, line) ?? [])
  if (code !== undefined) return code
  if (text.startsWith('{')) return exitCodeOf(json.object(json.parse(text)))
  return numberIn(text.slice(-60), lastLine)
}

export function exitCodeOf(object: json.Fields | undefined): number | undefined {
  const { exit_code, exitCode, metadata, return_code, returncode, returnCode } = object ?? {}
  const codes = [exit_code, exitCode, return_code, returncode, returnCode, json.at(metadata, 'exit_code')]
  return codes.map((code) => json.number(code)).find(Number.isSafeInteger)
}
