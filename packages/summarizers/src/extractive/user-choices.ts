import { type EventId, splitSentences } from '@tenfold/core/summarizer'
import { decisionIn, type FoundDecision, findChoiceCues, longest, maxInOneText, shortest } from './choices.ts'
import { cueFinder } from './cues.ts'
import { steerCues } from './steer-cues.ts'

const findSteerCues = cueFinder({ steer: steerCues })

/** Longest user text that steers: a longer one is a task or a paste, in which only explicit choices count. */
const maxSteeringLength = 1200

/**
 * Choices in the words of the user; `task` is set for the text that begins the work, `replied` is the question that a short
 * text replies to.
 */
export function choicesOfUser(text: string, event: EventId, task: boolean, replied: string): FoundDecision[] {
  // What a compaction is asked to keep is about its summary.
  if (/^\/compact\b/.test(text)) return []
  const words = text.replace(/^\/[\w:-]+\s+(?=\S)/, '').replace(/ \[\d+ images?\]$/, '')
  const sentences = isReport(text) ? [] : splitSentences(bounded(words))
  const long = text.length > maxSteeringLength
  return sentences
    .filter((sentence) => !sentence.quoted)
    .map((sentence) => sentence.text.replaceAll('**', ''))
    .filter((words) => words.length <= longest && words.length >= shortest(words) && !isFragment(words))
    .flatMap((words) => {
      const question = /[?？]["')\]]*$/.test(words)
      // Escapes occur in pasted output.
      if (words.includes('\\n') || (question && (!isSuggestion(words) || asksHow.test(words)))) return []
      if (weighing.test(words) && !directs.test(words)) return []
      if ((remarks(words) || isMereBelief(words)) && !proposes.test(words)) return []
      const cues = findChoiceCues(words)
      const over = cues.has('instead') || /\b(?:use|want|do|with) [\w@./-]{1,40},? not\b/i.test(words)
      const outright = over || cues.has('choice') || namesMeans(words) || corrects.test(words)
      const hasCue = findSteerCues(words.replace(matter, '')).size > 0
      const steers = isSuggestion(words) || ((hasCue || directs.test(words)) && !isGoingOn(words))
      if (long && !task && !addresses.test(words) && !orders.test(words)) return []
      if (!outright && (task || long || !steers)) return []
      return [
        {
          decision: decisionIn(words, 'user', event, replied),
          worth: 6 + (outright ? 2 : 0) + (question ? -2 : 0),
        },
      ]
    })
    .slice(0, task ? maxInTask : maxInOneText)
}

/** The part of a message that is examined: what users paste is in the middle. */
function bounded(text: string): string {
  return text.length <= maxExamined
    ? text
    : `${text.slice(0, maxExamined / 2)}\n\n${text.slice(-maxExamined / 2)}`
}

const maxExamined = 40_000

/** A piece of a pasted text: a bracket without its pair, or the level that a program's message begins with. */
function isFragment(words: string): boolean {
  const open = words.match(/[([{]/g)?.length ?? 0
  const closed = words.match(/(?<![:;])[)\]}]/g)?.length ?? 0
  return (open !== closed && !listMark.test(words)) || level.test(words)
}

const listMark = /^\(?\w{1,2}\)/
const level = /^\[?(?:error|warning|warn|note|info|debug|hint|fatal|fail(?:ed|ure)?|tip)\]?:/i

/** Speaks to somebody or of both: in a long message, the rest may be somebody else's words. */
const addresses = /\b(?:i|i['’]d|i['’]m|we|us|our|you|your|let['’]?s|please|me)\b|[^\u0000-\u024f]{4}/i

/** Begins in the imperative. */
const orders =
  /^(?:please |just |and |then )?(?:use|keep|rename|remove|delete|drop|split|skip|leave|move|replace|switch|avoid|stick|make|add|do)\b/i

/** Proposes something after all: "it's slow, let's use a pool". */
const proposes = /\b(?:let['’]?s|should we|we should|can we|could we|please)\b/i

/** Says what happened, what the speaker wonders, or what the speaker will try. */
function remarks(words: string): boolean {
  return remark.test(words.replace(interjections, ''))
}

const interjections =
  /^(?:(?:ah+|oh|ok(?:ay)?|hm+|so|well|but|and|also|yes|no|wow|omfg|great|alright)[,.!]?\s+)*/i
const remark =
  /^(?:(?:i|we)(?: (?:wonder|suppose|guess|tried|got|see|saw|noticed|get|found|thought)\b|['’]?m (?:confused|wondering|not sure|using|seeing|getting|on)\b|(?:['’]ve| have) (?:tried|noticed|seen|got)\b| (?:did(?:n['’]?t| not)|do(?:n['’]?t| not) (?:see|understand|know|get|think|remember))\b)|im (?:using|getting|seeing)\b|you (?:should(?: have)? know|said|told|did(?:n['’]?t| not)|broke)\b|let me (?:try|test|check|see|run|look)\b|it(?:['’]s| is| seems| looks| works)\b|that(?:['’]s| is) (?:weird|odd|strange|wrong|not)|the (?:next |other |only |real |main |last )?(?:issue|problem|bug|error) (?:is|was)\b|wait (?:for|until|till)\b)/i

/** Whether a message is a list of paragraphs, such as a review that the user hands on: what one steers with is short. */
function isReport(text: string): boolean {
  const items = text.split(/\n[^\S\n]*(?=(?:\d{1,2}[.)]|[-*•])\s)/).filter((item) => listed.test(item))
  const length = items.reduce((sum, item) => sum + item.length, 0)
  return items.length >= 2 && length / items.length >= minReportItem && length >= text.length / 2
}

const listed = /^\s*(?:\d{1,2}[.)]|[-*•])\s/

/** Mean characters of an item in a report. */
const minReportItem = 240

const maxInTask = 3

/** Weighs what would follow: "If the intent is to part them, a type would be better." */
const weighing = /^if\b.*\b(?:is|are|was|were|would|could|might|may)\b/i

/** What a text is to tell: `a page on how the cache should work`. */
const matter = /\b(?:on|about|explain(?:s|ing)?|describ(?:es?|ing)) (?:how|what|why)\b.*$/i

/** Says how, not only what: `create the app in Rust`, `build it with Next.js`. */
function namesMeans(words: string): boolean {
  return means.test(words)
}

const means =
  /\b(?:[Cc]reate|[Bb]uild|[Ww]rite|[Ii]mplement|[Mm]ake|[Rr]ewrite|[Pp]ort|[Mm]igrate|[Cc]onvert|[Dd]evelop|[Ss]et up|[Dd]o)\b.{0,80}\b(?:in|by|with|using|on|via|to|on top of)\s+(?:the\s+)?(?:[A-Z][\w+#.-]*[\w+#]|[\w-]+\.(?:js|io|py|rs)\b|[a-z]+(?:-[a-z]+)+@?[\d.]*)/

/** Says how in the imperative: `keep per-call construction`, `and then remove the icons`. */
const directs =
  /(?:^|[,;:.]\s+|\b(?:and|then|please|also|just|you|we|to|now)\s+)(?:use|keep|get rid of|ignore|rename|remove|delete|drop|combine|split|separate|merge|rebase|squash|skip|leave|move|replace|switch|prefer|mention|revert|undo|avoid|stick)\b|\bfirst(?:$|[.,!;])|\bwithout\b/i

/** A user's correction begins with it. */
const corrects =
  /^(?:(?:actually|stop|não|nein|non|нет)[,.!:\s-]|(?:no|nope|nah|wait|oh wait|hmm no)\s?[,.!:–—-])\s*\S.{8,}|^no (?:remove|keep|use|don['’]?t|do not|leave|revert|undo|put|make)\b.{4,}|\bi meant\b|^(?:不對|不对|不是|等等|违う|違う|아니)/iu

/** Suggests a way: "should we use …", "i think we need …". */
function isSuggestion(words: string): boolean {
  return suggestion.test(words) || (believes.test(words) && wants.test(words))
}

/** "i think only one file is left" suggests nothing. */
function isMereBelief(words: string): boolean {
  return believes.test(words) && !isSuggestion(words)
}

/** Asks for a way, and suggests none: "how could we do 1?" */
const asksHow =
  /^(?:(?:ok(?:ay)?|so|and|but|hm+)[,.]? )*(?:how|why|what|which|where|when|who) (?!about|not|if)/i

const suggestion =
  /\b(?:instead|rather|shouldn'?t|should we|why not|can we (?:use|keep|make|do|have|not)|could(?:n['’]?t)? we|we might want|maybe (?:we|use)|what about|how about)\b|吧[?？]?$|不用|要不要|ほうが/i
const believes = /\b(?:i (?:do not |don['’]?t )?think|looks like (?:we|i))\b/i
const wants =
  /\b(?:we|you|it|they|this|that|these|those|(?:the|our|my|your) [\w-]+(?: [\w-]+){0,3}) (?:all )?(?:should|needs?|must|might want|want|can (?:use|keep|make|do|drop|skip)|could)\b|\b(?:going to be|need to be|fine|enough|better|best|better off|prefer|use|same)\b/i

/** A word to continue the work decides nothing, nor does what the user has to do elsewhere. */
function isGoingOn(words: string): boolean {
  return words.length < 60 && (goingOn.test(words) || leaving.test(words))
}

const leaving =
  /^i(?: have to|(?:['’]ve)? got to| must| need to| should)\s+(?:leave|go|run|stop|sleep|head|catch|step)\b/i

const goingOn =
  /^(?:(?:ok(?:ay)?|yes|great|good|nice|cool|thanks|perfect|now|please|can you|could you|and|just|yeah|let'?s|lets|go ahead and)[,.!]?\s+)*(?:continue|discuss|talk|brainstorm|think|proceed|go on|go ahead|keep going|carry on|commit|push|run|test|try|implement (?:it|this|that)|write the plan|check|look|see|start|begin|do (?:it|that|this)|fix (?:it|that|this|them)|get (?:it|that|this|them|everything) (?:committed|merged|pushed|reviewed)|next|review|explain|show|tell|read|open)\b(?!.*\b(?:only|not|without|instead|first|both|separate)\b)/i
