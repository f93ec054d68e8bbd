import type { Decision, EventId } from '@tenfold/core/summarizer'
import { cleanLine } from '@tenfold/core/summarizer'
import { choiceCues } from './choice-cues.ts'
import { cueAt, hasCue } from './cues.ts'
import { clip, sentencesOf } from './sentences.ts'
import { steerCues } from './steer-cues.ts'

/** A decision found in the log's words, and how much it says: what says little is dropped first. */
export interface FoundDecision {
  readonly decision: Decision
  readonly worth: number
}

const longest = 400

/** Longest user text that steers: a longer one is a task or a paste, in which only explicit choices count. */
const maxSteeringLength = 1200

/** Choices in the words of the agent. */
export function choicesOfAgent(text: string, event: EventId, final: boolean): FoundDecision[] {
  const chosen = labelledChoices(text, event)
  const said = sentencesOf(text)
    .filter((sentence) => !sentence.question && saysEnough(sentence.text))
    .filter(
      ({ text: words, under }) => !isConditional(words) && !isTooling(words) && !optionHeading.test(under),
    )
    .flatMap((sentence) => {
      const worth = worthOf(sentence.text) + (final ? 1 : 0)
      return worth < minWorth + (final ? 0.5 : 0)
        ? []
        : [{ decision: decisionIn(sentence.text, 'agent', event), worth }]
    })
  return [...chosen, ...said].sort((a, b) => b.worth - a.worth).slice(0, maxInOneText)
}

/** Choices that a text states under a label: `**Framework**: LangGraph`. */
function labelledChoices(text: string, event: EventId): FoundDecision[] {
  return text.split('\n').flatMap((line): FoundDecision[] => {
    const [, label, words] = line.length > longest ? [] : (labelled.exec(line) ?? [])
    if (label === undefined || words === undefined) return []
    return [{ decision: decisionIn(words.replaceAll('**', ''), 'agent', event, label), worth: 3 }]
  })
}

const labelled =
  /^\s*(?:[-*•]|\d{1,2}[.)])?\s*\*\*(decision|framework|language|library|database|storage|architecture|stack|tech(?:nology)? stack|runtime|approach|platform|protocol|format|licen[cs]e|naming|hosting|auth(?:entication)?|testing|styling|build tool|recommendation|决定|框架|语言|語言|数据库|架构|推荐|推薦|Entscheidung|Sprache|decisión|decisão|décision)(?::\*\*|\*\*\s*[:：])\s*(\S.*)$/iu

/**
 * Choices in the words of the user; `task` is set for the text that begins the work, `question` is what a short text
 * replies to.
 */
export function choicesOfUser(
  text: string,
  event: EventId,
  task: boolean,
  question: string,
): FoundDecision[] {
  // What a compaction is asked to keep is about its summary.
  if (/^\/compact\b/.test(text)) return []
  const sentences = isReport(text) ? [] : sentencesOf(text.replace(/^\/[\w:-]+\s+(?=\S)/, ''))
  const steering = !task && text.length <= maxSteeringLength
  return sentences
    .filter((sentence) => sentence.text.length <= longest && sentence.text.length >= shortest(sentence.text))
    .flatMap((sentence) => {
      const words = sentence.text
      // Escapes occur in pasted output.
      if (words.includes('\\n') || (sentence.question && !suggestion.test(words))) return []
      if (weighing.test(words) && !directs.test(words)) return []
      const over =
        hasCue(words, choiceCues.instead) || /\b(?:use|want|do|with) [\w@./-]{1,40},? not\b/i.test(words)
      const outright = over || hasCue(words, choiceCues.choice) || namesMeans(words) || corrects.test(words)
      const steers =
        suggestion.test(words) || ((hasCue(words, steerCues) || directs.test(words)) && !isGoingOn(words))
      if (!outright && !(steering && steers)) return []
      return [
        {
          decision: decisionIn(words, 'user', event, question),
          worth: 6 + (outright ? 2 : 0) + (sentence.question ? -2 : 0),
        },
      ]
    })
    .slice(0, task ? maxInTask : maxInOneText)
}

/** Whether a message is a list of paragraphs, such as a review that the user hands on: what one steers with is short. */
function isReport(text: string): boolean {
  const items = text.split(/\n[^\S\n]*(?=(?:\d{1,2}[.)]|[-*•])\s)/).filter((item) => listed.test(item))
  const length = items.reduce((sum, item) => sum + item.length, 0)
  return items.length >= 2 && length / items.length >= minReportItem && length >= text.length / 2
}

const listed = /^\s*(?:\d{1,2}[.)]|[-*•])\s/

/** Mean characters of an item in a report. */
const minReportItem = 240

const minWorth = 2.5
const maxInOneText = 4
const maxInTask = 3

/** Weighs what would follow: "If the intent is to part them, a type would be better." */
const weighing = /^if\b.*\b(?:is|are|was|were|would|could|might|may)\b/i

