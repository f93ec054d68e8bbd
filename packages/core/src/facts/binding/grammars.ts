import { chinese } from './chinese.ts'
import { english } from './english.ts'
import { french } from './french.ts'
import { german } from './german.ts'
import type { Grammar } from './grammar.ts'
import { italian } from './italian.ts'
import { japanese } from './japanese.ts'
import { korean } from './korean.ts'
import { portuguese } from './portuguese.ts'
import { russian } from './russian.ts'
import { spanish } from './spanish.ts'

export const grammars: readonly Grammar[] = [
  english,
  german,
  french,
  spanish,
  portuguese,
  italian,
  russian,
  chinese,
  japanese,
  korean,
]

const latin = [english, german, french, spanish, portuguese, italian].map((grammar) => ({
  grammar,
  common: new Set(grammar.common),
}))

/** The grammar of the language that a text is written in: by its script, then by its frequent words; English in doubt. */
export function grammarOf(text: string): Grammar {
  const head = text.slice(0, 1000)
  const count = (pattern: RegExp) => head.match(pattern)?.length ?? 0
  const letters = count(/\p{L}/gu)
  const kana = count(/[\p{Script=Hiragana}\p{Script=Katakana}]/gu)
  const han = count(/\p{Script=Han}/gu)
  const hangul = count(/\p{Script=Hangul}/gu)
  const cyrillic = count(/\p{Script=Cyrillic}/gu)
  // A character of these scripts says as much as two or three letters.
  if ((kana + han) * 3 > letters) return kana * 8 > han ? japanese : chinese
  if (hangul * 3 > letters) return korean
  if (cyrillic * 2 > letters) return russian
  let best = latin[0]
  let most = 0
  const words = head.toLowerCase().match(/[\p{L}’']+/gu) ?? []
  for (const each of latin) {
    const found = words.filter((word) => each.common.has(word.replace('’', "'"))).length
    if (found > most) {
      best = each
      most = found
    }
  }
  return best?.grammar ?? english
}
