import {
  cleanLine,
  isErrand,
  isRemark,
  isReview,
  type Steps,
  splitSentences,
} from '@tenfold/core/internal/summarizer'
import type { Decision, EventId, Facts, TranscriptItem } from '@tenfold/core/summarizer'
import { chosenTools } from './chosen-tools.ts'
import { cues } from './cues.ts'
import { repliesTo } from './request-at-hand.ts'
import { clip, type ReadSentences, sentencesOf } from './sentences.ts'

/** A decision found in the log's words, and how much it says: what says little is dropped first. */
interface Found {
  readonly decision: Decision
  readonly worth: number
  readonly tried?: string | undefined
}

/** Above all that an agent says. */
const worthOfUser = 10
const worthOfName = 5
const worthOfChoice = 3

/** Characters of the longest sentence that states a choice, and of a text that the user steers with. */
const longest = 400
const longestSteer = 1200
const maxInOneText = 3

/**
 * What was decided besides the answers that the facts hold, in order of the session: what the user steered, explicit
 * choices of the agent, lists of decisions, and libraries that it added. The most significant are kept, within about
 * `maxTokens`; among equally significant ones the later.
 */
export function* decisionsOf(
  items: readonly TranscriptItem[],
  facts: Facts,
  maxTokens: number,
  read: ReadSentences = sentencesOf,
): Steps<Decision[]> {
  const answers = new Set(
    facts.answers.flatMap(({ event, question, chosen }) => (question || chosen.length > 0 ? [event] : [])),
  )
  const choicesOf = (item: TranscriptItem, at: number): Found[] => {
    if (item.label === 'user')
      return answers.has(item.event) ? [] : choicesOfUser(item, repliesTo(items, at, read))
    // The plan of a call that the user refused was not carried out.
    const isRefused = items[at + 1]?.type === 'tool_call' && items[at + 1]?.status === 'denied'
    return item.type === 'assistant' && !isRefused ? choicesOfAgent(item, read) : []
  }
  const spoken: Found[] = []
  for (const [at, item] of items.entries()) {
    yield
    spoken.push(...choicesOf(item, at))
  }
  const tools = (yield* chosenTools(facts.commands)).map((decision) => ({ decision, worth: worthOfName }))
  const found = [...spoken, ...tools]
  const place = ({ decision }: Found) => Number(decision.evidence[0]?.slice(1) ?? 0)
  const standing = withoutRejected(distinct(found.sort((a, b) => place(a) - place(b))))
  return withinTokens(standing, maxTokens).map(({ decision }) => decision)
}

/** Removes duplicates; the last of those that say the same stays. */
function distinct(found: readonly Found[]): Found[] {
  const last = new Map<string, Found>()
  for (const one of found) {
    const { topic = '', choice } = one.decision
    // A project that was started again with other options, and another choice under the same label.
    const isAgain = topic.startsWith('start of ') || cues.is('labels', topic)
    // What an agent calls the fix again in the same turn takes the place of what it tried before.
    const key = one.tried ?? wordsOf(isAgain ? topic : choice).join(' ')
    last.delete(key)
    last.set(key, one)
  }
  return [...last.values()]
}

/** Removes decisions that a later one names as the way not taken; a short name says too little. */
function withoutRejected(found: readonly Found[]): Found[] {
  const namesOf = ({ decision }: Found) =>
    decision.alternatives.map((alternative) => wordsOf(alternative).filter((word) => word.length > 2))
  return found.filter(({ decision }, at) => {
    const words = new Set(wordsOf(decision.choice))
    const rejects = (named: readonly string[]) =>
      named.length >= 2 && words.size <= named.length * 4 && named.every((word) => words.has(word))
    return !found.slice(at + 1).some((later) => namesOf(later).some(rejects))
  })
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
}

/** As many are kept in the shortest sessions: a bundle's JSON holds them whole, and only its Markdown is fitted. */
const minKept = 3

