const decisive =
  /\b(error|fail(ed|ure)?|fatal|panic|exception|traceback|assert\w*|expected|received|undefined|cannot|could not|unable|not found|no such|denied|refused|timed? ?out|conflict|invalid|missing|warning)\b|^\s*(✗|✖|×|FAIL|E )|[A-Z]\w*Error\b/i

/** Whether a line of output says what failed. */
export function isDecisive(line: string): boolean {
  return decisive.test(line.slice(0, 400))
}

/** Returns the lines of a long failure that say what failed, and the last ones; all lines of a short one. */
export function decisiveLines(output: string): string {
  const lines = output.split('\n')
  if (lines.length <= 12) return output
  const last = lines.length - 4
  const kept = lines.filter((line, index) => index >= last || isDecisive(line))
  return [...kept.slice(0, 30), ...kept.slice(30).slice(-6)].join('\n')
}
