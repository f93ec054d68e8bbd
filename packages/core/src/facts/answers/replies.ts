import { cleanLine } from '../../session/clean-text.ts'
import { cutHead } from '../../session/cut-text.ts'
import type { AssistantEvent, SessionEvent, UserEvent } from '../../session/event.ts'
import { largePattern } from '../../session/large-pattern.ts'
import { isReview } from '../constraints/quoted-lines.ts'
import { sentenceTexts } from '../constraints/sentences.ts'
import type { AnswerFact } from '../facts.ts'
import { exclaims, onlyGoesOn } from './errands.ts'
import {
  answersListed,
  listsAnswers,
  type OfferedOption,
  optionLists,
  optionsNamed,
} from './offered-options.ts'
import { proposalIn, recommended } from './proposal.ts'

/** Maximum length of a reply; a longer one does more than choose an option. */
const maxReplyLength = 400

/** Maximum number of sentences at the end of a message in which its question is searched. */
const lastSentences = 8

/** Maximum number of earlier messages in which the list is searched for a reply that is only a mark: `b`. */
const maxBefore = 2

/** Extracts short replies of the user to a question or an offer in the agent's last message, and answers to a list. */
export function extractReplies(events: readonly SessionEvent[]): AnswerFact[] {
  const replies: AnswerFact[] = []
  const edits = events.filter((event) => event.type === 'tool_call' && event.kind === 'edit')
  const edited = new Set(edits.map(({ turn }) => turn))
  let asked: AssistantEvent | undefined
  let before: AssistantEvent[] = []
  for (const event of events) {
    if (event.agent !== 'main' || event.copied === true || event.inContext === false) continue
    if (event.type === 'assistant' && event.text.trim() !== '') asked = event
    // The agent continued, so its text asked for nothing.
    else if (event.type === 'tool_call') asked = undefined
    else if (event.type === 'user' && asked !== undefined) {
      const found = event.origin === 'command' ? [] : repliesTo(asked, before, event)
      replies.push(...(found.length > 0 ? found : steerOf(asked, event, edited)))
      before = [asked, ...before].slice(0, maxBefore)
      asked = undefined
    }
  }
  return replies
}

/** Maximum characters of words that only choose a way. */
const maxSteer = 160

