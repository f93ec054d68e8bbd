import { cleanLine, isErrand, isRemark, splitSentences } from '@tenfold/core/internal/summarizer'
import type { Decision, EventId } from '@tenfold/core/summarizer'
import { findCues } from './cues.ts'
import { clip, type ReadSentences, sentencesOf } from './sentences.ts'

/** A decision found in the log's words, and how much it says: what says little is dropped first. */
export interface FoundDecision {
  readonly decision: Decision
  readonly worth: number
}

/** Characters of the longest sentence that states a choice, and of a text that the user steers with. */
const longest = 400
const longestSteer = 1200
const maxInOneText = 3

/** Worth of a sentence of the user: above all that an agent says. */
const worthOfUser = 10

/** Characters of the shortest sentence that says something; scripts without spaces need fewer. */
export function shortest(words: string): number {
  return /[\u2e80-\uffdc]/.test(words) ? 6 : 12
}

/** Choices in the words of the user; `replied` is the question that a short text replies to. */
export function choicesOfUser(text: string, event: EventId, replied: string): FoundDecision[] {
  // What a compaction is asked to keep is about its summary, and a list of paragraphs is a review handed on.
  if (/^\/compact\b/.test(text) || isReport(text)) return []
  const words = text.replace(/^\/[\w:-]+\s+(?=\S)/, '').replace(/ \[\d+ images?\]$/, '')
  const isLong = text.length > longestSteer
  return splitSentences(ends(words))
    .filter(({ quoted }) => !quoted)
    .flatMap((sentence) => withAside(sentence.text.replaceAll('**', '')))
    .filter((said) => said.length <= longest && said.length >= shortest(said) && chooses(said, isLong))
    .map((said) => ({ decision: decisionIn(said, 'user', event, replied), worth: worthOfUser }))
    .slice(0, maxInOneText)
}

/** Whether a sentence of the user says which way to go, not only what to do next. */
function chooses(words: string, isLong: boolean): boolean {
  if (isFragment(words) || isErrand(words) || passing.test(words)) return false
  if ((isRemark(words) && !settles.test(words)) || isRemark(words.replace(no, ''))) return false
  if (asks.test(words) && !suggests.test(words)) return false
  if (isLong && !addresses.test(words)) return false
  const cues = findCues(words)
  if (cues.has('instead') || contrast.test(words)) return !weighs.test(words)
  if (saysWhy(words) || means.test(words) || corrects.test(words)) return true
  return !isLong && !weighs.test(words) && (cues.has('chosen') || settles.test(words) || suggests.test(words))
}

/** "No, the build is still red" only reports. */
const no = /^(?:no|nope|nah|wait)[,.!:\s]+/i