/** Says how, not only what: `create the app in Rust`, `build it with Next.js`. */
function namesMeans(words: string): boolean {
  return means.test(words)
}

const means =
  /\b(?:[Cc]reate|[Bb]uild|[Ww]rite|[Ii]mplement|[Mm]ake|[Rr]ewrite|[Pp]ort|[Mm]igrate|[Cc]onvert|[Dd]evelop|[Ss]et up|[Dd]o)\b.{0,80}\b(?:in|by|with|using|on|via|to|on top of)\s+(?:the\s+)?(?:[A-Z][\w+#.-]*[\w+#]|[\w-]+\.(?:js|io|py|rs)\b|[a-z]+(?:-[a-z]+)+@?[\d.]*)/

/** Says how in the imperative: `keep per-call construction`, `and then remove the icons`. */
const directs =
  /(?:^|[,;:.]\s+|\b(?:and|then|please|also|just|you|we|to)\s+)(?:use|keep|rename|remove|delete|drop|combine|split|separate|merge|rebase|squash|skip|leave|move|replace|switch|prefer|mention|revert|undo|avoid|stick)\b|\bfirst(?:$|[.,!;])|\bwithout\b/i

/** A user's correction begins with it. */
const corrects =
  /^(?:no|nope|nah|wait|oh wait|actually|stop|hmm no|não|nein|non|нет)[,.!:\s-]+\S.{8,}|^(?:不對|不对|不是|等等|违う|違う|아니)/iu

const suggestion =
  /\b(?:instead|rather|i think|shouldn'?t|should we|why not|can we (?:use|keep|make|do|have|not)|could we|looks like we|we might want|maybe (?:we|use)|what about|how about)\b|吧[?？]?$|不用|要不要|ほうが/i

/** A word to continue the work decides nothing, nor does what the user has to do elsewhere. */
function isGoingOn(words: string): boolean {
  return words.length < 60 && (goingOn.test(words) || leaving.test(words))
}

const leaving =
  /^i(?: have to|(?:['’]ve)? got to| must| need to| should)\s+(?:leave|go|run|stop|sleep|head|catch|step)\b/i

const goingOn =
  /^(?:(?:ok(?:ay)?|yes|great|good|nice|cool|thanks|perfect|now|please|can you|could you|and|let'?s|lets|go ahead and)[,.!]?\s+)*(?:continue|proceed|go on|go ahead|keep going|carry on|commit|push|run|test|try|implement (?:it|this|that)|write the plan|check|look|see|start|begin|do (?:it|that|this)|fix (?:it|that|this|them)|next|review|explain|show|tell|read|open)\b(?!.*\b(?:only|not|without|instead|first|both|separate)\b)/i

/** How clearly a sentence of an agent states a choice; 0 if it states none. */
function worthOf(words: string): number {
  const outright = hasCue(words, choiceCues.choice)
  const over = hasCue(words, choiceCues.instead) || contrast.test(words)
  const meant = hasCue(words, choiceCues.deliberate)
  const changed = hasCue(words, choiceCues.change)
  const why = reasonAt(words) >= 0
  const named = namesIn(words)
  const how = byDoing.test(words) || onlyDoes.test(words)
  // A statement about a fault or about other code has no weight.
  if (!outright && observes.test(words) && !firstPerson.test(words)) return 0
  // "Let me take a different approach." names no choice.
  if (words.length < 50 && named === 0 && !why && !over && announces.test(words)) return 0
  const weighs = over && acts.test(words) && (changed || named > 0)
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
const firstPerson = /\b(?:i['’]?ll|i['’]m|i['’]ve|let me|let['’]s|we['’]ll|we should|the fix)\b/i
const observes =
  /\b(?:fail(?:s|ed|ing|ure)?|bug|symptom|wrong(?:ly)?|incorrect(?:ly)?|the (?:issue|problem|error|cause)|root cause|currently|i (?:see|notice|found)|it (?:looks|appears|seems)|appears to|seems to|interestingly|key insight|does(?:n['’]t| not) have)\b/i

/** Who or what acts: the speaker, a rule, or a past tense that opens a line of a report. Other languages pass. */
const acts =
  /\b(?:i|i['’]ll|i['’]m|i['’]ve|we|we['’]ll|let me|let['’]s|should|must|needs? to|will|fix)\b|^\W*(?:now |so |then |also |instead,? |it )?(?:use[sd]?|using|fixed|changed?|updated?|adds?|added|switch\w*|replac\w*|mov(?:es?|ed|ing)|remov\w*|simplif\w*|keeps?|kept|keeping|renam\w*|extract\w*|refactor\w*|merg\w*|drop\w*|convert\w*|makes?|made|implement\w*|built|skip\w*|rewr\w*|iterate|tag|store[sd]?|put|read[s]?|single|one|return[s]?|call[s]?|pass(?:es)?)\b|[^\u0000-\u024f]{4}/i

/** "on the line, not the signature". */
const contrast = /, (?:and |but )?not (?:the|on|in|at|by|as|from|with|per)\b/i

/** "fix it by removing the import" */
const byDoing =
  /\b(?:i'll|i’ll|let me|i'm|i’m|i've|i’ve|fixed|solved|resolved?|handled?)\b.{3,160}\bby (?!default\b)\w{3,}ing\b/i
const onlyDoes =
  /\b(?:i(?:'|’)?ll|i'm|we(?:'|’)?ll|i|we) (?:will )?only (?!have|had|see|saw|know|need|found|get)\w+/i

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

/** How the agent explores is not a decision: "Let me use the Read tool instead". */
function isTooling(words: string): boolean {
  return tooling.test(words.replaceAll('’', "'"))
}

const tooling =
  /^(?:(?:now|ok(?:ay)?|good|great|perfect|right|first|next|then|so|and)[,.:]?\s+)*(?:let me|i'?ll|i need to|i'?m going to|i should|i will|let's|now)\s+(?:(?:now|also|first|just|quickly|try to|use \S+ to)\s+)*(?:check|look|see|read|view|verify|examine|inspect|explore|find|search|grep|understand|continue|start|begin|gather|get|fetch|review|investigate|confirm|run|test|trace|analy[sz]e|figure|open|list|show|update|create a todo|mark|commit|push|load|invoke|ask|wait|summari[sz]e)\b|^continuing with\b|^\W*(?:now |so |first |next |then )?(?:i'?m|i am|we're) (?:now |also |just )?(?:reading|locating|finishing|checking|running|looking|inspecting|verifying|searching|preparing|waiting|loading|tracing|collecting|gathering|reviewing|comparing|pulling|getting|doing|going to (?:read|check|look|run|inspect|verify))\b|, so i'?m (?:checking|reading|looking|running|inspecting)\b|\b(?:use|using|invoke|load) (?:the )?[`\w:-]+ skill\b|^using `?[\w:-]+`? (?:because|for|to|here|so|as|skill)\b|\b(?:use|using|with|try|via) (?:the |a |an )?(?:`?(?:read|edit|write|bash|grep|glob|task|search|todo\w*|fetch|shell|browser)`? )?(?:tools?\b|grep|rg|sed|cat|awk|find|read|glob|bash|skill|subagents?|agent|task tool|todo(?:write)?|context7|web ?search)\b/i

const optionHeading =
  /\b(?:options?|alternatives?|approach(?:es)? considered|tradeoffs?|trade-offs?|pros|cons|questions?)\b|选项|方案|选择一/i

function saysEnough(words: string): boolean {
  return words.length >= shortest(words) && words.length <= longest
}

/** Characters of the shortest sentence that says something; scripts without spaces need fewer. */
function shortest(words: string): number {
  return /[\u2e80-\uffdc]/.test(words) ? 6 : 12
}

/**
 * A sentence as a decision: the text after its reason's cue is the rationale, after "instead of" the rejected
 * alternative.
 */
export function decisionIn(words: string, by: Decision['by'], event: EventId, about = ''): Decision {
  const text = cleanLine(words)
  const topic = clip(cleanLine(about), 160)
  const because = reasonAt(text)
  const over = cueAt(text, choiceCues.instead)
  // A reason this early leaves no choice before it.
  const splits = because > 24 && (over < 0 || over < because)
  const choice = (splits ? text.slice(0, because) : text).replace(/[\s,;:：–—-]+$/, '')
  return {
    ...(topic === '' ? {} : { topic }),
    choice: clip(choice, 300) || clip(text, 300),
    ...(splits ? { rationale: clip(text.slice(because), 200) } : {}),
    alternatives: over > 0 ? alternativeAfter(text, over) : [],
    by,
    evidence: [event],
  }
}

/** Position of the reason in a text, or -1: "since the last commit" is a time. */
export function reasonAt(text: string): number {
  return cueAt(
    text.replace(sinceWhen, (words) => ' '.repeat(words.length)),
    choiceCues.reason,
  )
}

const sinceWhen = /\bsince (?:the )?(?:last|previous|first|start|beginning|then|v?\d|yesterday|commit)\b/gi

/** The text after "instead of", up to the end of the clause. */
function alternativeAfter(text: string, at: number): string[] {
  const rest = text.slice(at)
  const cue = choiceCues.instead.find((candidate) => rest.toLowerCase().startsWith(candidate)) ?? ''
  if (cue === 'instead') return []
  const because = reasonAt(rest)
  const clause = (because > 0 ? rest.slice(0, because) : rest).slice(cue.length)
  const alternative = clip(clause.split(/[,;()。，]|\.(?:\s|$)/)[0] ?? '', 100)
  return alternative.length < 3 ? [] : [alternative]
}
