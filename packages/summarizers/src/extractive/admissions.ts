import {
  cleanLine,
  eventIndex,
  isUnfinished,
  othersFault,
  type Steps,
  titlesUnfinished,
} from '@tenfold/core/internal/summarizer'
import type { CommandFact, SummaryItem, TranscriptItem } from '@tenfold/core/summarizer'
import { clip, type ReadSentences, type Sentence, sentencesOf } from './sentences.ts'

const longest = 400
const maxListed = 4
/** Number of last answers whose every open point counts: of earlier ones, only what the agent says of itself or defers. */
const lastAnswers = 2

interface Admission extends SummaryItem {
  readonly at: number
  readonly names: readonly string[]
  readonly asks: boolean
}

/**
 * What the agent itself says is not working, not done or not proven, in its own sentences, unless something it said or
 * ran later settles it.
 */
export function* admissionsOf(
  items: readonly TranscriptItem[],
  commands: readonly CommandFact[] = [],
  read: ReadSentences = sentencesOf,
): Steps<SummaryItem[]> {
  const own = items.filter((item) => item.type === 'assistant' && item.agent === 'main')
  const answers = own.filter((item) => item.final)
  const recent = new Set(answers.slice(-lastAnswers))
  const found: Admission[] = []
  for (const item of own) {
    yield
    const said = read(item.text)
    const admits = ({ text, listed }: Sentence) => {
      if (!item.final) return mayPutAside.test(text) && putAside.test(plain(text))
      // An item of a list names a part of a design, a commit or a review.
      if (listed || !isAdmission(text)) return false
      return (
        recent.has(item) || [ofItself, putAside].some((cue) => cue.test(plain(text))) || isTitled(plain(text))
      )
    }
    const free = said.filter((sentence) => admits(sentence) && isStatement(sentence))
    const isListed = (sentence: Sentence) =>
      sentence.listed && titlesUnfinished(plain(sentence.under)) && isStatement(sentence)
    const all = new Set([...free, ...(recent.has(item) ? said.filter(isListed).slice(0, maxListed) : [])])
    const [evidence, at] = [[item.event], eventIndex(item.event)]
    const asks = said.some(({ question }) => question)
    for (const { text } of all)
      found.push({ text: cleanLine(clip(text, 300)), evidence, at, asks, names: namesIn(text) })
  }
  const isSettled = ({ at, names, text, asks }: Admission) => {
    const later = answers.filter(({ event }) => eventIndex(event) > at).map((answer) => read(answer.text))
    const says = ({ text: words }: Sentence) => settled.test(plain(words)) && !isAdmission(words)
    if (names.length > 0)
      return later.some((said) => said.some((each) => areIn(names, each.text) && says(each)))
    // Its message asked for a word, and the next one begins with "Done."
    return asks && !deeds.some(([cue]) => cue.test(plain(text))) && !!later[0]?.slice(0, 1).some(says)
  }
  // The later words on the same count.
  const isRepeated = ({ names, text }: Admission, index: number) =>
    found
      .slice(index + 1)
      .some((other) => other.text === text || areIn(names, other.text) || areIn(other.names, text))
  const open: SummaryItem[] = []
  for (const [index, one] of found.entries()) {
    yield
    if (!isRepeated(one, index) && !wasDone(one, commands) && !isSettled(one))
      open.push({ text: one.text, evidence: one.evidence })
  }
  return open
}

function isStatement({ text, question }: Sentence): boolean {
  // What only announces a list says nothing without it.
  return !question && text.length <= longest && !/[:：]$/.test(text) && !conditional.test(plain(text))
}

function isAdmission(text: string): boolean {
  const words = plain(text)
  return (
    !othersFault.test(words) &&
    // Files that are kept out of the repository are no problem.
    ((isUnfinished(words) && !/\bignore[ds]?\b/.test(words)) || isTitled(words) || putAside.test(words))
  )
}

/** "Deferred: the rename" */
function isTitled(words: string): boolean {
  return words.length > 30 && /^[^:：(—–]{3,40}[:：(—–]/.test(words) && titlesUnfinished(words)
}

const ofItself = /^(?:i|we|ich|wir|je|nous|j'|yo|eu|nós|io|я|мы)(?![\p{L}])|^(?:我|私|저는)/u

/** What {@link putAside} is never without. */
const mayPutAside = /but /i

/** A fault was seen, and put aside for something else. */
const putAside =
  /\b(?:inconsisten\w{2,5}|discrepanc\w{1,3}|mismatch\w{0,3}|problems?|issues?|bugs?|errors?|wrong|broken|fails?|failing)\b.{0,160}\bbut (?:i'll|i will|i'm going to|let me|we'll|let's) (?:\w+ )?(?:focus|leave|skip|ignore|move on|come back|proceed|continue)\b/

function areIn(names: readonly string[], text: string): boolean {
  return names.length > 0 && names.every((name) => text.includes(name))
}

/** What a sentence may say is missing, and what does it. */
const deeds: readonly (readonly [RegExp, (command: CommandFact) => boolean])[] = [
  [/\b(?:un)?(?:commit|stage)/, ({ command }) => /(?:^|[;&(\n]\s*)git (?:-C \S+ )?commit\b/.test(command)],
  [/\b(?:un)?push/, ({ command }) => /(?:^|[;&(\n]\s*)git (?:-C \S+ )?push\b/.test(command)],
  [
    /\b(?:tests?|test suite|build|linter?|checks?|type ?check(?:er|s)?)\b/,
    ({ purpose }) => purpose !== undefined,
  ],
]

/** Whether all that a sentence says is missing was done later. */
function wasDone({ at, text }: Admission, commands: readonly CommandFact[]): boolean {
  const words = plain(text)
  const later = commands.filter(({ status, call }) => status === 'ok' && eventIndex(call) > at)
  const missing = deeds.filter(([names]) => names.test(words))
  return missing.length > 0 && missing.every(([, does]) => later.some(does))
}

/** Names in code that the sentence is about: in backticks, or with capitals, dots and the like inside. */
function namesIn(text: string): string[] {
  const quoted = [...text.matchAll(/`([^`\n]{2,80})`/g)].map(([, name = '']) => name)
  const names = text.match(/\b[A-Za-z][a-z0-9]*(?:[A-Z_./-][A-Za-z0-9]+)+\b/g) ?? []
  return [...new Set([...quoted, ...names])]
}

/** The sentence in the form of the cues; words in quotation marks are not the agent's own. */
function plain(text: string): string {
  return text
    .toLowerCase()
    .replaceAll('’', "'")
    .replace(/"[^"]{0,200}"|“[^”]{0,200}”/g, '…')
}

/** A hypothetical case. */
const conditional =
  /→|^(?:if|when|once|unless|should|in case|wenn|falls|si|se|если|如果|若|もし)(?:\s|[\p{Script=Han}\p{Script=Hiragana}]|,)|\bif (?:it|this|that|they|you)\b/u

/** Words by which a later answer says that it is done after all. */
const settled =
  /\b(?:fixed|resolved|implemented|completed|done|verified|passes|passed|passing|works now|now works|solved|behoben|erledigt|corrigé|résolu|resuelto|corregido|corrigido|resolvido|risolto|исправлено)\b|已(?:修复|修復|解决|解決|完成)|修正しました|解決しました|해결했|완료/
