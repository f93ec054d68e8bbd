import { largePattern } from '../../../session/large-pattern.ts'
import { once } from '../../../session/once.ts'
import { readCues } from '../../../text/read-cues.ts'
import { chinese } from './chinese.ts'
import { english } from './english.ts'
import { french } from './french.ts'
import { german } from './german.ts'
import { italian } from './italian.ts'
import { japanese } from './japanese.ts'
import { korean } from './korean.ts'
import { portuguese } from './portuguese.ts'
import { russian } from './russian.ts'
import { spanish } from './spanish.ts'

/** Why a sentence binds whoever continues the work. */
export type Binding =
  /** Something must not be done or must not be. */
  | 'prohibition'
  /** Something must or should hold. */
  | 'necessity'
  /** A rule that always holds, from now on, or by default. */
  | 'standing'
  /** How far the work may go, and what it may use. */
  | 'limit'
  /** Something must remain unchanged, or be ensured. */
  | 'keep'
  /** A form that the user wants or chose. */
  | 'preference'
  /** An item below a heading such as "Constraints". */
  | 'listed'

/** Why a sentence does not bind, even if some of its words demand something. */
export type Refusal =
  | 'question'
  /** A report of what the user knows, does, needs or feels. */
  | 'narrative'
  /** How something behaves or fails. */
  | 'report'
  /** Something that is only being considered. */
  | 'musing'
  /** Somebody else's words. */
  | 'quote'
  /** A later sentence of the user revoked it. */
  | 'lifted'
  /** Without binding words: a request for one step, a remark, an answer. */
  | 'plain'

const bindings = ['prohibition', 'necessity', 'standing', 'limit', 'keep', 'preference'] as const
const refusals = ['question', 'narrative', 'report', 'musing'] as const

/** The patterns below a heading such as `limit head weak`. */
interface Rule<Kind> {
  readonly kind: Kind
  readonly at: string | undefined
  readonly weak: boolean
  readonly pattern: () => RegExp
}

/** Words that mark demands and other sentences in a language. Patterns are in lower case, and match any case. */
export interface Grammar {
  readonly language: string
  /** True for a language with spaces between words. */
  readonly spaced: boolean
  readonly sections: readonly string[]
  readonly rules: readonly Rule<(typeof bindings)[number]>[]
  readonly refusals: readonly Rule<(typeof refusals)[number]>[]
  /** Words without their own meaning, the longest first. */
  readonly empty: ReadonlySet<string>
  readonly words: (section: string) => readonly string[]
  readonly alternatives: (section: string) => string
  /** Returns a pattern of all entries in a section, at their place; one that never matches if there is no such section. */
  readonly pattern: (section: string) => RegExp
}

/**
 * Reads the cues of a language. Their headings, apart from those of lists of words:
 *
 * - `prohibition`, `necessity`, `standing`, `limit`, `keep`, `preference`: the sentence binds; `question`, `narrative`,
 *   `report`, `musing`: it does not. Then where the pattern is: `head`, of a clause; `lead`, of a clause not in brackets;
 *   `clause`; `sentence`. `weak`: binds only if nothing in the sentence reports or muses; refuses only what is weak.
 * - `breaks` between clauses; `fillers` skipped before the first word that counts; `polite`: a request in the form of a
 *   question, what follows is classified like a separate sentence; `steps`: openings of a step of the work.
 * - `allows` what a demand forbade, `releases` from a demand, their object follows; `ends` a demand that is named
 *   anywhere, or by half of its words with one of `rule names`; `cancels` the previous statement; `negations` before something that is not to be used any more.
 * - `passing`: a request of this moment, and no rule; `moment` limits a prohibition; `always`: no single request lifts it.
 * - `headings` of lists whose items bind; `forbidden headings` of those that forbid.
 * - `strong demand` and `weak demand`: what any demand has; only a strong one makes a question one.
 * - `common` words of a language with Latin letters, and `letters` of its own, set it apart; `empty` words are ignored
 *   when two sentences are compared.
 */
