import { cleanLine, isUnfinished, titlesUnfinished } from '@tenfold/core/internal/summarizer'
import type { CommandFact, Facts, SummaryItem, TranscriptItem } from '@tenfold/core/summarizer'
import { clip, type ReadSentences, type Sentence, sentencesOf } from './sentences.ts'

const longest = 400
const maxListed = 4
/** Number of answers in which a list of open points still counts: later ones have lists of their own. */
const listsOf = 2

interface Admission extends SummaryItem {
  readonly at: number
  readonly names: readonly string[]
}

/**
 * What the agent itself says is not working, not done or not proven, in its own sentences, unless something it said or
 * ran later settles it.
 */
export function admissionsOf(
  items: readonly TranscriptItem[],
  facts: Facts,
  read: ReadSentences = sentencesOf,
): SummaryItem[] {
  const own = items.filter((item) => item.type === 'assistant' && item.agent === 'main')
  const answers = own.filter((item) => item.final)
  const recent = new Set(answers.slice(-listsOf))
  const turns = new Set([...recent].map(({ turn }) => turn))
  const found = own.flatMap((item) => {
    const said = read(item.text).filter(isStatement)
    const free = said.filter(({ text }) => {
      if (item.final) return isAdmission(text)
      return isPutAside(text) || (turns.has(item.turn) && isOthersFault(text))
    })
    const listed = recent.has(item) ? said.filter(isListed).slice(0, maxListed) : []
    return [...new Set([...free, ...listed])].map(
      ({ text }): Admission => ({
        text: cleanLine(clip(text, 300)),
        evidence: [item.event],
        at: place(item.event),
        names: namesIn(text),
      }),
    )
  })
  return found
    .filter((admission, index) => !isRepeated(admission, found, index + 1))
    .filter((admission) => !isSettled(admission, answers, read) && !wasDone(admission, facts.commands))
    .map(({ text, evidence }) => ({ text, evidence }))
}

function isStatement({ text, question }: Sentence): boolean {
  // What only announces a list says nothing without it.
  return !question && text.length <= longest && !/[:：]$/.test(text) && !conditional.test(plain(text))
}

function isAdmission(text: string): boolean {
  const words = plain(text)
  return (
    (isUnfinished(words) && !isByChoice.test(words)) ||
    titled(words) ||
    putAside.test(words) ||
    isOthersFault(text)
  )
}

/** Files that are kept out of the repository are no problem. */
const isByChoice = /\bignore[ds]?\b/

/** A label with what it is about: "Deferred: the rename". */
function titled(words: string): boolean {
  return words.length > 30 && /^[^:：(—–]{3,40}[:：(—–]/.test(words) && titlesUnfinished(words)
}

function isOthersFault(text: string): boolean {
  const words = plain(text)
  return othersFault.test(words) && !notLeft.test(words)
}

function isPutAside(text: string): boolean {
  return /\bbut /i.test(text) && putAside.test(plain(text))
}

function isListed({ listed, under }: Sentence): boolean {
  return listed && titlesUnfinished(plain(under))
}

/** Whether the same is said again later, from an index on: the later words count. */
function isRepeated({ names, text }: Admission, all: readonly Admission[], from: number): boolean {
  for (let index = from; index < all.length; index++) {
    const other = all[index] as Admission
    if (other.text === text || isNamedIn(names, other.text) || isNamedIn(other.names, text)) return true
  }
  return false
}

function isNamedIn(names: readonly string[], text: string): boolean {
  return names.length > 0 && names.every((name) => text.includes(name))
}

/** Whether a later answer names the same things and says that they are done. */
function isSettled(
  { at, names }: Admission,
  answers: readonly TranscriptItem[],
  read: ReadSentences,
): boolean {
  if (names.length === 0) return false
  return answers.some(
    (answer) =>
      place(answer.event) > at &&
      read(answer.text).some(
        ({ text }) => isNamedIn(names, text) && settled.test(plain(text)) && !isAdmission(text),
      ),
  )
}

const ownChecks =
  /\b(?:run|ran|executed?)\b.{0,20}\b(?:tests?|test suite|build|linter?|checks?|type ?check(?:er|s)?)\b|\b(?:tests?|build|suite) (?:has|have)(?: not|n't)/

/** Whether something that had not been run or pushed was run or pushed later. */
function wasDone({ at, text }: Admission, commands: readonly CommandFact[]): boolean {
  const words = plain(text)
  const later = commands.filter(({ status, call }) => status === 'ok' && place(call) > at)
  if (/\bpush(?:ed)?\b/.test(words) && later.some(({ program }) => program === 'git push')) return true
  return ownChecks.test(words) && later.some(({ purpose }) => purpose !== undefined)
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

function place(event: string): number {
  return Number(event.slice(1))
}

/** Checks fail for a reason that is not of this work, and are left so. */
const othersFault =
  /\b(?:pre-?existing|unrelated)\b.{0,60}\b(?:failures?|failing|failed|errors?|timeouts?)\b|\b(?:failures?|errors?|timeouts?)\b.{0,40}\b(?:is|are|was|were|as) (?:all |both |also |an? |the )?(?:same )?(?:pre-?existing|unrelated)\b/

/** It was put right, or there is none. */
const notLeft =
  /\b(?:fix(?:ed|es|ing)?|resolv(?:ed|es|ing)|clean(?:ed|s)? up|no|never|none|without|whether|if)\b|(?:n't|\bnot) (?:an? )?(?:pre|unrelated)/

/** A fault was seen, and put aside for something else. */
const putAside =
  /\b(?:inconsisten\w{2,5}|discrepanc\w{1,3}|mismatch\w{0,3}|problems?|issues?|bugs?|errors?|wrong|broken|fails?|failing)\b.{0,160}\bbut (?:i'll|i will|i'm going to|let me|we'll|let's) (?:\w+ )?(?:focus|leave|skip|ignore|move on|come back|proceed|continue)\b/

/** A hypothetical case. */
const conditional =
  /→|^(?:if|when|once|unless|should|in case|wenn|falls|si|se|если|如果|若|もし)(?:\s|[\p{Script=Han}\p{Script=Hiragana}]|,)|\bif (?:it|this|that|they|you)\b/u

/** Words by which a later answer says that it is done after all. */
const settled =
  /\b(?:fixed|resolved|implemented|completed|done|verified|passes|passed|passing|works now|now works|solved|behoben|erledigt|corrigé|résolu|resuelto|corregido|corrigido|resolvido|risolto|исправлено)\b|已(?:修复|修復|解决|解決|完成)|修正しました|解決しました|해결했|완료/
