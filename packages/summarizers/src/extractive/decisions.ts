import type { Decision, Facts, TranscriptItem } from '@tenfold/core/summarizer'
import { choicesOfAgent, choicesOfUser, type FoundDecision } from './choices.ts'
import { type ReadSentences, sentencesOf } from './sentences.ts'
import { chosenTools, listedDecisions } from './stated-decisions.ts'

/**
 * What was decided besides the answers that the facts hold, in order of the session: what the user steered, explicit
 * choices of the agent with their reasons, and libraries it chose. What code and commits say of themselves is found
 * there. The most significant are kept, within about `maxTokens`; among equally significant ones the later.
 */
export function decisionsOf(
  items: readonly TranscriptItem[],
  facts: Facts,
  maxTokens: number,
  read: ReadSentences = sentencesOf,
): Decision[] {
  const answered = new Map(facts.answers.map((answer) => [answer.event, answer]))
  const refused = refusedAfter(items)
  const spoken = items.flatMap((item, at): FoundDecision[] => {
    if (item.label === 'user')
      return answered.has(item.event) ? [] : choicesOfUser(item.text, item.event, repliesTo(items, at, read))
    if (item.type !== 'assistant' || refused.has(at)) return []
    return choicesOfAgent(item.text, item.event, item.final === true, read)
  })
  const found = [...spoken, ...items.flatMap(listedDecisions), ...chosenTools(facts.commands)]
  const answers = facts.answers.reduce((sum, answer) => sum + sizeOfAnswer(answer), 0)
  const room = Math.max(maxTokens - answers, maxTokens * minShare)
  return withinTokens(standing(distinct(found.sort(byPlace))), room).map(({ decision }) => decision)
}

/** The question at the end of the message that a short one replies to: "na, let's give it a try" says little alone. */
function repliesTo(items: readonly TranscriptItem[], at: number, read: ReadSentences): string {
  const reply = items[at]
  if (reply === undefined || reply.text.length > maxReply) return ''
  let place = at - 1
  while (place >= 0 && items[place]?.type !== 'assistant' && items[place]?.type !== 'user') place--
  const before = items[place]
  const last = before?.type === 'assistant' ? read(before.text).at(-1) : undefined
  return last?.question === true ? last.text : ''
}

/** Maximum characters of a reply that needs what it replies to. */
const maxReply = 60

/** Share that remains for other decisions if there are many answers. */
const minShare = 1 / 3

/** Places of assistant texts whose next call the user refused: their plan was not carried out. */
function refusedAfter(items: readonly TranscriptItem[]): Set<number> {
  return new Set(
    items.flatMap((item, at) => {
      const next = items[at + 1]
      return item.type === 'assistant' && next?.type === 'tool_call' && next.status === 'denied' ? [at] : []
    }),
  )
}

/** Removes duplicates; the last of those that say the same stays. */
function distinct(found: readonly FoundDecision[]): FoundDecision[] {
  const last = new Map<string, FoundDecision>()
  for (const one of found) {
    const { topic = '', choice } = one.decision
    // A start that was tried again with other options.
    const said = topic.startsWith('start of ') ? topic : choice
    const key = said.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, ' ')
    last.delete(key)
    last.set(key, one)
  }
  return [...last.values()]
}

/** Removes decisions that a later one names as rejected. */
function standing(found: readonly FoundDecision[]): FoundDecision[] {
  const rejected = found.flatMap(({ decision }, at) =>
    decision.alternatives.map((alternative) => ({ at, words: wordsOf(alternative) })),
  )
  // A short name alone says too little: "instead of the old one".
  const named = rejected.filter(({ words }) => words.size >= 2)
  return found.filter(({ decision }, at) => {
    const words = wordsOf(decision.choice)
    return !named.some((later) => later.at > at && turnsDown(later.words, words))
  })
}

function turnsDown(given: ReadonlySet<string>, words: ReadonlySet<string>): boolean {
  if (words.size > given.size * 3) return false
  for (const word of given) if (!words.has(word)) return false
  return true
}

function wordsOf(text: string): Set<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}_./@-]{3,}/gu) ?? [])
}

/** As many are kept in the shortest sessions: a bundle's JSON holds them whole, and only its Markdown is fitted. */
const minKept = 3

function withinTokens(found: readonly FoundDecision[], maxTokens: number): FoundDecision[] {
  const ranked = found
    .map((one, at) => ({ one, at }))
    .sort((a, b) => b.one.worth - a.one.worth || b.at - a.at)
  const kept = new Set<number>()
  let tokens = 0
  for (const { one, at } of ranked) {
    tokens += sizeOfDecision(one.decision)
    if (tokens > maxTokens && kept.size >= minKept) break
    kept.add(at)
  }
  return found.filter((_, at) => kept.has(at))
}

function sizeOfDecision({ topic = '', choice, rationale = '', alternatives }: Decision): number {
  return sizeOf([topic, choice, rationale, ...alternatives])
}

function sizeOfAnswer({ question, answer, chosen, others }: Facts['answers'][number]): number {
  const reasons = chosen.map(({ label, description = '' }) => `${label} ${description}`).join(' ')
  return sizeOf([
    question.slice(0, 200),
    answer.slice(0, 300),
    reasons.slice(0, 300),
    ...others.map(({ label }) => label.slice(0, 80)),
  ])
}

/** About the tokens of a decision's line: its words, and the time, author and evidence after them. */
function sizeOf(texts: readonly string[]): number {
  const text = texts.join(' ')
  const wide = text.match(/[\u2e80-\uffdc]/g)?.length ?? 0
  return (text.length - wide) / 4 + wide + 32
}

function byPlace(a: FoundDecision, b: FoundDecision): number {
  const place = ({ decision }: FoundDecision) => Number(decision.evidence[0]?.slice(1) ?? 0)
  return place(a) - place(b)
}
