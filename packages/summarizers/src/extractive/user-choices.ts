import { type EventId, isErrand, isRemark, splitSentences } from '@tenfold/core/summarizer'
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
    .flatMap((sentence) => withAside(sentence.text.replaceAll('**', '')))
    .filter((words) => words.length <= longest && words.length >= shortest(words) && !isFragment(words))
    .flatMap((words) => {
      // Escapes occur in pasted output.
      if (words.includes('\\n') || (asks.test(words) && !suggests.test(words)) || isErrand(words)) return []
      if (polite.test(words) || isRemark(words)) return []
      if (weighing.test(words) && !directs.test(words)) return []
      const cues = findChoiceCues(words)
      const over = cues.has('instead') || /\b(?:use|want|do|with) [\w@./-]{1,40},? not\b/i.test(words)
      const outright =
        over || cues.has('choice') || saysWhy(words) || namesMeans(words) || corrects.test(words)
      if ((!outright && isMereBelief(words)) || (!over && passing.test(words))) return []
      const hasCue = findSteerCues(words.replace(matter, '')).size > 0
      const steers = isSuggestion(words) || hasCue || directs.test(words)
      if (long && !task && !addresses.test(words) && !orders.test(words)) return []
      if (!outright && (task || long || !steers || leaving.test(words))) return []
      return [{ decision: decisionIn(words, 'user', event, replied), worth: 6 + (outright ? 2 : 0) }]
    })
    .slice(0, task ? maxInTask : maxInOneText)
}

/** A question decides nothing, with or without its mark. */
const asks =
  /[?？吗嗎][\s"')\]]*$|^(?:(?:ok(?:ay)?|so|and|but|hm+|now|also)[,.]? )*(?:(?:how|why|what|which|where|when|who)(?:['’]s)? (?!about|not|if|(?:i|we) (?:want|need|prefer|decided))|(?:is|are|was|were|does|did|has|have|isn['’]?t|aren['’]?t) (?:it|this|that|there|the|you|we|i|they)\b)/i

/** Asks for something to be made, which the files show. */
const polite =
  /^(?:(?:ok(?:ay)?|so|and|but|also|now|then|please|yes|yeah|no|just)[,.]? )*(?:(?:can|could|would|will) (?:you|we)\b)(?!.*\b(?:instead|rather|not|without|only|separate|ignore|keep|use|skip|leave|call|name|rename|switch)\b)/i

/** A question that names the way: "Should we use a file instead of a flag?" */
const suggests =
  /\b(?:instead of|rather than|looks like (?:we|i)|should(?:n['’]?t)? we|couldn['’]?t we|why not)\b|吧[?？]?$|不用|要不要|ほうが/i

/** The sentence, and what it says in brackets if that is a choice: "(decided with Ana: cents, because …)". */
function withAside(words: string): string[] {
  const aside = inBrackets.exec(words)?.[1]
  if (aside === undefined || !(findChoiceCues(aside).has('choice') || saysWhy(aside))) return [words]
  return [words.replace(`(${aside})`, '').replace(/\s+(?=[\s.,;:!?]|$)/g, ''), aside]
}

const inBrackets = /\(([^()]{12,300})\)/

/** Gives a reason for a way: "Storage: SQLite, because one file is enough", "We store cents, as floats lose pennies". */
function saysWhy(words: string): boolean {
  return reasoned.test(words) && states.test(words)
}

const reasoned = /\b(?:because|weil|da sonst|porque|parce que|perché|потому что)\b|因为|因為|ため|때문/iu
const states =
  /^[^.:]{2,40}:\s|^(?:please |and |so |also )*(?:use|keep|store|put|make|call|name|write|let['’]s|we(?: will|['’]ll)? (?!(?:have|had|got|saw|can|need|are|were|did|do)\b)\w+|wir \w+|nous \w+|usamos|usiamo)\b/iu

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

const suggestion =
  /\b(?:instead|rather|shouldn'?t|should we|why not|can we (?:use|keep|make|do|have|not)|could(?:n['’]?t)? we|we might want|maybe (?:we|use)|what about|how about)\b|吧[?？]?$|不用|要不要|ほうが/i
const believes = /\b(?:i (?:do not |don['’]?t )?think|looks like (?:we|i))\b/i
const wants =
  /\b(?:we|you|it|they|this|that|these|those|(?:the|our|my|your) [\w-]+(?: [\w-]+){0,3}) (?:all )?(?:should|needs?|must|might want|want|can (?:use|keep|make|do|drop|skip)|could)\b|\b(?:going to be|need to be|fine|enough|better|best|better off|prefer|use|same)\b/i

/** What holds for this moment, or takes back what the agent just did. */
const passing =
  /\b(?:this time|today|tomorrow|right now|just now)\b|^(?:no[,.]? )?(?:remove|delete|undo|revert|kill|drop) (?:(?:that|this|it|those|these|them)(?: (?:line|again|now))*|the file)[.!]*$/i

/** What the user has to do elsewhere. */
const leaving =
  /^i(?: have to|(?:['’]ve)? got to| must| need to| should)\s+(?:leave|go|run|stop|sleep|head|catch|step)\b/i