function readGrammar(language: string, text: string): Grammar {
  const sections = readCues(text)
  const alternatives = (section: string) =>
    sections.find(({ heading }) => heading === section)?.patterns.join('|') ?? '(?!)'
  const spaced = !/^(?:zh|ja|ko)$/.test(language)
  const compiled = new Map<string, () => RegExp>()
  const pattern = (section: string) => {
    let made = compiled.get(section)
    if (made === undefined) {
      const source = edgesOf(section, spaced).join(`(?:${alternatives(section)})`)
      const adapted = language === 'en' ? source : inAllScripts(source)
      made = largePattern(adapted, section === 'breaks' ? 'gu' : 'u')
      compiled.set(section, made)
    }
    return made()
  }
  const words = (section: string) => alternatives(section).split(/[ |]/)
  const rulesOf = <Kind extends string>(kinds: readonly Kind[]) =>
    sections.flatMap(({ heading }): Rule<Kind>[] => {
      const [name, at, weak] = heading.split(' ')
      const kind = kinds.find((each) => each === name)
      return kind === undefined ? [] : [{ kind, at, weak: weak === 'weak', pattern: () => pattern(heading) }]
    })
  return {
    language,
    spaced,
    sections: sections.map(({ heading }) => heading),
    rules: rulesOf(bindings),
    refusals: rulesOf(refusals),
    empty: new Set(words('empty').sort((a, b) => b.length - a.length)),
    words,
    alternatives,
    pattern,
  }
}

function edgesOf(section: string, spaced: boolean): readonly [before: string, after: string] {
  if (section === 'fillers') return ['^', spaced ? '(?:[,:!]?\\s+|$)' : '[，,:：\\s]*']
  if ((section === 'passing' || section === 'always') && spaced) return ['\\b', '\\b']
  if (section === 'negations') return ['(?<!\\p{L})', '(?![a-zà-ÿ])']
  if (/^(?:allows|releases|ends)$/.test(section)) return ['(?<!\\p{L})', '']
  return [/ (?:head|lead)\b|^(?:polite|steps|cancels)$/.test(section) ? '^' : '', '']
}

const letter = '[\\p{L}\\p{N}_]'

/**
 * Makes `\b` and `\w` match letters beyond ASCII. A boundary before a word or a group begins a word, any other ends
 * one, because checking only one side is much less to compile. English words are ASCII.
 */
function inAllScripts(pattern: string): string {
  return pattern
    .replaceAll('[\\w', '[\\p{L}\\p{N}_')
    .replaceAll('\\w', letter)
    .replace(/\\b(?=\p{L}|\(\?:)/gu, `(?<!${letter})`)
    .replaceAll('\\b', `(?!${letter})`)
}

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

/** Parsed at the first sentence, because most programs that load this read none. */
export const grammars = once((): readonly Grammar[] =>
  Object.entries(texts).map(([language, text]) => readGrammar(language, text)),
)

const latin = once(() =>
  grammars()
    .filter(({ sections }) => sections.includes('common'))
    .map((grammar) => ({
      grammar,
      letters: grammar.sections.includes('letters') ? [...grammar.alternatives('letters')] : [],
      common: new Set(grammar.words('common')),
    })),
)

function ofLanguage(name: keyof typeof texts): Grammar | undefined {
  return grammars().find(({ language }) => language === name)
}

/** Returns a pattern of the alternatives in a section of any language. */
export function inAnyLanguage(section: string, before: string, after: string): () => RegExp {
  const all = () =>
    grammars()
      .map((grammar) => grammar.alternatives(section))
      .join('|')
  return largePattern(() => `${before}(?:${all()})${after}`, 'u')
}

/** Returns the grammar of a text's language: by its script, then by its frequent words; English if unclear. */
export function grammarOf(text: string): Grammar {
  const head = text.slice(0, 1000)
  return (/[\u0100-\uffff]/.test(head) ? grammarOfScript(head) : undefined) ?? latinGrammar(head)
}

function grammarOfScript(head: string): Grammar | undefined {
  const count = (pattern: RegExp) => head.match(pattern)?.length ?? 0
  const letters = count(/\p{L}/gu)
  const kana = count(/[\p{Script=Hiragana}\p{Script=Katakana}]/gu)
  const han = count(/\p{Script=Han}/gu)
  const hangul = count(/\p{Script=Hangul}/gu)
  const cyrillic = count(/\p{Script=Cyrillic}/gu)
  // A character of these scripts corresponds to two or three letters.
  if ((kana + han) * 4 >= letters && kana + han > 1) return ofLanguage(kana * 8 > han ? 'ja' : 'zh')
  if (hangul * 3 > letters) return ofLanguage('ko')
  return cyrillic * 2 > letters ? ofLanguage('ru') : undefined
}

function latinGrammar(head: string): Grammar {
  let best = latin()[0]
  let most = 0
  const lower = head.toLowerCase()
  const words = lower.replaceAll('’', "'").match(/[\p{L}']+/gu) ?? []
  for (const each of latin()) {
    // A language's letters are weaker evidence than its words.
    const own = each.letters.some((one) => lower.includes(one)) ? 0.5 : 0
    const found = words.filter((word) => each.common.has(word)).length + own
    if (found > most) {
      best = each
      most = found
    }
  }
  return best?.grammar ?? (grammars()[0] as Grammar)
}
