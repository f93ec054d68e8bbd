/**
 * Cost of a step from one letter to the next, in bits (0 to 9), a row per first letter a to z: counted over English
 * technical prose. Made-up letters cost about 6 a step, words and identifiers about 3.5.
 */
const stepCosts = [
  '64446659586353959343667868',
  '34443497479379489457499969',
  '35553593594589299563599978',
  '35542579388677479548588868',
  '46435568789553857334867589',
  '34443399399589399576499959',
  '48772854399464479347488987',
  '28992999399567399464599969',
  '56454559997452369544959796',
  '39682998487776377628467898',
  '47862668288595489636587959',
  '37752788287388379855579949',
  '25772989389647339859599979',
  '48434638486786479833669968',
  '66547669676442549345455888',
  '38783975498378349254599979',
  '66697966699699969966097999',
  '37552769396756379544578959',
  '48472794396667449842497968',
  '39682884299699479445597959',
  '45554759598443849333999898',
  '37781989299899489778799889',
  '27763974388694399447896667',
  '49473698389769629972697767',
  '45464668496443439635795996',
  '37662889376667469979676954',
]

/** Mean cost of a step between the letters a-z of a text, in either case; 0 for fewer than two letters. */
export function stepCost(letters: string): number {
  let sum = 0
  for (let index = 1; index < letters.length; index += 1) {
    const row = stepCosts[(letters.charCodeAt(index - 1) | 32) - 97]
    sum += row === undefined ? 9 : row.charCodeAt((letters.charCodeAt(index) | 32) - 97) - 48
  }
  return letters.length < 2 ? 0 : sum / (letters.length - 1)
}

/** Whether letters read like a word. Short ones pass easily by chance, so they must read better to count. */
export function isWordLike(letters: string): boolean {
  if (letters.length < 3) return false
  return stepCost(letters) <= (letters.length === 3 ? 4 : 4.85)
}

/** Letter runs split at case changes, and digit runs: `getUser2` is get, User, 2. */
const piecePattern = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+/g

/** Whether a long text changes between cases and digits as often as only chance does: about every three characters. */
export function isChopped(value: string): boolean {
  return value.length >= 36 && (value.match(piecePattern)?.length ?? 0) * 3.5 >= value.length
}

/** Share of the letters and digits of a text that are in word-like pieces. */
export function wordShare(value: string): number {
  let inWords = 0
  let all = 0
  for (const [piece] of value.matchAll(piecePattern)) {
    all += piece.length
    if (piece.charCodeAt(0) > 57 && isWordLike(piece)) inWords += piece.length
  }
  return all === 0 ? 0 : inWords / all
}

/** Whether a run of letters is neither a word nor a name: its pairs of letters are rare in words, or its case is random. */
export function isNoWord(letters: string): boolean {
  const share = wordShare(letters)
  const pieces = letters.match(piecePattern)?.length ?? 0
  // Words of a name are longer: `PostHogURL` has 3 in 10 letters, chance makes 4.
  if (letters.length >= 8 && share < 0.85 && pieces * 3 >= letters.length) return true
  return stepCost(letters) > (letters.length < 7 ? 5 : 4.85) && !(share > 0.6 && /[A-Z]/.test(letters))
}
