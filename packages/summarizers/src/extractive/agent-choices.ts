import type { EventId } from '@tenfold/core/summarizer'
import {
  decisionIn,
  type FoundDecision,
  findChoiceCues,
  longest,
  maxInOneText,
  reasonAt,
  shortest,
} from './choices.ts'
import { type ReadSentences, sentencesOf } from './sentences.ts'

/** Choices in the words of the agent. */
export function choicesOfAgent(
  text: string,
  event: EventId,
  final: boolean,
  read: ReadSentences = sentencesOf,
): FoundDecision[] {
  const chosen = labelledChoices(text, event)
  const said = read(text)
    .filter((sentence) => !sentence.question && saysEnough(sentence.text))
    .flatMap(({ text: words, under }) => {
      const worth = worthOf(words) + (final ? 1 : 0)
      return worth < minWorth + (final ? 0.5 : 0) ||
        isConditional(words) ||
        isTooling(words) ||
        isNarration(words) ||
        reports.test(words) ||
        optionHeading.test(under)
        ? []
        : [{ decision: decisionIn(words, 'agent', event), worth }]
    })
  return [...chosen, ...said].sort((a, b) => b.worth - a.worth).slice(0, maxInOneText)
}

/** Choices that a text states under a label: `**Framework**: LangGraph`. */
function labelledChoices(text: string, event: EventId): FoundDecision[] {
  return text.split('\n').flatMap((line): FoundDecision[] => {
    const isLabelled = line.length <= longest && line.includes('**')
    const [, label, words] = isLabelled ? (labelled.exec(line) ?? []) : []
    if (label === undefined || words === undefined) return []
    return [{ decision: decisionIn(words.replaceAll('**', ''), 'agent', event, label), worth: 3 }]
  })
}

const labelled =
  /^\s*(?:[-*•]|\d{1,2}[.)])?\s*\*\*(decision|framework|language|library|database|storage|architecture|stack|tech(?:nology)? stack|runtime|approach|platform|protocol|format|licen[cs]e|naming|hosting|auth(?:entication)?|testing|styling|build tool|recommendation|决定|框架|语言|語言|数据库|架构|推荐|推薦|Entscheidung|Sprache|decisión|decisão|décision)(?::\*\*|\*\*\s*[:：])\s*(\S.*)$/iu

const minWorth = 2.5

/** How clearly a sentence of an agent states a choice; 0 if it states none. */
function worthOf(words: string): number {
  const cues = findChoiceCues(words)
  const outright = cues.has('choice')
  const over = cues.has('instead') || contrast.test(words)
  const changed = cues.has('change')
  const how =
    (/\bby /i.test(words) && byDoing.test(words)) ||
    (/\bonly /i.test(words) && onlyDoes.test(words)) ||
    (/, so i/i.test(words) && follows.test(words))
  // Most sentences end here: without one of these the rest does not count.
  if (!outright && !over && !changed && !how) return 0
  const meant = cues.has('deliberate')
  const why = reasonAt(words, cues) >= 0
  const named = namesIn(words)
  // A statement about a fault or about other code has no weight.
  if (!outright && observes.test(words) && !firstPerson.test(words)) return 0
  // "Let me take a different approach." names no choice, nor does "But that's a separate PR."
  if (words.length < 50 && named === 0 && !why && !over && announces.test(words)) return 0
  if (words.length < 45 && named === 0 && !why && pointsBack.test(words)) return 0
  const weighs = over && acts(words) && (changed || named > 0)
  if (!outright && !weighs && !how && !(meant && changed) && !(why && changed && named > 0)) return 0
  return (
    (outright ? 2 : 0) +
    (how ? 2 : 0) +
    (over ? 2.5 : 0) +
    (meant ? 1.5 : 0) +
    (why ? 2 : 0) +
    (changed ? 0.5 : 0) +
    Math.min(named, 2) * 0.75
  )
}

