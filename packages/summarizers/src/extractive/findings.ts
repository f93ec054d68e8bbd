import { cleanLine, type JudgementItem, type ReadingItem } from '@tenfold/core'
import { cues, hasCue } from './cues.ts'
import { clip, sentencesOf } from './sentences.ts'

/** What the agent found out, in its own sentences, in order. */
export function findingsOf(items: readonly ReadingItem[]): JudgementItem[] {
  return sentencesWith(items, cues.finding)
}

/** What the agent called a risk or a limit. */
export function risksOf(items: readonly ReadingItem[]): JudgementItem[] {
  return sentencesWith(items, cues.risk)
}

/** What the agent said it waits for, in the last answer. */
export function blockersOf(items: readonly ReadingItem[]): JudgementItem[] {
  const last = items.findLast((item) => item.type === 'assistant' && item.agent === 'main')
  return last === undefined ? [] : sentencesWith([last], cues.blocked)
}

/** Questions of the last answer that no word of the user follows. */
export function openQuestionsOf(items: readonly ReadingItem[]): JudgementItem[] {
  const last = items.findLastIndex((item) => item.final && item.agent === 'main')
  const answer = items[last]
  if (answer === undefined || items.slice(last).some((item) => item.label === 'user')) return []
  const questions = sentencesOf(answer.text).filter((sentence) => sentence.question)
  return distinct(
    questions.map(({ text }) => ({ text: cleanLine(clip(text, 300)), evidence: [answer.event] })),
  )
}

function sentencesWith(items: readonly ReadingItem[], list: readonly string[]): JudgementItem[] {
  const found = items
    .filter((item) => item.type === 'assistant')
    .flatMap((item) =>
      sentencesOf(item.text)
        .filter(
          (sentence) =>
            !sentence.question &&
            sentence.text.length >= shortest(sentence.text) &&
            sentence.text.length <= 400,
        )
        .filter((sentence) => hasCue(sentence.text, list))
        .map((sentence) => ({ text: cleanLine(clip(sentence.text, 300)), evidence: [item.event] })),
    )
  return distinct(found)
}

/** Characters of the shortest sentence that says something; scripts without spaces need fewer. */
function shortest(text: string): number {
  return /[\u2e80-\uffdc]/.test(text) ? 5 : 20
}

function distinct(items: readonly JudgementItem[]): JudgementItem[] {
  const seen = new Set<string>()
  return items.filter(({ text }) => (text === '' || seen.has(text) ? false : seen.add(text)))
}
