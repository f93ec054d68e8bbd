/**
 * Returns the words of a PowerShell command without the assignment before it: `git show …` for `$found = git show …`.
 * Empty if they only give a value: a text, a variable, `$body = "…"`. `literals` are the words that hold quotes.
 */
export function withoutExpression(words: readonly string[], literals: ReadonlySet<string>): string[] {
  const [first = ''] = words
  const joined = /^\$[\w:.[\]]+(?:[-+*/]?=)/.exec(first)?.[0]
  const operator = /^\$[\w:.[\]]+$/.test(first) && /^[-+*/]?=$/.test(words[1] ?? '')
  if (joined === undefined && !operator) return literals.has(first) ? [] : [...words]
  const value = joined === undefined ? words.slice(2) : [first.slice(joined.length), ...words.slice(1)]
  const isText = literals.has(first) || literals.has(value[0] ?? '')
  return !isText && /^[A-Za-z][\w-]*$/.test(value[0] ?? '') ? value : []
}
