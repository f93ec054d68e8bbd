const frame = /^(?:Command: [\s\S]{0,4000}?\nDirectory: [^\n]{0,1000}\n)?Output: /
const trailer = /^(?:Error: \(none\)|(?:Exit Code|Signal|Background PIDs|Process Group PGID): .{0,200})$/

/** Returns what a command printed, without the fields that Gemini CLI writes around it; any other text unchanged. */
export function shellOutput(text: string): string {
  const start = frame.exec(text.slice(0, 6000))?.[0]
  if (start === undefined) return text
  let end = text.length
  for (;;) {
    const line = text.lastIndexOf('\n', end - 1)
    if (line < start.length || !trailer.test(text.slice(line + 1, end))) break
    end = line
  }
  const output = text.slice(start.length, end)
  return output === '(empty)' ? '' : output
}
