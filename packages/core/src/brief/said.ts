/** Fewer characters may stand in another text by chance, as a path or a name may. */
const shortest = 16

/** What some texts say so far. */
export interface Said {
  readonly add: (text: string) => void
  /** Whether one of them is a text, or has it within it word for word. */
  readonly has: (text: string) => boolean
}

/** Collects what texts say. The mark, the label, the fields and the events of a line say nothing of their own. */
export function collectSaid(): Said {
  const texts = new Set<string>()
  let words = ' '
  return {
    add(text) {
      texts.add(text.trim())
      words += `${wordsOf(text).join(' ')}  `
    },
    has(text) {
      const statement = text.trim().replace(around, '')
      // The last word of a cut text is part of one.
      const own = wordsOf(statement.replace(/\S*\s?…$/, '')).join(' ')
      const isSentence = own.length >= shortest && /\s|[^\0-\x7f]/.test(statement)
      return texts.has(text.trim()) || (isSentence && words.includes(` ${own} `))
    },
  }
}

/** What stands before and after the statement of a line. */
const around =
  /^(?:[-*] |> )?(?:\[[ x]\] )?(?:[A-Z][A-Za-z ]{0,20}(?: \(e\d{1,9}\))?: )?|(?: \| [a-z]+: .*)?(?: \[[ e\d]+\])?$/gs

/** The words of a text in lower case, without marks around and between them. */
export function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
}
