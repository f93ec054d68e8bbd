const skipped = new Set(
  'cd ls cat grep rg egrep head tail echo pwd find wc sed awk sort uniq which true false sleep export printf mkdir touch chmod tree stat test cut tr xargs tee env date du df file less diff jq set source exit for if while do done then fi ['.split(
    ' ',
  ),
)

/** Commands in a shell text, as program and subcommand (`npm test`), without those that only inspect. */
export function programsOf(shell: string): string[] {
  const text = shell.replaceAll(/<<-?\s*['"]?(\w{1,40})['"]?[^\n]*\n[\s\S]*?(?:\n\s*\1\s*(?=\n|$|\)))/g, ' ')
  const plain = text.replaceAll(/"(?:[^"\\]|\\[\s\S])*"|'[^']*'/g, ' "" ')
  return plain.split(/&&|\|\||(?<!\\)[;|\n]|(?<!>)&(?!>)|[$<>]\(|[()`]/).flatMap((part) => {
    const words = part.trim().split(/\s+/)
    while (
      /^[A-Za-z_]\w*=/.test(words[0] ?? '') ||
      /^(?:sudo|time|timeout|command|do|then|else|if|while|until|!|\d+[smh]?)$/.test(words[0] ?? '')
    )
      words.shift()
    const program = (words[0] ?? '').split('/').at(-1) ?? ''
    if (!/^[A-Za-z][\w.-]*$/.test(program) || skipped.has(program)) return []
    const next = words
      .slice(1)
      .find((word, at, all) => !word.startsWith('-') && !/^-[Cc]$/.test(all[at - 1] ?? ''))
    return [next !== undefined && /^[a-z][\w:-]{1,30}$/i.test(next) ? `${program} ${next}` : program]
  })
}

/** The shell text in a tool call's arguments, if there is one. */
export function shellTextOf(input: unknown): string | undefined {
  if (typeof input !== 'object' || input === null) return undefined
  const value: unknown = Reflect.get(input, 'command') ?? Reflect.get(input, 'cmd')
  if (typeof value === 'string') return value
  if (!Array.isArray(value)) return undefined
  const words = value.map(String)
  return /(?:ba|z)?sh$/.test(words[0] ?? '') ? words.at(-1) : words.join(' ')
}