/** A question decides nothing, with or without its mark. */
const asks =
  /[?？吗嗎][\s"')\]]*$|^(?:(?:ok(?:ay)?|so|and|but|hm+|now|also|please)[,.]? )*(?:(?:how|why|what|which|where|when|who)(?:['’]s)? (?!about|not|if|(?:i|we) (?:want|need|prefer|decided))|(?:is|are|was|were|does|did|has|have|can|could|would|will|isn['’]?t|aren['’]?t) (?:it|this|that|there|the|you|we|i|they)\b|i wonder)/i

/** A question or belief that names the way: "Should we use a file instead of a flag?" */
const suggests =
  /\b(?:instead of|rather than|we might want|should(?:n['’]?t)? we (?:use|keep|make)|(?:can|could) (?:you|we) (?:ignore|skip|keep|leave|drop)|i think (?:we should|(?:[\w-]+ ){1,6}(?:should|needs? to|must|(?:is|are) going to) be\b))|吧[?？]?$|不用|要不要|ほうが/i

/** "on the line, not the signature" */
const contrast =
  /\b(?:use|want|do|with) [\w@./-]{1,40},? not\b|, (?:and |but )?not (?:the|on|in|at|by|as|from|with|per)\b/i

/** Takes one way and leaves others: what is used, what stays, what is left out or put off. */
const settles =
  /^(?:(?:ok(?:ay)?|yes|yep|so|and|but|nah?|please|for now)[,.]? )*(?:let['’]?s|we(?:['’]ll| will)?|just|i(?:['’]d| would) (?:rather|prefer)(?: to)?) ?(?:keep|use|stick|go (?:with|for)|do \d|call (?:it|them)|name (?:it|them)|leave|skip|ignore|handle .* later|prefer)\b|^(?:please |just |and |so )*(?:keep|stick (?:to|with)|use (?!cases?\b|.* to )|never|always|don['’]?t (?!worry|forget|see|know|think|understand|have)|do not)\b(?! (?:it|that|this|going|in mind|me)\b)|^for now,? (?:just |only )?(?:remove|keep|leave|skip|use|omit)\b|\bwe do [\w-]+-first|\blet['’]?s .{3,60} first[.!]?$|\b(?:out of scope|in scope|no need (?:for|to)|not (?:necessary|needed)|(?<!\b(?:it|this|that|they) )(?:is|are|seems?) (?:also )?(?:unnecessary|redundant|overkill)|(?:icons?|names?|files?|values?|they|it) must be|(?:handle|do) .{3,60} later)\b/i

/** A user's correction begins with it. */
const corrects =
  /^(?:(?:actually|não|nein|non|нет)[,.!:\s-]|(?:no|nope|nah|wait|oh wait|hmm no)\s?[,.!:–—-])\s*(?!that['’]?s|it['’]?s|thanks|i (?:see|got)|stop|just|why|what)\S.{12,}|^no (?:remove|keep|use|don['’]?t|do not|leave|revert|undo|put|make|i think)\b.{12,}|\bi meant\b|.{12}, (?:and )?then (?:go ahead|commit|merge|ship)\b|^(?:不對|不对|不是|等等|違う|違う|아니)/iu

/** Says how, not only what: `create the app in Rust`, `build it with Next.js`. */
const means =
  /\b(?:[Cc]reate|[Bb]uild|[Ww]rite|[Ii]mplement|[Rr]ewrite|[Pp]ort|[Mm]igrate|[Cc]onvert|[Dd]evelop|[Ss]et up)\b.{0,60}\b(?:in|by|with|using|on top of)\s+(?:the\s+)?(?:[A-Z][\w+#.-]*[\w+#](?!\.\w)|[\w-]+\.(?:js|io)\b)/

/** Gives a reason for a way: "Storage: SQLite, because one file is enough", "We store cents, as floats lose pennies". */
function saysWhy(words: string): boolean {
  return reasoned.test(words) && states.test(words)
}

const reasoned =
  /\b(?:because|weil|da sonst|porque|parce que|perché|потому что)\b|因为|因為|避免|以便|ため|때문/iu
const states =
  /^[^.:]{2,40}:\s|^(?:please |and |so |also )*(?:use|keep|store|put|make|call|name|write|let['’]s|we(?: will|['’]ll)? (?!(?:have|had|got|saw|can|need|are|were|did|do)\b)\w+|wir \w+|nous \w+|usamos|usiamo)\b|[\u2e80-\uffdc]{6}/iu

/** An order, or speaks to somebody or of both: in a long message, the rest may be somebody else's words. */
const addresses =
  /^(?:please |just |and |then )?(?:use|keep|leave|skip|do)\b|\b(?:i|i['’]d|i['’]m|we|us|our|you|your|let['’]?s|please|me)\b|[^\u0000-\u024f]{4}/i

/** Weighs what would follow: "If the intent is to part them, a type would be better." */
const weighs = /^if\b.*\b(?:is|are|was|were|would|could|might|may)\b/i

/** What holds for this moment, a matter to write about, or what the user does elsewhere. */
const passing =
  /\b(?:this time|today|tomorrow|right now|just now)\b|^(?:no[,.]? )?(?:remove|delete|undo|revert|kill|drop) (?:(?:that|this|it|those|these|them)(?: (?:line|again|now))*|the file)[.!]*$|\b(?:on|about|explain(?:s|ing)?|describ(?:es?|ing)) (?:how|what|why)\b|^i(?: have to|(?:['’]ve)? got to| must| need to| should)\s+(?:leave|go|run|stop|sleep|head|catch|step)\b|\b(?:let me|i['’]ll|i will)\b/i

/** A piece of a pasted text: a bracket without its pair, an escape, or the level that a program's message begins with. */
function isFragment(words: string): boolean {
  const open = words.match(/[([{]/g)?.length ?? 0
  const closed = words.match(/(?<![:;])[)\]}]/g)?.length ?? 0
  return (open !== closed && !/^\(?\w{1,2}\)/.test(words)) || words.includes('\\n') || level.test(words)
}

const level = /^\[?(?:error|warning|warn|note|info|debug|hint|fatal|fail(?:ed|ure)?|tip)\]?:/i

/** Whether a message is a list of paragraphs, such as a review that the user hands on: what one steers with is short. */
function isReport(text: string): boolean {
  const items = text.split(/\n[^\S\n]*(?=(?:\d{1,2}[.)]|[-*•])\s)/).filter((item) => listed.test(item))
  const length = items.reduce((sum, item) => sum + item.length, 0)
  return items.length >= 2 && length / items.length >= minReportItem && length >= text.length / 2
}

const listed = /^\s*(?:\d{1,2}[.)]|[-*•])\s/
const minReportItem = 240

/** The sentence, and what it says in brackets if that is a choice: "(decided with Ana: cents, because …)". */
function withAside(words: string): string[] {
  const aside = /\(([^()]{12,300})\)/.exec(words)?.[1]
  if (aside === undefined || !(findCues(aside).has('chosen') || saysWhy(aside))) return [words]
  return [words.replace(`(${aside})`, '').replace(/\s+(?=[\s.,;:!?]|$)/g, ''), aside]
}

/** The part of a message that is examined: what users paste is in the middle. */
function ends(text: string): string {
  return text.length <= 2 * maxEnd ? text : `${text.slice(0, maxEnd)}\n\n${text.slice(-maxEnd)}`
}

const maxEnd = 20_000

/** Choices in the words of the agent: a way taken, with the way not taken, the reason, or by intent. */
export function choicesOfAgent(
  text: string,
  event: EventId,
  final: boolean,
  read: ReadSentences = sentencesOf,
): FoundDecision[] {
  const said = read(text).flatMap(({ text: words, under, question }): FoundDecision[] => {
    if (question || words.length > longest || words.length < shortest(words) || isCut(words)) return []
    const worth = optionHeading.test(under) ? 0 : worthOf(words)
    return worth < (final ? 1 : minWorthInWork)
      ? []
      : [{ decision: decisionIn(words, 'agent', event), worth }]
  })
  return [...labelledChoices(text, event), ...said].sort((a, b) => b.worth - a.worth).slice(0, maxInOneText)
}

/** The sentence goes on in a block or list: "relay refuses — not". */
function isCut(words: string): boolean {
  return /\b(?:not|and|or|but|the|a|to|that|instead of|rather than)[\s:,—–-]*$/i.test(words)
}

/** What an agent says while it works is a choice only with its reason, or if two signs agree. */
const minWorthInWork = 3

/** How clearly a sentence of an agent states a choice; 0 if it states none, or only how it goes about its work. */
function worthOf(words: string): number {
  const cues = findCues(words)
  const why = reasonAt(words) >= 0
  const isExact = why || named.test(words) || changes.test(words)
  const isOwn = acts.test(words)
  const chose = cues.has('chosen') && !pointsBack.test(words)
  const isOutright = chose || limits.test(words) || follows.test(words)
  const isKept = keeps.test(words)
  const isMeant = isOwn && isExact && cues.has('deliberate')
  const isNotOther = isOwn && contrast.test(words)
  const isInstead = isOwn && isExact && cues.has('instead') && !overNothing.test(words)
  const worth =
    3 * (Number(isOutright) + Number(isNotOther)) + 2 * (Number(isKept) + Number(isMeant) + Number(isInstead))
  if (worth === 0 || (!isOutright && !isKept && observes.test(words))) return 0
  if (conditional.test(words) || tools.test(words) || reports.test(words)) return 0
  // One that takes a way and names the way not taken is no report of work, whatever it is about.
  if (!(chose && cues.has('instead')) && proceeds.test(words)) return 0
  return worth + Number(why)
}

/** About what the reader of a list does not see. */
const pointsBack = /^(?:(?:but|and|so|now|then|actually),? )*(?:this|that|it|these|those)\b.{0,35}$/i

/** The speaker acts, or says what is to be. Other languages pass. */
const acts =
  /\b(?:i|i['’]ll|i['’]m|i['’]ve|i['’]d|we(?:['’]ll)? (?:can |will )?(?:keep|use|reuse|store|need)|let me|let['’]s|needs? to be|should be (?:kept|left|put|used))\b|[^\u0000-\u024f]{4}/i

/** Its own limit: "I'll only commit the two files", "both should be kept". */
const limits =
  /\bi(?:['’]ll| will|['’]m going to)? only (?!have|had|see|saw|know|need|found|get|commented|changed|edit)\w+|\bi(?:['’]ll| will|['’]m) keep(?:ing)? .{3,200}\b(?:instead of|rather than)\b(?! waiting)|\bshould be kept\b|(?:^|[:→—-] )keep .{3,120}\b(?:since|because)\b|^(?:let me|i['’]ll|i['’]m) .{3,80} so (?:that )?only\b/i

/** Leaves something as it is. */
const keeps =
  /\bi(?:['’]ll| will|['’]m) (?:keep|leav)(?:ing|e)? (?!it\b|them\b|this\b|that\b|you\b|an eye)|\bi(?:['’]ve)? (?:deliberately |intentionally )?(?:kept|left|preserved) (?!it\b|that\b|every\b|\w+ing\b)/i

/** What follows from a reason: "Since it takes one path, I'll use the dark icon", "It is used once, so I'm replacing it". */
const follows =
  /(?:^(?:since|because|as|given) .{12,}, |, so )i(?:['’]ll| will|['’]m)(?: going to)? (?:just |only |also )?(?:leav|keep|replac|convert|mak|mov(?!\w* (?:to|on))|switch|renam|us|drop|split|open an?|skip|merg|put|treat|bundl|turn|default|extract)\w*|^(?:let me|i(?:['’]ll| will|['’]m)) (?:us|convert|fix|simplify)\w* .* (?:to meet|since|so that it|because)\b/i

/** Contrasts with what nobody would choose: "instead of crashing". */
const overNothing =
  /\b(?:instead of|rather than) (?:just|only|merely|simply|silently|all|crash|freez|fail|theori[sz]|ask|assum|guess|rout|dead|routing|re-?read)\w*\b|\binstead\W*$/i

/** About a fault or what is there. */
const observes =
  /\b(?:fail(?:s|ed|ing|ure)?|bug|symptom|wrong(?:ly)?|incorrect(?:ly)?|the (?:issue|problem|error|cause)|root cause|currently|i (?:see|notice|found|noticed|bet|think|produced|referenced|found|missed|verified|can check)|i['’]d (?:missed|write)|it (?:looks|appears|seems)|appears to|seems to|does(?:n['’]t| not) have|should (?:now|appear|only)|which (?:would|is cleaner))\b/i

const changes =
  /\b(?:chang|switch|mov|replac|renam|extract|treat|render|return|convert|split|merg|dropp?|stor)(?:e|es|ed|ing|s)?\b/i

/** Names in code: what makes a statement exact. */
const named =
  /`[^`\n]{1,100}`|(?<![\w/])[\w.-]*\/[\w./-]+|\b[a-z]+[A-Z]\w+|\b\w+_\w+|\b\w+\.\w{2,}\b|\bv?\d+\.\d+|\b[A-Z]\w*[A-Z]\w*|\b(?:files?|tests?|change|scope)\b/

/** A possibility is not a decision. */
const conditional =
  /^(?:if|when(?:ever)?|unless|option|alternatively|should (?:you|we|i)|do you|would you|you (?:can|could|may|might)|we (?:could|might|can)|wenn|falls|si|se|如果|要是|もし|если)\b|\b(?:if you(?:'d)? (?:want|like|prefer)|let me know|could (?:also|instead|be)|might (?:be|want)|would (?:be|need|have|require)|i(?:['’]d| would) (?!like)|you(?:['’]d| would| can| could) )\b|如果|需要我/i

/** How the agent goes about its work: what it looks at, waits for, runs or writes next. */
const proceeds =
  /\b(?:assum(?:e|ing)|guess(?:ing)?|wait(?:ing)?|poll(?:ing)?|monitor(?:ing)?|memory|earlier snapshot|current line|inspect(?:ing)?|investigat\w+|verif\w+|re-?(?:read|run|try|stag|open|check)\w*|look(?:ing)? at|ground(?:ing)?|one by one|approach\W*$|locating|adding (?:\w+ )?(?:tests|coverage|benchmarks)|i['’]m (?:just )?\w+ing\b.{0,80}\bnow|search(?:ing)? before|running|extracting where|measure|confirm exactly|lint|this means)\b|^\W*(?:(?:now|ok(?:ay)?|good|great|perfect|right|first|next|then|so|and|but|finally|instead)[,.:]?\s+)*(?:let me|i['’]?ll|i['’]?m|i am|i need to|i should|i will|let['’]s)\s+(?:(?:now|also|just|first|going to|try to|start by|starting (?:by|with|from))\s+)*(?:check|read|look|see|view|find|search|explore|understand|start|begin|continu|gather|get(?:ting)?|fetch|review|run|test|trac|analy|figure|open|list|show|push|load|invoke|ask|summari|stag|validat|compil|confirm|switch(?:ing)? to (?:an? )?(?:better |simpler )?next|us(?:e|ing) (?:the )?(?:next|new)|tak(?:e|ing)|tackl|mov(?:e|ing) to|pick|reading|pull)\w*\b|^(?:that|this|it)['’]s\b/i

/** The agent's own tools, and the guidance it follows. */
const tools =
  /\b(?:use|using|with|try|via|load|invoke) (?:the |a |an )?(?:(?:`?(?:read|edit|write|bash|grep|glob|task|search|todo\w*|fetch|shell|browser)`? )?tools?\b|grep|rg|sed|cat|awk|find|read|glob|bash|subagents?|agent|context7|web ?search|`[^`\n]{1,60}` command\b|[`\w:-]+ (?:skill|guidance|workflow)\b|skill)/i

/** A line that a label makes something else: a fault with its weight ("Low: …"), what came of the work, or a mark. */
const reports =
  /^\W*(?:(?:low|medium|high|critical|minor|major|nit|p[0-4])\b\W*[:\])—–-]|(?:expected )?outcome\W*:)|^\W*(?:✅|❌|⚠|🔍)/iu

const optionHeading =
  /\b(?:options?|alternatives?|approach(?:es)? considered|tradeoffs?|trade-offs?|pros|cons|questions?)\b|选项|方案|选择一/i

/** Choices that a text states under a label: `**Framework**: LangGraph`. */
function labelledChoices(text: string, event: EventId): FoundDecision[] {
  return text.split('\n').flatMap((line): FoundDecision[] => {
    const isLabelled = line.length <= longest && line.includes('**')
    const [, label, words] = isLabelled ? (labelled.exec(line) ?? []) : []
    if (label === undefined || words === undefined) return []
    return [{ decision: decisionIn(words.replaceAll('**', ''), 'agent', event, label), worth: 5 }]
  })
}

const labelled =
  /^\s*(?:[-*•]|\d{1,2}[.)])?\s*\*\*(decision|framework|language|library|database|architecture|stack|tech(?:nology)? stack|runtime|licen[cs]e|决定|框架|语言|語言|数据库|架构|Entscheidung|Sprache|decisión|decisão|décision)(?::\*\*|\*\*\s*[:：])\s*(\S.*)$/iu

/**
 * A sentence as a decision: the text after its reason's cue is the rationale, after "instead of" the rejected
 * alternative.
 */
function decisionIn(words: string, by: Decision['by'], event: EventId, about = ''): Decision {
  const text = cleanLine(words)
  const topic = clip(cleanLine(about), 160)
  const because = reasonAt(text)
  const over = findCues(text).get('instead') ?? -1
  // A reason this early leaves no choice before it.
  const splits = because > 24 && (over < 0 || over < because) && !isOpenBracket(text.slice(0, because))
  const choice = (splits ? text.slice(0, because) : text).replace(/[\s,;:：–—-]+$/, '')
  return {
    ...(topic === '' ? {} : { topic }),
    choice: clip(choice, 300) || clip(text, 300),
    ...(splits ? { rationale: clip(text.slice(because).replace(/^because (?:of )?/i, ''), 200) } : {}),
    alternatives: over > 0 ? alternativeAfter(text.slice(over)) : [],
    by,
    evidence: [event],
  }
}

function isOpenBracket(text: string): boolean {
  return /[(（[][^)）\]]*$/.test(text)
}

/** Position of the reason in a text, or -1: "since the last commit" is a time. */
function reasonAt(text: string): number {
  return findCues(text.replace(sinceWhen, (words) => ' '.repeat(words.length))).get('reason') ?? -1
}

const sinceWhen = /\bsince (?:the )?(?:last|previous|first|start|beginning|then|v?\d|yesterday|commit)\b/gi

/** The text after "instead of", up to the end of the clause. */
function alternativeAfter(rest: string): string[] {
  const because = reasonAt(rest)
  const clause = (because > 0 ? rest.slice(0, because) : rest).replace(insteadOf, '')
  const alternative = clip(clause.split(/[,;()。，]|\.(?:\s|$)/)[0] ?? '', 100)
  return alternative.length < 3 ? [] : [alternative]
}

const insteadOf =
  /^(?:instead of|rather than|in place of|em vez de|en lugar de|en vez de|au lieu de|plutôt que|anstatt|statt|anstelle|invece di|al posto di|вместо|而不是|而非|代わりに|ではなく|대신|instead.*)/i