function withinTokens(found: readonly Found[], maxTokens: number): Found[] {
  const ranked = [...found.entries()].sort(([a, one], [b, other]) => other.worth - one.worth || b - a)
  const kept = new Set<number>()
  let tokens = 0
  for (const [at, { decision }] of ranked) {
    const { topic = '', choice, rationale = '' } = decision
    const text = `${topic} ${choice} ${rationale}`
    const wide = text.match(/[\u2e80-\uffdc]/g)?.length ?? 0
    // About its line, with time, author and evidence.
    tokens += (text.length - wide) / 4 + wide + 32
    if (tokens > maxTokens && kept.size >= minKept) break
    kept.add(at)
  }
  return found.filter((_, at) => kept.has(at))
}

/** Characters of the shortest sentence that says something; scripts without spaces need fewer. */
function isTooShort(words: string): boolean {
  return words.length < (/[\u2e80-\uffdc]/.test(words) ? 6 : 12)
}

/** What the user steers: which way to go, not only what to do next. `replied` is what a short text replies to. */
function choicesOfUser({ text, event }: TranscriptItem, replied: string): Found[] {
  // What a compaction is asked to keep is about its summary, and a list of paragraphs is a review handed on.
  if (/^\/compact\b/.test(text) || isReview(text)) return []
  const words = text.replace(/^\/[\w:-]+\s+(?=\S)/, '').replace(/ \[\d+ images?\]$/, '')
  const ends = words.length <= 2 * maxEnd ? words : `${words.slice(0, maxEnd)}\n\n${words.slice(-maxEnd)}`
  return splitSentences(ends)
    .filter(({ quoted }) => !quoted)
    .map((sentence) => sentence.text.replaceAll('**', ''))
    .filter((said) => said.length <= longest && !isTooShort(said) && steers(said, text.length > longestSteer))
    .map((said) => ({ decision: decisionIn(said, 'user', event, replied), worth: worthOfUser }))
    .slice(0, maxInOneText)
}

/** Characters at either end of a message: what users paste is in the middle. */
const maxEnd = 20_000

