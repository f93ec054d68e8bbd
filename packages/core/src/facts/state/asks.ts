import { cleanLine } from '../../session/clean-text.ts'
import { cutHead } from '../../session/cut-text.ts'
import { sentenceTexts } from '../constraints/sentences.ts'
import { markdownParts } from '../markdown-blocks.ts'
import { beginsWithCue, holdsCue } from './turn-cues.ts'

/**
 * Request to the user at the end of an answer: an answer, permission to continue, or the outcome of something that the
 * user runs.
 */
export interface Ask {
  readonly kind: 'question' | 'offer' | 'trial'
  /** The agent's words, on one line. */
  readonly text: string
}

/** Signals at the end of an answer besides its content. */
export interface Closing {
  readonly asks: readonly Ask[]
  /** It announces what the agent does next, and asks nothing. */
  readonly announces: boolean
  /** Its last sentence has no end. */
  readonly isCut: boolean
  readonly gaveUp: boolean
}

/** Maximum characters at the end of an answer that are searched, and of a sentence that is kept. */
const maxClosingLength = 12_000
const maxAskLength = 300

/** How many sentences from the end are searched for a question to the user, and for an offer. */
const questionReach = 12
const offerReach = 5

/** Maximum statements after a question that addresses nobody. */
const statementsAfter = 2

/**
 * Reads the end of an answer. Questions in code, quotes and headings do not count, nor does the courtesy at its end.
 */
export function closingOf(text: string): Closing {
  const prose = markdownParts(text)
    .prose.map((line) => line.text)
    .join('\n')
    .slice(-maxClosingLength)
  const sentences = sentenceTexts(prose)
    .map((sentence) => cleanLine(sentence.replace(/\*\*|__/g, '')))
    .filter((sentence) => sentence !== '')
  const found: Ask[] = []
  let statements = 0
  for (const [index, sentence] of sentences.slice(-questionReach).reverse().entries()) {
    const kind = askKind(sentence, index, statements)
    if (kind === undefined) statements++
    else if (kind !== 'courtesy') found.unshift({ kind, text: cutHead(sentence, maxAskLength).trim() })
  }
  const last = sentences.at(-1) ?? ''
  const isCut =
    /[\p{L}\p{N}]$/u.test(last) && !/^\s*(?:[-*•+|>]|\d+[.)])/.test(prose.trimEnd().split('\n').at(-1) ?? '')
  const endsOpen = /[:：]$/.test(text.slice(-200).trim()) && prose.trim().length < 1000
  return {
    asks: found,
    announces:
      found.length === 0 && (endsOpen || isAnnounced(last) || (isCut && isAnnounced(sentences.at(-2) ?? ''))),
    isCut,
    gaveUp: [sentences[0] ?? '', last].some((sentence) => holdsCue(sentence.slice(0, 500), 'gaveUp')),
  }
}

function isAnnounced(sentence: string): boolean {
  return sentence.length < 400 && beginsWithCue(sentence, 'announced')
}

function askKind(
  sentence: string,
  fromEnd: number,
  statements: number,
): Ask['kind'] | 'courtesy' | undefined {
  const words = sentence.length <= 600 ? sentence : sentence.slice(-600)
  // Somebody else's words.
  if (/^["“「『«]/.test(words)) return undefined
  const isQuestion = questionEnd.test(words)
  const isNear = fromEnd < offerReach
  if (holdsCue(words, 'courtesy') && (isQuestion || isNear)) return 'courtesy'
  if (isNear && holdsCue(words, 'trial')) return 'trial'
  if (isQuestion && (holdsCue(words, 'toUser') || statements <= statementsAfter)) return 'question'
  return isNear && holdsCue(words, 'offer') ? 'offer' : undefined
}

const questionEnd =
  /[?？]["')\]*_`”」]*(?:\s*\p{Extended_Pictographic}\ufe0f?)*$|(?:[吗嗎]|ますか|ですか|しょうか|ませんか|까요|나요)[。.]?$/u
