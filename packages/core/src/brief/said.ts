/** Fewer characters may stand in another text by chance, as a path or a name may. */
const shortest = 16

/**
 * Collects what texts say, and tells whether one of them is a text, or has it within it word for word. The mark, the
 * label, the fields and the events of a line say nothing of their own.
 */
export function collectSaid() {
  const texts = new Set<string>()
  const said: string[] = []
  /** How many of them do not hold a text that was asked. */
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

/** What a text says, if that is enough to find it by. */
function ownWords(text: string): string {
  const statement = text.trim().replace(around, '')
  // The last word of a cut text is part of one.
  const own = wordsOf(statement.replace(/\S*\s?…$/, '')).join(' ')
  return own.length >= shortest && /\s|[^\0-\x7f]/.test(statement) ? ` ${own} ` : ''
}

/** What stands before and after the statement of a line. */
const around =
  /^(?:[-*] |> )?(?:\[[ x]\] )?(?:[A-Z][A-Za-z ]{0,20}(?: \(e\d{1,9}\))?: )?|(?: \| [a-z]+: .*)?(?: \[[ e\d]+\])?$/gs

/** The words of a text in lower case, without marks around and between them. */
function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
}