function steers(words: string, isLong: boolean): boolean {
  const settles = cues.begins('settles', words) || cues.holds('settles anywhere', words)
  const plain = words.replace(/^(?:no|nope|nah|wait)[,.!:\s]+/i, '')
  if (isErrand(words) || cues.holds('of this moment', words)) return false
  if ((isRemark(words) && !settles) || isRemark(plain)) return false
  const suggests = cues.holds('suggests', words)
  if ((/[?？吗嗎][\s"')\]]*$/.test(words) || cues.begins('asks', words)) && !suggests) return false
  // In a long message, the rest may be somebody else's words.
  if (isLong && !cues.begins('orders', words) && !cues.holds('addresses', words)) return false
  if (cues.holds('instead', words) || cues.holds('contrast', words)) return !weighs.test(words)
  if (isReasoned(words) || madeWith.test(words) || cues.begins('corrects', words)) return true
  return !isLong && !weighs.test(words) && (settles || suggests || cues.holds('chosen', words))
}

/** Gives a reason for a way: "Storage: SQLite, because one file is enough", "We store cents, as floats lose pennies". */
function isReasoned(words: string): boolean {
  if (!cues.holds('because', words)) return false
  return /^[^.:]{2,40}:\s|,? not \w/.test(words) || cues.begins('states', words)
}

/** `create the app in Rust`, `build it with Next.js` */
const madeWith =
  /\b(?:[Cc]reate|[Bb]uild|[Ww]rite|[Ii]mplement|[Rr]ewrite|[Pp]ort|[Mm]igrate|[Cc]onvert|[Ss]et up)\b.{0,60}\b(?:in|by|with|using|on top of)\s+(?:the\s+)?(?:[A-Z][\w+#.-]*[\w+#](?!\.\w)|[\w-]+\.(?:js|io)\b)/

/** "If the intent is to part them, a type would be better." */
const weighs = /^if\b.*\b(?:is|are|was|were|would|could|might|may)\b/i

/** What the agent says outright: that it chose, or a choice with its label. What it does next is no choice. */
function choicesOfAgent({ text, event, turn, agent }: TranscriptItem, read: ReadSentences): Found[] {
  const said = read(text)
    .filter(({ text: words, under, question }) => {
      if (question || words.length > longest || isTooShort(words)) return false
      return statesChoice(words) && !cues.holds('options', under)
    })
    .map(({ text: words }) => ({
      decision: decisionIn(words, 'agent', event),
      worth: worthOfChoice,
      tried: cues.holds('tried', words) ? `${agent} ${turn}` : undefined,
    }))
  // A subagent's report describes what there is.
  const lines = agent === 'main' && text.includes('**') ? text.split('\n') : []
  const labelled = lines.flatMap((line): Found[] => {
    const [, label = '', words] = line.length <= longest ? (bold.exec(line) ?? []) : []
    if (words === undefined || !cues.is('labels', label)) return []
    const decision = decisionIn(words.replaceAll('**', ''), 'agent', event, label)
    return [{ decision, worth: worthOfName }]
  })
  return [...labelled, ...said].slice(0, maxInOneText)
}

/** `**Framework**: LangGraph` */
const bold = /^\s*(?:[-*•]|\d{1,2}[.)])?\s*\*\*([^*:：]{2,30})(?::\*\*|\*\*\s*[:：])\s*(\S.*)$/u

/** What it is doing right now ("I'm keeping …") is no choice. */
function statesChoice(words: string): boolean {
  if (!soundsChosen(words) || cues.begins('conditional', words) || cues.holds('possible', words)) return false
  return !(cues.holds('tools', words) || cues.begins('points back', words))
}

function soundsChosen(words: string): boolean {
  if (cues.holds('chosen', words)) return true
  const isOther = cues.holds('instead', words) || cues.holds('contrast', words)
  if (isOther && cues.holds('must be', words)) return true
  return cues.holds('takes', words) && isOther
}

/** A sentence as a decision: what follows the cue of its reason is the rationale, what follows "instead of" was rejected. */
function decisionIn(words: string, by: Decision['by'], event: EventId, about = ''): Decision {
  const text = cleanLine(words)
  const topic = clip(cleanLine(about), 160)
  const because = reasonAt(text)
  const over = cues.at('instead', text)
  // A reason this early leaves no choice before it, and one in brackets belongs to what they hold.
  const splits =
    because > 24 && (over < 0 || over < because) && !/[(（[][^)）\]]*$/.test(text.slice(0, because))
  const gives = splits && !/[:：]$/.test(text)
  const choice = (splits ? text.slice(0, because) : text).replace(/[\s,;:：–—-]+$/, '')
  return {
    ...(topic === '' ? {} : { topic }),
    choice: clip(choice, 300) || clip(text, 300),
    ...(gives ? { rationale: clip(text.slice(because).replace(/^because (?:of )?/i, ''), 200) } : {}),
    alternatives: over > 0 ? alternativeIn(text.slice(over)) : [],
    by,
    evidence: [event],
  }
}

/** Position of the reason in a text, or -1: "since the last commit" is a time. */
function reasonAt(text: string): number {
  return cues.at(
    'reason',
    text.replace(sinceWhen, (words) => ' '.repeat(words.length)),
  )
}

const sinceWhen = /\bsince (?:the )?(?:last|previous|first|start|beginning|then|v?\d|yesterday|commit)\b/gi

function alternativeIn(rest: string): string[] {
  const because = reasonAt(rest)
  const clause = (because > 0 ? rest.slice(0, because) : rest).replace(insteadOf, '')
  const alternative = clip(clause.split(/[,;:()?。，？]|\.(?:\s|$)| please\b/)[0] ?? '', 100)
  // "Rather than" also turns down what nobody proposed: "measure it rather than trust intuition".
  const isOnlyWords = /^rather/i.test(rest) && !/[`"\d_/A-Z]|\w\.\w/.test(alternative)
  return alternative.length < 3 || isOnlyWords ? [] : [alternative]
}

const insteadOf =
  /^(?:instead of|rather than|in place of|em vez de|en lugar de|en vez de|au lieu de|plutôt que|anstatt|statt|anstelle|invece di|al posto di|вместо|而不是|而非|代わりに|ではなく|대신|instead.*)/i
