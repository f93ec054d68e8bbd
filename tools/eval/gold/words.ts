/** The words of a text, lower-cased. A run of letters is one word, also in scripts without spaces. */
function wordsOf(text: string): Set<string> {
  return new Set(
    text
      .toLowerCase()
      .normalize('NFKC')
      .match(/[\p{L}\p{N}_./-]*[\p{L}\p{N}_]|\p{Script=Han}/gu)
      ?.filter((word) => word.length > 1 || /\p{Script=Han}/u.test(word)) ?? [],
  )
}

/** Whether at least 60 % of the quote's words occur in the text. */
export function isLike(quote: string, text: string): boolean {
  const wanted = wordsOf(quote)
  const given = wordsOf(text)
  return wanted.size > 0 && [...wanted].filter((word) => given.has(word)).length / wanted.size >= 0.6
}

/** Whether either text contains at least 60 % of the other's words. */
export function areAlike(a: string, b: string): boolean {
  return isLike(a, b) || isLike(b, a)
}

/** How much of the wanted text another one covers, 0 to 1: common words do not count, identifiers count three times. */
export function overlap(wanted: string, text: string): number {
  const given = wordsOf(text)
  const rare = [...wordsOf(wanted)].filter((word) => !common.has(word))
  const weight = (words: readonly string[]) =>
    words.reduce((sum, word) => sum + (isIdentifier(word) ? 3 : 1), 0)
  return rare.length === 0 ? 0 : weight(rare.filter((word) => given.has(word))) / weight(rare)
}

function isIdentifier(word: string): boolean {
  return /[\d_./-]/.test(word) && /[\p{L}\p{N}].*[\d_./-]|[\d_./-].*[\p{L}\p{N}]/u.test(word)
}

/** Words of steps that do not distinguish one step from another. */
const common = new Set(
  `a an and any are as at be been before but by can did do does for from go had has have if in into is it its no not now of
  off on once one only open or other out over own same so some still than that the their them then there these they this to
  up was were what when which who will with word would you your again all also answer ask continue last log next session
  step user wait`.split(/\s+/),
)