/** A few words about a message that only talked, after which the agent changed files, contain the user's choice. */
function steerOf(asked: AssistantEvent, event: UserEvent, edited: ReadonlySet<number>): AnswerFact[] {
  const { id, turn, origin } = event
  const answer = cleanLine(event.text)
  const isWorked = edited.has(turn) && !edited.has(turn - 1)
  if (!isWorked || origin === 'command' || answer.length > maxSteer || /^[/<[]|[?？]/.test(answer)) return []
  if (asks().test(answer) || reports().test(answer) || !sharesWords(asked.text, answer)) return []
  if (answer.split(' ').length < minWordsAlone && !/[\u2e80-\uffdc]{6}/.test(answer)) return []
  return [{ kind: 'reply', question: '', answer, chosen: [], others: [], asked: asked.id, event: id }]
}

function repliesTo(asked: AssistantEvent, before: readonly AssistantEvent[], event: UserEvent): AnswerFact[] {
  const listed = listedReplies(asked, event)
  if (listed.length > 0) return listed
  const isMark = onlyMark.test(event.text.trim())
  const source = isMark
    ? [asked, ...before].find(({ text }) =>
        optionLists(text).some((list) => optionsNamed(event.text, list).length > 0),
      )
    : undefined
  const reply = replyTo(source ?? asked, event)
  return reply === undefined ? [] : [reply]
}

const onlyMark = /^(?:option )?[[(]?(?:[a-h]|\d{1,2})[\])]?[.!]?$/i

/** Minimum words of a reply to an unknown question. */
const minWordsAlone = 4

/** Returns separate replies to the numbered points of a message. A reply without a word of its point gets no topic. */
function listedReplies(asked: AssistantEvent, { id, text }: UserEvent): AnswerFact[] {
  const points = optionLists(asked.text).at(-1) ?? []
  if (points.length === 0 || !listsAnswers.test(text.trim()) || isReview(text)) return []
  return answersListed(text).flatMap((given, at): AnswerFact[] => {
    const answer = cutHead(given, maxReplyLength)
    const point = points[at]
    const words = cleanLine([point?.label, point?.description].filter(Boolean).join(': '))
    const question = sharesWords(words, answer) ? words : ''
    if (answer.split(' ').length < (question === '' ? minWordsAlone : 2)) return []
    return [{ kind: 'reply', question, answer, chosen: [], others: [], asked: asked.id, event: id }]
  })
}

function replyTo(asked: AssistantEvent, { id, text }: UserEvent): AnswerFact | undefined {
  const answer = cleanLine(text)
  if (answer === '' || answer.length > maxReplyLength || answer.startsWith('/')) return undefined
  const lists = optionLists(asked.text)
  const options = lists.findLast((list) => optionsNamed(answer, list).length > 0) ?? lists.at(-1) ?? []
  const named = optionsNamed(answer, options)
  // "OK, now we need a GUI. Can we start on it?" is a new request.
  const isLong = answer.length > maxPlainAssent && /^(?:ok(?:ay)?|right|perfect)[,.!]?\s/i.test(answer)
  const goesOn = isLong && asks().test(answer.split(/(?<=[.!?])\s+/).at(-1) ?? '')
  const agreed = agrees().test(answer) && !goesOn
  const isPlain = named.length === 0 && !agreed && !refuses().test(answer)
  if (isPlain && (onlyGoesOn.test(answer) || asks().test(answer) || reports().test(answer))) return undefined
  if (isPlain && !/[?？]/.test(endOf(asked.text))) return undefined
  const { question, offered, items, heading } = questionIn(asked.text, options[0], named.length > 0)
  const all = agreed && named.length === 0 && toAll.test(answer) ? items.map((label) => ({ label })) : []
  const picked =
    named.length > 0 ? named : all.length > 0 ? all : agreed ? recommended(asked.text, options) : []
  const answers =
    picked.length > 0 ||
    (question !== '' &&
      (isPlain
        ? !offered &&
          isOpen(question) &&
          fits(question, answer) &&
          (!offersWork.test(question) || takesUp(question, answer))
        : !reports().test(answer) && !isProcedural(question, answer)))
  const isMere = agreed && picked.length === 0 && answer.length <= maxAssent && !asks().test(answer)
  const said = isMere ? proposalIn(endOf(asked.text)) : ''
  const isOfIt = !answers || offersMore().test(question) || question.startsWith(said.split(':')[0] ?? '')
  const proposal = isOfIt ? said : ''
  if (!answers && proposal === '') return undefined
  const chosen = proposal === '' ? picked : [{ label: proposal }]
  return {
    kind: 'reply',
    // Each of several answers has its own question.
    question:
      listsAnswers.test(answer) || proposal !== ''
        ? ''
        : cleanLine((all.length > 0 ? heading : question).replaceAll('**', '')),
    answer,
    chosen,
    others: proposal === '' ? options.filter((option) => !chosen.includes(option)) : [],
    asked: asked.id,
    event: id,
  }
}

const asks = largePattern(
  /[?？]["')\]]*$|^(?:and |but |so |also )?(?:(?:can|could|would|is|are|isn't|aren't|do|does|did|have|has) (?:you|we|i|it|this|that|these|those|the|there|they|our|my|your|all|any|an?)|(?:how|what|why|when|where|which|who)(?:'s)? (?!(?:i|we) (?:want|need))\S+)\b/i,
)

/** Maximum length of an answer that only agrees. */
const maxAssent = 60

/** Reports the result of a trial or a thought, which decides nothing: "yeah it works", "nope, still failing". */
const reports = largePattern(
  /^(?:a+h+|oh+|hm+)\b|^(?:(?:yes|yeah|yep|ok(?:ay)?|no|nope|nah|great|nice|cool|perfect)[,.!]?\s+)*(?:(?:it|that|this|now it|everything|all|(?:the )?(?:fix|build|tests?|ci|deploy|command|script|page|app))(?: all| still| now)? (?:works?(?! for (?:me|us)| best| better)|worked|fail(?:s|ed)?|pass(?:e[sd])?|breaks?|broke|does(?:n['’]?t| not)|did(?:n['’]?t| not))\b|still (?:fail|not|no|does|the same|broken|getting|seeing)|done\b)|\b(?:is|are) still\b/i,
)

/** Maximum length of an answer that begins with "OK" and counts as assent although it asks. */
const maxPlainAssent = 30

/** Accepts an offer. */
export const agrees = largePattern(
  /^(?:yes|yep|yeah|yup|sure|ok(?:ay)?|agreed?|correct|exactly|right|do (?:it|that)|go (?:ahead|for it)|please do|sounds? good|perfect|lgtm|sim|sí|si|oui|d'accord|ja|genau|gerne|да|はい|네|是的?|好的?|可以|没问题|沒問題|对|對)(?![\p{L}\p{N}])/iu,
)
export const refuses = largePattern(
  /^(?:no|nope|nah|not (?:now|yet)|don'?t|never ?mind|skip|leave (?:it|as)|não|non|nein|нет|いいえ|아니|不(?!错|錯)|别|別)(?![\p{Ll}])/iu,
)
const leavesOpen =
  /\b(?:you (?:decide|choose|pick)|up to you|your call|whatever you|either(?: is fine| works)?|no preference|entscheide du|tu décides|tú decides|você decide)\b|你决定|你決定|随便|隨便|任せ/iu

/** Whether a question is open, not about yes or no, a state or the past, so that its answer chooses something. */
function isOpen(question: string): boolean {
  const [last = ''] = question.split(/[.!:]\s/).slice(-1)
  if (asksWhatIs.test(last)) return false
  return openQuestion().test(question.replace(/^\W*or\b/i, '')) || !closedQuestion.test(last)
}

const asksWhatIs =
  /^(?!.*\b(?:want|prefer|should|like|rather)\b)\W*(?:(?:do|did|have|had) you (?:\w+ )?(?:have|had|know|see|seen|saw|remember|recall|noticed?|tried|try|run|ran|got|changed?)\b|did (?!you\b)|(?:is|are|was|were) there\b|(?:has|have|had) (?:the|it|this|that|they|any\w*|some\w*)\b)/i

const openQuestion = largePattern(
  /\b(?:or|which|what|where|who|when|how|oder|welche[rs]?|wie|ou|quel(?:le)?|cuál|qué|qual|или|какой)\b|还是|還是|哪|什么|什麼|怎么|如何|それとも|どちら|どの|아니면|어느/iu,
)
const closedQuestion =
  /^(?:\W*)(?:want|should|shall|do|does|did|is|are|can|could|would|will|have|has|may|ready|anything|any|ok|worth)\b/i

/** Whether a reply leaves the choice to the agent, uses a word of the question, or is the name that it asks for. */
function fits(question: string, answer: string): boolean {
  if (leavesOpen.test(answer)) return true
  if (answer.length <= 200 && sharesWords(question, answer)) return true
  const [first = ''] = sentenceTexts(answer)
  const isName = first.length <= maxName && !/\.\.|…/.test(first) && !exclaims().test(first)
  return isName && openQuestion().test(question)
}

const maxName = 40

/** "Want me to add a button, or a menu?" */
const offersWork = /(?:^|[.!:]\s)\W*(?:(?:do you )?want|would you like|shall i|should i)\b/i

/** Whether a reply to an offer of work is about it, and not the next request. */
function takesUp(question: string, answer: string): boolean {
  return leavesOpen.test(answer) || answer.split(' ').length <= 3 || sharesWords(question, answer)
}

/** "Yes to all", "do both please" */
const toAll = /\b(?:all|both|each|everything)\b/i

/** Whether a question is about continuing: the answer was carried out, and decides nothing lasting. */
function isProcedural(question: string, answer: string): boolean {
  if (onlyGoesOn.test(answer)) return true
  if (limits.test(answer) || (/\bor\b|\binstead\b|\bvs\b/i.test(question) && !asksForMore.test(question)))
    return false
  if (procedural().test(question)) return true
  return answer.length < 30 && question.length < 60 && namesNothing.test(question)
}

/** Agrees to a part, or to something else. */
export const limits = /\b(?:instead|but|not|only|rather|except|without|should|let['’]?s)\b/i
const asksForMore = /\b(?:adjust(?:ments?)?|anything|changes needed|questions)\b/i
const procedural = largePattern(
  /\b(?:commit|push|continue|proceed|go ahead|start|begin|carry on|move on|next|look (?:right|good|ok)|sound(?:s)? good|make sense|ready|anything else|try (?:it|again)|run (?:it|them|the)|test it|take a look|help with)\b|继续|繼續|提交|开始|開始|weiter|continuar|continuer/i,
)
const namesNothing = /\b(?:it|this|that|these|those|them)\b/i

const endOf = (text: string): string => text.slice(-6000)

/** Returns the list offered at the end of a message, its last question with its heading if it is short, or its last offer. */
function questionIn(
  text: string,
  option: OfferedOption | undefined,
  named: boolean,
): { question: string; offered: boolean; items: readonly string[]; heading: string } {
  const sentences = sentenceTexts(endOf(text))
  const tail = sentences.slice(-lastSentences)
  const listed = named ? undefined : listedOffer(sentences)
  if (listed !== undefined) return { ...listed, offered: !/[?？]/.test(tail.at(-1) ?? '') }
  const none = { items: [], heading: '' }
  const question = tail.findLast((sentence) => /[?？]["'*)\]]*$/.test(sentence))
  const at = question === undefined ? -1 : sentences.lastIndexOf(question)
  // The sentence before it, or the one that introduces the options.
  const before = option === undefined ? (sentences[at - 1] ?? '') : sentenceBefore(text, option)
  if (question !== undefined)
    return {
      question:
        question.length < 40 && before !== '' && before !== question && before.length < 160
          ? `${before} ${question}`
          : question,
      offered: false,
      ...none,
    }
  const offered = tail.slice(-3).findLast((sentence) => isOffer(sentence))
  return { question: offered ?? (named ? sentenceBefore(text, option) : ''), offered: true, ...none }
}

/** Returns "Would you like me to:" with the items after it at the end of a message. */
function listedOffer(
  sentences: readonly string[],
): { question: string; items: readonly string[]; heading: string } | undefined {
  const at = sentences.findLastIndex((sentence) => /[:：]$/.test(sentence) && isOffer(sentence))
  const items = at < 0 ? [] : sentences.slice(at + 1)
  if (items.length === 0 || items.length > maxListed) return undefined
  const short = items.map((item) => cutHead(item, maxListedItem).replace(/(?:[?？.;,]|,? or)+$/, ''))
  const heading = sentences[at] ?? ''
  return { question: `${heading} ${short.join('; ')}?`, items: short, heading: heading.slice(0, -1) }
}

/** Maximum characters of an item in such a list. */
const maxListedItem = 160

/** Maximum items in such a list. */
const maxListed = 6

/** Offers more work: a "yes" requests it, and chooses no way. */
export const offersMore = largePattern(
  /\b(?:if you(?:['’]d)? (?:want|like|prefer)|i can also|would you like|want me to|wenn du (?:willst|möchtest)|si (?:quieres|tu veux|vous voulez)|se quiser)\b|如果你(?:想|愿意|願意|需要)|需要我|要不要|よければ/i,
)
const offersWay = largePattern(
  /\b(?:if (?:this|that) (?:direction |design |plan )?(?:looks|sounds|is)|i can|i(?:'d| would) (?:suggest|recommend|propose)|i (?:suggest|recommend|propose)|let me know (?:if|which|whether)|do you want|shall i|should i)\b/i,
)
const isOffer = (sentence: string) => offersMore().test(sentence) || offersWay().test(sentence)

/** Returns the question right before the options, otherwise the sentence that introduces them. */
function sentenceBefore(text: string, option: OfferedOption | undefined): string {
  const at = option === undefined ? -1 : text.lastIndexOf(option.label.slice(0, 30))
  if (at < 0) return ''
  const near = sentenceTexts(text.slice(Math.max(0, at - 2000), at).replace(ownLine, '')).slice(-3)
  return near.findLast((sentence) => /[?？]["'*)\]]*$/.test(sentence)) ?? near.at(-1) ?? ''
}

/** The line of the option itself, and the head of its table. */
const ownLine = /(?:\n[ \t]*\|[^\n]*){0,3}\n[^\n]*$/

function sharesWords(question: string, answer: string): boolean {
  const asked = wordsOf(question)
  return [...wordsOf(answer)].some((word) => asked.has(word))
}

function wordsOf(text: string): Set<string> {
  return new Set(text.toLowerCase().match(/\p{Script=Han}{2}|[\p{L}\p{N}_./-]{4,}/gu) ?? [])
}
