import { classifySentence } from '../facts/constraints/binding/classify-sentence.ts'
import { liftOf, ruleWords } from '../facts/constraints/binding/lifted.ts'
import { topicWords } from '../facts/statements/words.ts'
import { shareOf } from '../text/overlap.ts'

export interface Held {
  readonly as: 'constraint' | 'rule' | 'decision' | 'step'
  readonly text: string
  readonly words: ReadonlySet<string>
}

// Phrases that end a plan or a rule, which the words after or before them name.
const ends =
  /(?<!(?:not|n['’]t|never) )\b(?:forget(?: about)?|drop|cancel(?:led|ed)?|scrap(?:ped)?|abandon(?:ed)?|disregard|call off|never ?mind(?: about)?|no longer (?:need|want|do|doing|needed|wanted|applies|apply|holds?|required|planned)|not (?:needed|wanted|required) (?:any ?more|any longer)|out of scope|off the table|leave (?:it )?out|vergiss|streich(?:e|en)?|verwirf|verwerfen|entfällt|abgesagt|nicht mehr (?:nötig|gebraucht|gewünscht)|oublie[rz]?|laisse[rz]? tomber|abandonne[rz]?|annule[rz]?|plus besoin|olvida|descarta|cancela|ya no (?:hace falta|necesitamos|queremos)|dimentica|lascia perdere|annulla|non serve più|esquece|esqueça|descarte|cancele|não precisamos mais)(?![\p{L}])|(?:забудь|отмени|больше не нуж|取消|不再需要|不用做|放弃|やめ|中止|キャンセル|不要にな|취소|그만두)/iu

// Phrases that argue against a plan or a choice. They do not revoke a rule.
const opposes =
  /\b(?:instead of|rather than|replac(?:e|es|ing)|away from|switch(?:ing|ed)? from|moved? (?:away )?from|revert(?:ing)?|undo|skip|stop (?:working on|pursuing)|(?:don['’]t|do not|won['’]t|will not|let['’]s not|not going to) (?:need|want|do|bother with|add|build|write|make|implement|use|pursue|start)|not doing|statt|anstatt|anstelle|au lieu de|en lugar de|en vez de|invece di|em vez de|ao invés de)(?![\p{L}])|(?:вместо|而不是|代わりに|대신)/iu

const clauseEnd =
  /[,;:.!?…]\s|[,;:.!?…]$|\s(?:because|since|but|and then|weil|denn|aber|parce|porque|perché)\s|[。、，；]/u

/** Returns the items that a sentence of the user takes back. */
export function revokedBy(sentence: string, items: readonly Held[]): Held[] {
  if (items.length === 0 || sentence.length > 600 || /[?？]\s*$/.test(sentence)) return []
  const lift = liftOf(sentence, classifySentence(sentence))
  const lifted =
    lift === undefined
      ? []
      : items.filter(({ text, as }) =>
          lift.lifts(ruleWords(text, as === 'step' ? 'plain' : classifySentence(text).why)),
        )
  const isPlan = ({ as }: Held) => as === 'step' || as === 'decision'
  return [
    ...new Set([
      ...lifted,
      ...meantBy(sentence, ends, items),
      ...meantBy(sentence, opposes, items.filter(isPlan)),
    ]),
  ]
}

/** Returns the words of a sentence that take something back; undefined if there are none. */
export function revocationIn(sentence: string): string | undefined {
  if (sentence.length > 600) return undefined
  return (ends.exec(sentence) ?? opposes.exec(sentence))?.[0]
}

/** Returns the items that the words next to a cue name. */
function meantBy(sentence: string, cue: RegExp, items: readonly Held[]): Held[] {
  const found = cue.exec(sentence)
  if (found === null) return []
  const after = sentence.slice(found.index + found[0].length).split(clauseEnd, 1)[0] ?? ''
  const before = sentence.slice(0, found.index).split(clauseEnd).at(-1) ?? ''
  const behind = topicWords(after)
  const words = behind.size > 0 ? behind : topicWords(before)
  if (words.size === 0) return []
  const meant = items.filter((item) => shareOf(words, item.words) >= minShare)
  // A single word may occur in several items by chance.
  return words.size === 1 && meant.length > 1 ? [] : meant
}

const minShare = 0.75
