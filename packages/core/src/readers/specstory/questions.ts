/** A question to the user with the options it offers, as Claude Code asks it. */
export interface OfferedQuestion {
  readonly question: string
  readonly options: readonly { readonly label: string; readonly description: string }[]
}

/** Reads `**question**`, each with a list of `- **label** - description`. */
export function questionsIn(text: string): OfferedQuestion[] {
  const questions: { question: string; options: { label: string; description: string }[] }[] = []
  for (const line of text.split('\n')) {
    const question = /^\*\*(.+)\*\*\s*$/.exec(line)?.[1]
    const [, label, description = ''] = /^- \*\*(.+?)\*\*(?: - (.*))?$/.exec(line) ?? []
    if (question !== undefined) questions.push({ question, options: [] })
    else if (label !== undefined) questions.at(-1)?.options.push({ label, description })
  }
  return questions
}

/**
 * The answers in the form of Claude Code, `"question"="label"`, without the previews of the chosen options. A text that
 * does not begin with an option of each question stays as it is.
 */
export function answersTo(questions: readonly OfferedQuestion[], text: string): string {
  const [only] = questions
  if (only !== undefined && questions.length === 1) return text.split(preview)[0] ?? text
  const pairs: string[] = []
  let rest = text.trim()
  for (const { question, options } of questions) {
    const label = options.map((option) => option.label).find((each) => startsWithAnswer(rest, each))
    if (label === undefined) return text
    pairs.push(`"${question}"="${label}"`)
    rest = rest.slice(label.length)
    const next = questions[pairs.length]?.options.flatMap((option) => placeOf(rest, option.label)) ?? []
    rest = next.length === 0 ? '' : rest.slice(Math.min(...next))
  }
  return pairs.join(', ')
}

const preview = /" (?:selected preview|(?:user )?notes):/

function startsWithAnswer(text: string, label: string): boolean {
  return (
    text.startsWith(label) &&
    /^(?:$|, |" (?:selected preview|(?:user )?notes):)/.test(text.slice(label.length))
  )
}

/** Where the next answer begins: answers are joined with a comma. */
function placeOf(text: string, label: string): number[] {
  const at = text.indexOf(`, ${label}`)
  return at === -1 ? [] : [at + 2]
}
