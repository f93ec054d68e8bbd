import { isLatin1 } from '../../../session/is-latin1.ts'
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

const latin = [
  { grammar: english, letters: '' },
  { grammar: german, letters: 'äöüß' },
  { grammar: french, letters: 'èêëîïœçùûà' },
  { grammar: spanish, letters: 'ñ¿¡áéíóú' },
  { grammar: portuguese, letters: 'ãõçáéíóúâê' },
  { grammar: italian, letters: 'àèìòù' },
].map(({ grammar, letters }) => ({ grammar, letters: [...letters], common: new Set(grammar.common) }))

/** Returns the grammar of a text's language: by its script, then by its frequent words; English in doubt. */
export function grammarOf(text: string): Grammar {
  const head = text.slice(0, 1000)
  return isLatin1(head) ? latinGrammar(head) : (grammarOfScript(head) ?? latinGrammar(head))
}

/** The grammar of a script that only few languages use. */
function grammarOfScript(head: string): Grammar | undefined {
  const count = (pattern: RegExp) => head.match(pattern)?.length ?? 0
  const letters = count(/\p{L}/gu)
  const kana = count(/[\p{Script=Hiragana}\p{Script=Katakana}]/gu)
  const han = count(/\p{Script=Han}/gu)
  const hangul = count(/\p{Script=Hangul}/gu)
  const cyrillic = count(/\p{Script=Cyrillic}/gu)
  // A character of these scripts says as much as two or three letters.
  if ((kana + han) * 4 >= letters && kana + han > 1) return kana * 8 > han ? japanese : chinese
  if (hangul * 3 > letters) return korean
  return cyrillic * 2 > letters ? russian : undefined
}

function latinGrammar(head: string): Grammar {
  let best = latin[0]
  let most = 0
  const lower = head.toLowerCase()
  const words = lower.match(/[\p{L}’']+/gu) ?? []
  for (const each of latin) {
    // A language's letters are weaker evidence than its words.
    const own = each.letters.some((one) => lower.includes(one)) ? 0.5 : 0
    const found = words.filter((word) => each.common.has(word.replace('’', "'"))).length + own
    if (found > most) {
      best = each
      most = found
    }
  }
  return best?.grammar ?? english
}
