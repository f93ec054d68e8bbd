/** One event of the transcript in a prompt. */
export interface PromptEvent {
  readonly id: string
  readonly by: 'user' | 'assistant' | 'tool' | 'other'
  /** The text after the id: `tool Bash, turn 3, error`. */
  readonly label: string
  readonly text: string
}

const head = /^\[(e[1-9]\d{0,15})(?:-e[1-9]\d{0,15})?\] (.*)$/
const shells =
  /^tool (?:bash|shell|sh|exec|exec_command|local_shell|terminal|run_terminal_cmd|run_shell_command)\b/i

/**
 * The events of all transcripts in the text, in order. One is a head and lines with a bar:
 *
 *     [e12] tool Bash, turn 3, error
 *     | npm test -> exit 1
 */
export function promptEvents(prompt: string): PromptEvent[] {
  const events: { id: string; label: string; lines: string[] }[] = []
  let open = false
  for (const line of prompt.split('\n')) {
    const begin = head.exec(line)
    if (begin !== null) events.push({ id: begin[1] ?? '', label: begin[2] ?? '', lines: [] })
    open = begin !== null || (open && line.startsWith('|'))
    if (open && begin === null) events.at(-1)?.lines.push(line.replace(/^\| ?/, ''))
  }
  const texts = new Map(events.map(({ id, lines }) => [id, lines.join('\n').trim()]))
  return events.map(({ id, label }) => {
    const text = texts.get(id) ?? ''
    // A text that was shown before is only named.
    const same = /^same as (e\d+)$/.exec(text)?.[1]
    return { id, by: speaker(label), label, text: texts.get(same ?? id) ?? '' }
  })
}

function speaker(label: string): PromptEvent['by'] {
  const word = /^[^\s,]*/.exec(label)?.[0]
  return word === 'user' || word === 'assistant' || word === 'tool' ? word : 'other'
}

/** All event ids that occur in the text, each once, in order. */
export function eventIds(prompt: string): string[] {
  return [...new Set([...prompt.matchAll(/(?<![\w.])e[1-9]\d{0,8}(?![\w.])/g)].map((match) => match[0]))]
}

/** The last command that a shell tool ran, without its outcome; never one that was cut. */
export function lastCommand(events: readonly PromptEvent[]): { id: string; command: string } | undefined {
  for (const event of events.toReversed()) {
    if (!shells.test(event.label) || /, (?:denied|cancelled|missing)/.test(event.label)) continue
    const command = (event.text.split('\n')[0] ?? '').replace(/ -> [^>]*$/, '').trim()
    if (command !== '' && !command.includes('…')) return { id: event.id, command }
  }
  return undefined
}
