import type { Steps } from '../session/pauses.ts'

/** Fewer words may stand in another text by chance. */
const leastWords = 4

const key = 3

/** Finds which of some texts another text has within it, word for word. */
export function* quotedTexts<T>(
  texts: Iterable<readonly [text: string, of: T]>,
): Steps<(text: string) => T[]> {
  const byStart = new Map<string, { readonly words: string; readonly of: T }[]>()
  for (const [text, of] of texts) {
    yield
    const words = wordsOf(text)
    if (words.length < leastWords) continue
    const start = words.slice(0, key).join(' ')
    const starting = byStart.get(start) ?? []
    starting.push({ words: words.join(' '), of })
    byStart.set(start, starting)
  }
  return (text) => {
    const words = wordsOf(text)
    const found = new Set<T>()
    for (let at = 0; at + leastWords <= words.length; at++) {
      const starting = byStart.get(words.slice(at, at + key).join(' '))
      if (starting === undefined) continue
      const rest = `${words.slice(at).join(' ')} `
      for (const one of starting) if (rest.startsWith(`${one.words} `)) found.add(one.of)
    }
    return [...found]
  }
}

/** The words of a text in lower case, without marks around and between them. */
export function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
}
