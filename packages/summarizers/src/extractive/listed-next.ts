import {
  cleanLine,
  type Facts,
  isAttributed,
  mayComeNext,
  type NextStep,
  type TranscriptItem,
} from '@tenfold/core/summarizer'
import { clip, type Sentence, sentencesOf } from './sentences.ts'

/** Steps that the last answer lists as next, or names in a sentence that begins so. */
export function listedNext(items: readonly TranscriptItem[], facts: Facts): NextStep[] {
  const item = items.find(({ event }) => event === facts.state?.answer)
  if (item === undefined) return []
  const sentences = sentencesOf(item.text).filter(({ question }) => !question)
  const listed = underNext(sentences)
  const said = sentences.filter(({ text }) => beginsNext.test(text) && !/\b(?:no|none|nothing)\b/i.test(text))
  return (listed.length > 0 ? listed : said).slice(0, 6).map(({ text }) => {
    const command = facts.proposals.find(
      (proposal) =>
        proposal.event === item.event && proposal.rest !== true && text.includes(proposal.command),
    )?.command
    const isOpen = command !== undefined && mayComeNext(command, facts)
    const action = cleanLine(clip(text.replace(label, ''), 240))
    return { action, evidence: [item.event], ...(isOpen ? { command } : {}) }
  })
}

/** The items of lists under a heading, or a lead-in, of what comes next. */
export function underNext(sentences: readonly Sentence[]): Sentence[] {
  return sentences.filter(
    ({ listed, under }) => listed && namesNext.test(under) && !tellsDone.test(under) && !isAttributed(under),
  )
}

/** A heading or lead-in of what comes next, in the languages of the cues. */
const namesNext =
  /\bnext (?:steps?|actions?|up|tasks?|items?|options?|phases?|moves?)\b|^next\b|\bnext:?$|(?:what's|what is|comes) next|\b(?:remaining|follow[- ]?ups?|to ?dos?|still (?:to do|open|needed)|left to do|what's left|outstanding|pending|future work)\b|próxim|siguientes?|pendientes?|falta|prochain|reste|à faire|nächste|noch offen|ausstehend|prossim|restante|следующ|осталось|下一步|接下来|接下來|后续|後續|待办|待辦|剩余|剩餘|未完成|次の|残り|今後|다음|남은/i

/** What the place in the list says already. */
const label = /^(?:the )?(?:next(?: steps?| up)?|remaining(?: (?:steps?|tasks?|work|items?))?|todo): */i

const tellsDone =
  /\b(?:continued|completed|finished|implemented|did|done|added|proceeded|took|resolved|fixed)\b/i

const beginsNext =
  /^(?:the )?(?:(?:logical |sensible |obvious )?next (?:step|up|thing|sensible step)|next[,:]|next,? (?:i|we)(?:'ll| will) |still (?:to do|open|needed|missing)|remaining(?:[,:]| (?:steps?|tasks?|work|items?)\b)|todo:)|^(?:próximo|siguiente|prochaine|nächste[rs]?|prossimo|следующ|下一步|接下来|接下來|次(?:の|に)|다음)/i
