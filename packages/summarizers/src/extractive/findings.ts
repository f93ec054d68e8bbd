import {
  cleanLine,
  eventIndex,
  othersFault,
  type Steps,
  titlesOfJson,
} from '@tenfold/core/internal/summarizer'
import type { Facts, SummaryItem, TranscriptItem } from '@tenfold/core/summarizer'
import { cues } from './cues.ts'
import { announces, clip, type ReadSentences, type Sentence, sentencesOf } from './sentences.ts'

/**
 * Findings of the agent, in its own sentences, in order: those of its answers, and of the last text that has any in a
 * turn that was cut off. Earlier ones are what the agent took for the cause while it searched. What it found before the
 * last edit of work that is done or committed has led to that edit.
 */
export function* findingsOf(
  items: readonly TranscriptItem[],
  { files, git, state }: Pick<Facts, 'files' | 'git' | 'state'>,
  read?: ReadSentences,
): Steps<SummaryItem[]> {
  const isDone = state?.state === 'finished' || state?.state === 'waiting'
  const committed = isDone ? Number.POSITIVE_INFINITY : eventIndex(git.commits.at(-1)?.event ?? 'e0')
  const edits = files.flatMap(({ lastEdit, temporary }) =>
    lastEdit && !temporary ? eventIndex(lastEdit) : [],
  )
  const edited = Math.max(-1, ...edits.filter((edit) => edit < committed))
  const told = items.filter(({ event }) => eventIndex(event) > edited)
  const answers = told.filter(({ final }) => final === true)
  const answered = answers.reduce((last, { turn }) => Math.max(last, turn), -1)
  const open = yield* sentencesWith(
    told.filter(({ turn, agent }) => turn > answered && agent === 'main'),
    'finding',
    read,
  )
  const last = open.at(-1)?.evidence[0]
  const found = yield* sentencesWith(answers, 'finding', read)
  return distinct([...found, ...open.filter(({ evidence }) => evidence[0] === last)])
}

/** Risks and limits that the agent named. */
export function risksOf(items: readonly TranscriptItem[], read: ReadSentences): Steps<SummaryItem[]> {
  return sentencesWith(items, 'risk', read)
}

/** Questions of the agent that nobody answered, and what its last answer leaves to decide. */
export function openQuestionsOf({ state }: Facts): SummaryItem[] {
  return distinct(
    (state?.questions ?? []).map(({ text, event }) => ({
      text: cleanLine(clip(text, 300)),
      evidence: [event],
    })),
  )
}

function* sentencesWith(
  items: readonly TranscriptItem[],
  name: 'finding' | 'risk',
  read: ReadSentences = sentencesOf,
): Steps<SummaryItem[]> {
  const found: SummaryItem[] = []
  for (const item of items) {
    if (item.type !== 'assistant') continue
    yield
    if (name === 'finding')
      found.push(
        ...titlesOfJson(item.text).map((text) => ({ text: cleanLine(text), evidence: [item.event] })),
      )
    const said = read(item.text)
    for (const [at, sentence] of said.entries()) {
      if (sentence.question || sentence.text.length > longest) continue
      const isFound = name === 'finding' && othersFault.test(sentence.text.toLowerCase())
      if (!(isFound || cues.holds(name, sentence.text)) || supposed.test(sentence.text)) continue
      const text = withAnnounced(said, at)
      if (name === 'finding' && text === sentence.text && announces.test(text)) continue
      if (text.length >= shortest(text))
        found.push({ text: cleanLine(clip(text, 300)), evidence: [item.event] })
    }
  }
  return distinct(found)
}

/** A sentence; one that only announces ("Here's the root cause:") with what it announces, or not at all. */
function withAnnounced(said: readonly Sentence[], at: number): string {
  const text = said[at]?.text ?? ''
  if (!/[:：]$/.test(text)) return text
  const next = said[at + 1]
  return next === undefined || next.question || /[:：]$/.test(next.text) ? '' : `${text} ${next.text}`
}

/** Says what would be, or what somebody else is to find: "if the ref already exists", "once you've confirmed it". */
const supposed =
  /^.{0,40}?(?<!even )\b(?:if|unless|whether|until|when(?:ever)?|once)\b.{0,80}\b(?:exists?|missing|confirmed|discovered|found)\b|\b(?:if|when(?:ever)?) .{0,120}(?:→|->|=>)|^(?:if|unless|wenn|falls|si)\b|\byou(?:['’]ve)? confirmed\b|^(?:\w+ ){0,3}confirmed(?: exactly| precisely)?[.!]?$/i

/** Characters of the longest sentence that is examined. */
const longest = 400

/** Characters of the shortest sentence that says something; scripts without spaces need fewer. */
function shortest(text: string): number {
  return /[\u2e80-\uffdc]/.test(text) ? 5 : 30
}

function distinct(items: readonly SummaryItem[]): SummaryItem[] {
  const seen = new Set<string>()
  return items.filter(({ text }) => (text === '' || seen.has(text) ? false : seen.add(text)))
}
