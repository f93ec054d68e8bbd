/**
 * Printable ASCII, and of what else is common in prose the punctuation, arrows, lines and signs: no letters or digits
 * beyond ASCII, and no closing brackets, whose sentences end by other rules.
 */
const plain =
  /^(?:[ -~§°·×\u2010-\u2023\u2025-\u2027\u2190-\u2307\u2500-\u275a\u2794-\u27bf]|(?<=[\u2190-\u27bf])\ufe0f)*$/

/** A mark that may end a sentence, with the brackets, quotes and spaces after it. */
const end = /[.!?]["'()[\]{}\u2018-\u201f]* */g

/** What continues a sentence after its mark. */
const continuing = new Set(',;:-\u2013\u2014.!?')

/** After a dot, a letter in lower case continues the sentence, with anything but letters and marks before it. */
const lowerNext = /[^A-Za-z.!?]*[a-z]/y

/**
 * The sentences of a line of plain characters as `Intl.Segmenter` finds them (Unicode Standard Annex 29, section 5), or
 * `undefined` for other lines. The first segmenter of a process takes 10 ms to make.
 */
export function plainSentences(line: string): string[] | undefined {
  if (!plain.test(line)) return undefined
  const sentences: string[] = []
  let start = 0
  for (const { 0: mark, index } of line.matchAll(end)) {
    const next = index + mark.length
    if (next === line.length || !endsSentence(line, index, next)) continue
    sentences.push(line.slice(start, next))
    start = next
  }
  sentences.push(line.slice(start))
  return sentences
}

function endsSentence(line: string, mark: number, next: number): boolean {
  const following = line.charAt(next)
  if (continuing.has(following)) return false
  if (line[mark] !== '.') return true
  // `1.5`, `U.S`
  const isInside =
    /\d/.test(following) || /^[A-Za-z]\.[A-Z]/.test(line.slice(Math.max(0, mark - 1), next + 1))
  if (next === mark + 1 && isInside) return false
  lowerNext.lastIndex = next
  return !lowerNext.test(line)
}