const announces = /\b(?:different|better|simpler|cleaner|another) (?:approach|way)\W*$/i
/** About what the reader of a list does not see. */
const pointsBack =
  /^(?:(?:but|and|so|now|then|actually)[,]? )*(?:(?:this|that|it|these|those)\b|i(?:['’]m| am) making\b)/i
const firstPerson = /\b(?:i['’]?ll|i['’]m|i['’]ve|let me|let['’]s|we['’]ll|we should|the fix)\b/i
const observes =
  /\b(?:fail(?:s|ed|ing|ure)?|bug|symptom|wrong(?:ly)?|incorrect(?:ly)?|the (?:issue|problem|error|cause)|root cause|currently|i (?:see|notice|found)|it (?:looks|appears|seems)|appears to|seems to|interestingly|key insight|does(?:n['’]t| not) have)\b/i

/** Who or what acts: the speaker, a rule, or a past tense that opens a line of a report. Other languages pass. */
function acts(words: string): boolean {
  return actor.test(words) || reportedAct.test(words.replace(reportOpening, ''))
}

const actor =
  /\b(?:i|i['’]ll|i['’]m|i['’]ve|we|we['’]ll|let me|let['’]s|should|must|needs? to|will|fix)\b|[^\u0000-\u024f]{4}/i
const reportOpening = /^\W*(?:now |so |then |also |instead,? |it )?/i
const reportedAct =
  /^(?:use[sd]?|using|fixed|changed?|updated?|adds?|added|switch\w*|replac\w*|mov(?:es?|ed|ing)|remov\w*|simplif\w*|keeps?|kept|keeping|renam\w*|extract\w*|refactor\w*|merg\w*|drop\w*|convert\w*|makes?|made|implement\w*|built|skip\w*|rewr\w*|iterate|tag|store[sd]?|put|read[s]?|single|one|return[s]?|call[s]?|pass(?:es)?)\b/i

/** "on the line, not the signature". */
const contrast = /, (?:and |but )?not (?:the|on|in|at|by|as|from|with|per)\b/i

/** "fix it by removing the import" */
const byDoing =
  /\b(?:i'll|i’ll|let me|i'm|i’m|i've|i’ve|fixed|solved|resolved?|handled?)\b.{3,160}\bby (?!default\b)\w{3,}ing\b/i
const onlyDoes =
  /\b(?:i(?:'|’)?ll|i'm|we(?:'|’)?ll|i|we) (?:will )?only (?!have|had|see|saw|know|need|found|get)\w+/i

/** "The label is only used there, so I'm replacing it." */
const follows =
  /.{24}, so i(?:['’]ll| will|['’]m)(?: going to)? (?:just |only |also )?(?:keep|leav|replac|convert|mak|add|remov|mov|switch|renam|us|drop|split|open|skip|merg|put|treat|bundl|updat|turn|tighten)\w*/i

/** Names in backticks, paths, flags, versions, identifiers: what makes a statement exact. */
function namesIn(words: string): number {
  return (
    words.match(
      /`[^`\n]{1,100}`|(?<![\w/])[\w.-]*\/[\w./-]+|(?<!\w)--?[a-z][\w-]+|\b[a-z]+[A-Z]\w+|\b\w+_\w+|\b\w+\.\w{2,}\b|\bv?\d+\.\d+/g,
    ) ?? []
  ).length
}

/** A possibility is not a decision. */
function isConditional(words: string): boolean {
  return conditional.test(words)
}

const conditional =
  /^(?:if|when(?:ever)?|unless|option|alternatively|should (?:you|we|i)|do you|would you|you (?:can|could|may|might)|we (?:could|might|can)|wenn|falls|si|se|如果|要是|もし|если)\b|\b(?:if you(?:'d)? (?:want|like|prefer)|let me know|could (?:also|instead|be)|might (?:be|want)|would (?:be|need|have|require)|you(?:'d| would| can| could) )\b|如果|需要我/i

/** A line that a label makes something else: a fault with its weight ("Low: …"), or what came of the work. */
const reports =
  /^\W*(?:(?:low|medium|high|critical|minor|major|nit|p[0-4])\b\W*[:\])—–-]|(?:expected )?outcome\W*:)/i

/** What the agent does next or meanwhile, with no other way named, and what it says of what is there. */
function isNarration(words: string): boolean {
  const plain = words.replaceAll('’', "'")
  return meanwhile.test(plain) || remarks.test(plain) || (nextStep.test(plain) && !namesOtherWay.test(plain))
}

const meanwhile =
  /^while\b.*\bi(?:'m| am|'ll)\b|^(?:\W|now |so |then )*i(?:'ll| will|'m| am) (?:now |just |still )*(?:keep |going to (?:keep )?)?(?:wait|poll|monitor|hold|watch|stay|sit)\w*\b/i
const remarks =
  /^\W*(?:✅|❌|⚠|🔍)|^(?:i bet|it is true|it's true|one (?:actionable )?observation|interesting|this (?:won't|will not|means)|that(?:'s| is) (?:now|what|why)|the (?:main|next|remaining|last|only) (?:file|one|issue|problem|step)|both|everything|all (?:of|tests)|it also|you can now|passing|nothing to|any caller|callers|we're in|you're|so when|so only|since both|note|merged|after that|the (?:false|old|combined|fallback))\b|^\W*\d+\W+[⚠✅❌]|\bi(?:'ll| will|'m| am) now\b|\b(?:breaks|failed with|won't see|is private)\b/i
const nextStep =
  /^(?:(?:now|ok(?:ay)?|good|great|perfect|right|first|next|then|so|and|but|finally)[,.:]?\s+)*(?:(?:let me|i'll|i will|i need to|i also need to|i should|i have to|let's)\s+(?:(?:now|also|first|just|quickly|try to|then|next|still)\s+)*(?:take|do|try|focus|provide|build|create|write|implement|add|clean|restore|finish|complete|prepare|set up|wire|draft|help|apply|make|install|kick|remove|delete|simplify|perform|handle|identify|resolve the (?:import|type|lint|build)\w*)|(?:i'm|i am) (?:(?:now|also|just|going to)\s+)*(?:creat|writ|implement|build|add|clean|restor|finish|fix|re-?read|wrap|updat|adjust|apply|prepar|wir|set|install|do)\w*)\b/i
const namesOtherWay =
  /\b(?:instead of|rather than|in place of|over the|not (?:the|a|an|in|on|by)|without|only|keep(?:ing)?|separate|deliberate\w*|intentional\w*|option|(?:in|using|by using|with) (?:a |the )?(?:next\.js|typescript|react|[A-Z][\w.]+))\b/i

/** How the agent explores is not a decision: "Let me use the Read tool instead". */
function isTooling(words: string): boolean {
  const plain = words.replaceAll('’', "'")
  if (nowDoing.test(plain) && exploring.test(plain.replace(nowDoing, ''))) return true
  return [lookingFirst, lookingOn, withTools, withCommand].some((pattern) => pattern.test(plain))
}

// Several patterns, the first in two steps: one pattern for all takes longer to compile than the others of this folder.
const nowDoing =
  /^\W*(?:now |so |first,? |second,? |next |then |after that )?(?:i'?m|i am|i'?ll|we're) (?:now |also |just )?/i
const exploring =
  /^(?:re-?run(?:ning)?|re-?stag(?:e|ing)|staging|committing|compiling|validating|sending|handing|patching|marking|bringing|starting (?:by|with|from)|beginning (?:by|with)|cutting|finali[sz]ing|polling|re-?trying|resuming|stopping|using the (?:next|new)|(?:taking|tackling|picking|moving to|pair(?:ing)?) (?:up )?(?:the|that) (?:next|with)|switching to an? (?:better |simpler )?next|reading|locating|finishing|checking|running|looking|inspecting|verifying|searching|preparing|waiting|loading|tracing|collecting|gathering|reviewing|comparing|pulling|getting|doing|going to (?:read|check|look|run|inspect|verify))\b/i

const lookingFirst =
  /^(?:(?:now|ok(?:ay)?|good|great|perfect|right|first|next|then|so|and)[,.:]?\s+)*(?:let me|i'?ll|i need to|i'?m going to|i should|i will|let's|now)\s+(?:(?:now|also|first|just|quickly|try to|use \S+ to)\s+)*(?:check|look|see|read|view|verify|examine|inspect|explore|find|search|grep|understand|continue|start|begin|gather|get|fetch|review|investigate|confirm|run|test|trace|analy[sz]e|figure|open|list|show|update|create a todo|mark|commit|push|load|invoke|ask|wait|summari[sz]e|re-?run|re-?stage|stage|re-?try|validate|compile)\b/i
const lookingOn =
  /^(?:then )?continu(?:ing|ed)\b.{0,30}\b(?:with|step|clean-?up|pass)\b|, let me (?:check|look|see|read|verify|find|search|run)\b|, so i'?m (?:checking|reading|looking|running|inspecting|re-\w+ing)\b|^i'?ll use (?:the )?(?:`[^`]{1,80}`|\w+_\w+)(?: tool)? to (?:create|peel|view|read|open|list|find|search|write|edit)\b|\b(?:use|using|invoke|load|switching to) (?:the )?[`\w:-]+ (?:skill|guidance|workflow)\b|^using `?[\w:-]+`? (?:because|for|to|here|so|as|skill)\b/i
const withTools =
  /\b(?:use|using|with|try|via) (?:the |a |an )?(?:`?(?:read|edit|write|bash|grep|glob|task|search|todo\w*|fetch|shell|browser)`? )?(?:tools?\b|grep|rg|sed|cat|awk|find|read|glob|bash|skill|subagents?|agent|task tool|todo(?:write)?|context7|web ?search)\b/i

const withCommand = /\b(?:use|using|try) (?:the |a |an )?`[^`\n]{1,60}` command\b/i

const optionHeading =
  /\b(?:options?|alternatives?|approach(?:es)? considered|tradeoffs?|trade-offs?|pros|cons|questions?)\b|选项|方案|选择一/i

function saysEnough(words: string): boolean {
  return words.length >= shortest(words) && words.length <= longest
}
