import type { Facts } from '../facts/facts.ts'
import {
  classifyIdentifier,
  findIdentifiers,
  scanIdentifiers,
} from '../facts/identifiers/find-identifiers.ts'
import { type ScoreSentence, withoutLineNumber } from './condense.ts'

const numbers = /(?<![\w.])\d{3,}(?![\w.])/g
const shortNumbers = /(?<![\w.:])\d{2}(?![\w.:])/g

/** Values that a session may depend on and that cannot be guessed. Each pattern matches one form, by the text around it. */
const literals: readonly RegExp[] = [
  // `LOG_LEVEL=debug`
  /(?<![\w.-])[A-Z][A-Z0-9_]{1,40}=[^\s=]/g,
  // `retries: 3`, `"strict": true`, `debug = false`
  /[\w$-]["'`]? ?[:=] ?["'`]?(?:true|false|null|none|on|off|yes|no|-?\d[\d._]*)(?![\w/])/gi,
  // `v1.2`, `20.19.0`
  /(?<![\w.])v?\d{1,4}(?:\.\d{1,6}){1,3}(?![\w.])/g,
  // `30 s`, `512MB`, `80 %`
  /(?<![\w.])\d{1,9} ?(?:ms|s|sec|min|h|[kmg]i?b|px|em|rem|%)(?!\w)/gi,
]

const code =
  /^(?: {4}|\t)|[{;]\s*$|^\s*(?:\/\/|[})\]]|(?:const|let|var|func|function|def|return|import|if|for)\b[^.!?]*[({=])/

/** A line that defines something, such as a function: definitions show what is in a file or an edit. */
export const definition =
  /^[+-]?\s{0,8}(?:(?:export|pub(?:\(\w+\))?|public|private|protected|static|abstract|async|default|override)\s+)*(?:(?:function|class|interface|type|enum|struct|impl|trait|def|func|fn|module|namespace)\s+[\w($]|(?:constructor|describe|it|test)\()|^[+-]?(?:export )?(?:const|let|var)\s+\w+|^[+-]?#{1,4} \S/

/** Claude Code appends this to a plan or a summary; it names a file of the machine and nothing about the work. */
const harnessRemark = 'If you need specific details from before '

/** Maximum score for a sentence's names and values: a list of names is no better than three sentences. */
const maxScore = 8

/**
 * Scores a sentence by its searchable content. An identifier scores more the rarer it is in the session, because one
 * that occurs once would be lost with the sentence; a literal value counts like one that occurs once; constraint
 * candidates of the user score most, and remarks of the harness below 0.
 */
export function sentenceScorer(facts: Facts): ScoreSentence {
  const candidates = new Set(facts.constraintCandidates.map((candidate) => candidate.text))
  const scoreSentence = scorerByNames((name) => facts.identifiers.get(name)?.count)
  return (segment) => {
    if (withoutLineNumber(segment).startsWith(harnessRemark)) return -10
    return scoreSentence(segment) + (candidates.has(segment.trim()) ? 10 : 0)
  }
}

/** Scores a sentence by its names and literal values. `countOf` returns how often a name occurs. */
export function scorerByNames(
  countOf: (name: string) => number | undefined = () => undefined,
): ScoreSentence {
  return (line) => {
    const segment = withoutLineNumber(line)
    const counts = new Map<string, number>()
    scanIdentifiers(segment, (token) => {
      if (counts.has(token)) return
      const count = countOf(token) ?? (classifyIdentifier(token) === undefined ? undefined : 1)
      if (count !== undefined) counts.set(token, count)
    })
    let score = 0
    for (const count of counts.values()) score += 2 / Math.sqrt(count)
    // Every number and literal contains one of these characters.
    if (score < maxScore && /[\d:=]/.test(segment)) {
      score += 2 * (segment.match(numbers)?.length ?? 0)
      for (const literal of literals) if (score < maxScore) score += 2 * (segment.match(literal)?.length ?? 0)
      score += segment.match(shortNumbers)?.length ?? 0
    }
    return Math.min(maxScore, score)
  }
}

/** Whether a segment looks like a line of code, whose many names would overstate it among sentences. */
export function isCode(segment: string): boolean {
  return code.test(segment.slice(0, 400))
}

/** Whether a text contains an identifier that occurs nowhere else in the session, or a number of at least three digits. */
export function holdsUnique(text: string, facts: Facts): boolean {
  if (text.search(numbers) !== -1) return true
  let isUnique = false
  scanIdentifiers(text, (token) => {
    isUnique ||= facts.identifiers.get(token)?.count === 1
  })
  return isUnique
}

/** Returns the searchable content of a line: its identifiers, and its numbers of at least three digits. */
export function namesAndNumbers(line: string): string[] {
  const text = withoutLineNumber(line)
  return [...findIdentifiers(text).map((found) => found.text), ...(text.match(numbers) ?? [])]
}
