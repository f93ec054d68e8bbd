import { isLatin1 } from '../../../session/is-latin1.ts'
import { largePattern } from '../../../session/large-pattern.ts'
import { chinese } from './chinese.ts'
import { english } from './english.ts'
import { french } from './french.ts'
import { german } from './german.ts'
import { type Grammar, readGrammar } from './grammar.ts'
import { italian } from './italian.ts'
import { japanese } from './japanese.ts'
import { korean } from './korean.ts'
import { portuguese } from './portuguese.ts'
import { russian } from './russian.ts'
import { spanish } from './spanish.ts'

const texts = {
  en: english,
  de: german,
  fr: french,
  es: spanish,
  pt: portuguese,
  it: italian,
  ru: russian,
  zh: chinese,
  ja: japanese,
  ko: korean,
}

export const grammars: readonly Grammar[] = Object.entries(texts).map(([language, text]) =>
  readGrammar(language, text),
)

const latin = grammars
  .filter(({ sections }) => sections.includes('common'))
  .map((grammar) => ({
    grammar,
    letters: grammar.sections.includes('letters') ? [...grammar.alternatives('letters')] : [],
    common: new Set(grammar.words('common')),
  }))

function ofLanguage(name: keyof typeof texts): Grammar | undefined {
  return grammars.find(({ language }) => language === name)
}

/** A pattern of the alternatives that a section has in any language. */
export function inAnyLanguage(section: string, before: string, after: string): () => RegExp {
  const all = grammars.map((grammar) => grammar.alternatives(section)).join('|')
  return largePattern(`${before}(?:${all})${after}`, 'u')
}

/** Returns the grammar of a text's language: by its script, then by its frequent words; English in doubt. */
export function grammarOf(text: string): Grammar {
  const head = text.slice(0, 1000)
  return isLatin1(head) ? latinGrammar(head) : (grammarOfScript(head) ?? latinGrammar(head))
}

function grammarOfScript(head: string): Grammar | undefined {
  const count = (pattern: RegExp) => head.match(pattern)?.length ?? 0
  const letters = count(/\p{L}/gu)
  const kana = count(/[\p{Script=Hiragana}\p{Script=Katakana}]/gu)
  const han = count(/\p{Script=Han}/gu)
  const hangul = count(/\p{Script=Hangul}/gu)
  const cyrillic = count(/\p{Script=Cyrillic}/gu)
  // A character of these scripts says as much as two or three letters.
  if ((kana + han) * 4 >= letters && kana + han > 1) return ofLanguage(kana * 8 > han ? 'ja' : 'zh')
  if (hangul * 3 > letters) return ofLanguage('ko')
  return cyrillic * 2 > letters ? ofLanguage('ru') : undefined
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
  return best?.grammar ?? (grammars[0] as Grammar)
}
