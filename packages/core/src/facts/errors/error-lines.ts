import { cleanLine } from '../../session/clean-text.ts'
import { cutHead } from '../../session/cut-text.ts'

const maxLines = 3
const maxLength = 300
// A log may be megabytes long, with its decisive lines at both ends.
const headLength = 20_000
const tailLength = 40_000

// From the most to the least significant; a line gets the weight of the first match.
const signs: readonly (readonly [weight: number, pattern: RegExp])[] = [
  [
    0,
    /^\s*$|\b0 (?:errors?|failed|failures?)\b|^hint:|^(?:npm warn|npm notice|warning:|error trace:)|^FAIL$/i,
  ],
  [7, /^.{1,200}?(?:\(\d+,\d+\)|:\d+(?::\d+)?): (?:fatal )?error\b/],
  [6, /^error\[E\d+\]: |^\[?(?:\w+\.){0,5}\w*(?:Error|Exception): .{1,300}\]$/],
  [
    5,
    /^(?:#\d{1,3} )?(?:\d[\d.]{0,8} )?npm (?:ERR!|error) (?!A complete log|This is an error|code \S+$|<)\S/,
  ],
  [5, /^(?:panic|fatal|fatal error|thread '.{1,80}' panicked|Segmentation fault)\b/i],
  [5, /^(?:\w+\.){0,5}\w*(?:Error|Exception|Interrupt)(?:\b[^\w(]|$)/],
  [5, /\berror(?:\[E\d+\]| TS\d+| CS\d+|:)|^\s*(?:×|✗|✘|ERROR\b|E {3})/i],
  [4, /^(?:.{0,200}(?::\d+|_test\.go):\d+: |.{0,200}\(\d+,\d+\): )/],
  [4, /^\[?No (?:exact match found|replacement was performed)\b/],
  [4, /^\s*--- FAIL|^\s*(?:FAIL|FAILED)\b|^\s*● |\bassert(?:ion)?\b/i],
  [4, /^[\w./-]{1,60}: .{0,200}(?:not found|No such file|Permission denied|cannot|invalid|unknown|refused)/i],
  [
    3,
    /\b(?:not found|no such file|permission denied|does not exist|cannot find|could not|couldn't|unable to|refused|timed out|unrecognized|not recognized|unexpected|undefined|invalid|unknown|missing|rejected|denied|conflict|are ignored by)\b/i,
  ],
  [2, /\b(?:error|failed|failure|exception|expected)\b/i],
  [1, /\bexit (?:status|code) \d+/i],
]

/**
 * Returns the decisive lines of a failed output on one line: at most three and what their colons announce, joined by `
 * / `, at most 300 characters, without terminal escapes. Falls back to the last line, and to an empty text if there is
 * none.
 */
export function errorLines(output: string): string {
  const text =
    output.length <= headLength + tailLength
      ? output
      : `${output.slice(0, headLength)}\n${output.slice(-tailLength)}`
  const all = text
    // A failed edit repeats the text that it searched for.
    .replace(/^(<tool_use_error>[^\n]{1,500})\nString: [\s\S]*/, '$1')
    .replace(/<\/?tool_use_error>/g, '')
    // Codex prints this before the output.
    .replace(
      /^failed in sandbox \w{1,40} with execution error: [\w ]{1,60}, exit code: -?\d{1,10}, stdout: ?/,
      '',
    )
    .split('\n')
    .map((line) => (line.length > 500 ? line.slice(0, 500) : line))
    .filter((line) => line.trim() !== '' && !/^(?:Exit code|Command exited with code) \d+\s*$/.test(line))
    .map((line) => cleanLine(line))
    .filter((line) => line !== '')
    .filter((line) => !aside.test(line))
  const placed = new Set(all.filter((_, index) => isPlace(all[index + 1])))
  // File content that an editor shows around a failure is not part of it.
  const own = all.filter(
    (line, index) => !isPlace(line) && !(line.startsWith('+ ') && isPlace(all[index - 1])),
  )
  const listed = own.filter((line) => !/^\d+[:|]/.test(line))
  const told = listed.length > 0 && own.length - listed.length >= 5 ? listed : own
  // A formatter shows what it would change.
  const lines = withoutHunks(told)
  const traceback = tracebackEnd(lines)
  if (traceback !== undefined) return clip(traceback)
  const weighed = lines.map((line, index) => ({ line, index, weight: placed.has(line) ? 5 : weigh(line) }))
  const best = Math.max(0, ...weighed.map(({ weight }) => weight))
  if (best === 0)
    return clip(lines.findLast((line) => /\p{L}/u.test(line) && !line.startsWith('hint:')) ?? '')
  const seen = new Set<string>()
  const chosen: { line: string; index: number }[] = []
  for (const floor of [best, best - 1]) {
    for (const item of weighed) {
      if (chosen.length >= maxLines || item.weight !== floor || floor < 2 || seen.has(item.line)) continue
      seen.add(item.line)
      chosen.push(item)
    }
  }
  // "Expected values to be equal:": the next line has the values.
  for (const item of [...chosen]) {
    const next = weighed[item.index + 1]
    if (/[:：]$/.test(item.line) && next !== undefined && !chosen.includes(next)) chosen.push(next)
  }
  if (chosen.length === 0) chosen.push(...weighed.filter(({ weight }) => weight === best).slice(0, 1))
  return clip(
    chosen
      .sort((a, b) => a.index - b.index)
      .map(({ line }) => line)
      .join(' / '),
  )
}

/** Separators within an output: headings of `echo`, lines of `ls -l`, marks of PowerShell. */
const aside =
  /^([-=*#_~])\1{1,40}[^\n]{0,100}\1{2}$|^[-d][rwx-]{9}[@+.]? +\d|^total \d+$|^\+ (?:~+$|CategoryInfo |FullyQualifiedErrorId )/

/** Whether a line is the place below the message of a PowerShell error; code follows it. */
function isPlace(line = ''): boolean {
  return /^At (?:line|[A-Z]:\\.{1,300}\.psm?1):\d+ char:\d+$/.test(line)
}

/** Leaves out the file content in a diff; the lines that name the files stay. */
function withoutHunks(lines: readonly string[]): readonly string[] {
  if (!lines.some((line, index) => line.startsWith('+++ ') && lines[index + 1]?.startsWith('@@ -')))
    return lines
  let isHunk = false
  return lines.filter((line) => {
    if (line.startsWith('@@ -')) isHunk = true
    else if (/^(?:diff |--- \S)/.test(line)) isHunk = false
    return !isHunk && !/^(?:---|\+\+\+) (?!FAIL|PASS|SKIP)/.test(line)
  })
}

function weigh(line: string): number {
  return signs.find(([, pattern]) => pattern.test(line))?.[0] ?? 0
}

/** Returns the line after the frames of the last Python traceback: the error itself. */
function tracebackEnd(lines: readonly string[]): string | undefined {
  const start = lines.findLastIndex((line) => line.startsWith('Traceback (most recent call last)'))
  if (start < 0) return undefined
  return lines
    .slice(start + 1)
    .find((line) => /^[A-Za-z_][\w.]*(?:Error|Exception|Exit|Interrupt|Warning)\b/.test(line))
}

function clip(line: string): string {
  return line.length <= maxLength ? line : `${cutHead(line, maxLength - 2)} …`.trimStart()
}
