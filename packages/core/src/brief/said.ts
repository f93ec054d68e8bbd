/** Shorter texts may occur in another text by chance, as a path or a name does. */
const shortest = 16

/**
 * Collects texts, and finds whether one of them equals or contains a text word for word. The mark, the label, the
 * fields and the events of a line are ignored.
 */
export function collectSaid() {
  const texts = new Set<string>()
  const said: string[] = []
  /** Number of collected texts that were found not to contain a queried text. */
  const asked = new Map<string, { readonly words: string; read: number }>()
  return {
    add(text: string): void {
      texts.add(text.trim())
      said.push(` ${wordsOf(text).join(' ')} `)
    },
    has(text: string): boolean {
      if (texts.has(text.trim())) return true
      const known = asked.get(text) ?? { words: ownWords(text), read: 0 }
      asked.set(text, known)
      if (known.words === '') return false
      while (known.read < said.length && !said[known.read]?.includes(known.words)) known.read++
      return known.read < said.length
    },
  }
}

/** Returns the words of a text, if they suffice to find it. */
function ownWords(text: string): string {
  const statement = text.trim().replace(around, '')
  // The last word of a cut text is incomplete.
  const own = wordsOf(statement.replace(/\S*\s?…$/, '')).join(' ')
  return own.length >= shortest && /\s|[^\0-\x7f]/.test(statement) ? ` ${own} ` : ''
}

/** Parts of a line before and after its statement. */
const around =
  /^(?:[-*] |> )?(?:\[[ x]\] )?(?:[A-Z][A-Za-z ]{0,20}(?: \(e\d{1,9}\))?: )?|(?: \| [a-z]+: .*)?(?: \[[ e\d]+\])?$/gs

/** Returns the words of a text in lower case, without punctuation. */
function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
}
