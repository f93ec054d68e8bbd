/** A shorter heredoc stays in its command. */
const minLines = 8

/** A command without the long texts that it gives to programs, and those texts. */
export interface SplitCommand {
  readonly command: string
  readonly texts: string
}

/** Takes the long heredocs out of a command: `cat > a.ts <<'EOF' […] EOF` says what it does without them. */
export function splitHeredocs(command: string): SplitCommand {
  const lines = command.split('\n')
  const kept: string[] = []
  const texts: string[] = []
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] as string
    kept.push(line)
    const word = /<<-?\s*(['"]?)([A-Za-z_]\w{0,60})\1/.exec(line.slice(0, 4000))?.[2]
    if (word === undefined) continue
    const end = lines.findIndex((each, index) => index > at && each.trim() === word)
    if (end - at <= minLines) continue
    texts.push(...lines.slice(at + 1, end))
    at = end
  }
  return { command: kept.join('\n'), texts: texts.join('\n') }
}
