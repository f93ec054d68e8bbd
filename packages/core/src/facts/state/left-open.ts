import { cleanLine } from '../../session/clean-text.ts'
import { cutHead } from '../../session/cut-text.ts'
import { largePattern } from '../../session/large-pattern.ts'
import { titlesOfJson } from '../../text/json-texts.ts'
import { lowerCase } from '../../text/lower-case.ts'
import { isAttributed, isQuotedOnly } from '../commands/command-proposals.ts'
import { sentenceTexts } from '../constraints/sentences.ts'
import { listOf, nothing, sectionsOf } from './message-sections.ts'
import { isHedged, isUnfinished, titlesUnfinished } from './unfinished.ts'

/** What a message leaves open, verbatim, one line each, in the order of the text. */
export interface LeftOpen {
  /** The next steps that it names. */
  readonly steps: readonly string[]
  /** True if it states that the work itself is not done: "What remains is the release". */
  readonly remains: boolean
  /** Open decisions. */
  readonly questions: readonly string[]
  /** Sentences about something that is not done, not proven or put off. */
  readonly remarks: readonly string[]
  /** Sentences that may mean this. */
  readonly hedges: readonly string[]
}

type Part = Exclude<keyof LeftOpen, 'remains'>

/** Maximum length of text that is read, from its end, where next steps are. */
const maxText = 40_000
const maxStatement = 300
const maxSentence = 400
const maxSteps = 8
const maxRemarks = 4

/** Reads open work from the sections, labels and sentences of a message. */
export function leftOpen(text: string): LeftOpen {
  const found: Record<Part, string[]> = { steps: [], questions: [], remarks: [], hedges: [] }
  const add = (part: Part, words: string) => {
    const statement = statementOf(words)
    if (statement === '' || saysNone.test(statement) || isRefused(statement)) return
    if (!found[part].includes(statement)) found[part].push(statement)
  }
  const said: string[] = []
  const boxes: string[] = []
  let open: { readonly part: Part; readonly level: number; readonly isEmpty: boolean } | undefined
  for (const title of titlesOfJson(text)) add('remarks', title)
  for (const { title, level, lines } of sectionsOf(text.slice(-maxText), isLabel)) {
    const isBelow = open !== undefined && level > open.level
    const part = partOf(title) ?? (isBelow && open?.isEmpty ? open.part : undefined)
    const { items, end } = part === undefined ? nothing : listOf(lines)
    if (part !== undefined) {
      for (const item of items) add(part, item)
      // A heading such as "Next: Phase 2" without anything below it is the step.
      if (end === 0) add(part, restOf(title))
    }
    open = part === undefined ? undefined : { part, level, isEmpty: end === 0 }
    for (const { text: line, box, isCode } of lines.slice(end)) {
      if (box === 'ticked' || isCode) continue
      const label = labelOf(line)
      if (box === 'open') boxes.push(line)
      else if (label !== undefined) add(label.part, label.rest)
      else
        for (const sentence of sentenceTexts(line)) {
          const inner = labelOf(sentence)
          const lower = plainLower(sentence)
          if (inner !== undefined) add(inner.part, inner.rest)
          else if (lower.length >= maxSentence || isQuestion.test(sentence) || isAttributed(sentence))
            continue
          else if (namesStep().test(lower)) said.push(sentence)
          else if (isUnfinished(lower)) add('remarks', sentence)
          else if (isHedged(lower)) add('hedges', sentence)
        }
    }
  }
  // A list of next steps repeats the boxes above it.
  if (found.steps.length === 0) for (const box of boxes) add('steps', box)
  // A sentence about the next step repeats a list.
  if (found.steps.length === 0) for (const sentence of said) add('steps', sentence)
  return {
    steps: found.steps.filter((step) => !addressesUser.test(step)).slice(0, maxSteps),
    remains: said.some((sentence) => remains.test(plainLower(sentence))),
    questions: found.questions.slice(0, maxSteps),
    remarks: found.remarks.slice(-maxRemarks),
    hedges: found.hedges.slice(-1),
  }
}

/** Whether the agent attributes a command in a statement to somebody else, or refuses to run it. */
function isRefused(statement: string): boolean {
  const at = statement.indexOf('`')
  const end = statement.indexOf('`', at + 1) + 1
  return at < 0 ? isQuotedOnly(statement, '') : isQuotedOnly(statement.slice(0, at), statement.slice(end))
}

const isQuestion = /[?？]["')\]]*$/

/** Returns the part that the items below a heading belong to. */
function partOf(heading: string): Part | undefined {
  const label = plainLower(heading.split(/[.!。](?:\s|$)/).at(-1) ?? heading)
  if (tellsDone.test(label) || isAttributed(label)) return undefined
  if (leavesToDecide().test(label)) return 'questions'
  if (titlesUnfinished(label)) return 'remarks'
  return namesNext().test(label) ? 'steps' : undefined
}

/** Splits `Next step: add the endpoint`. */
function labelOf(body: string): { part: Part; rest: string } | undefined {
  const [, label = '', rest = ''] = /^([^:：]{2,60})[:：]\s*(\S.*)$/.exec(body) ?? []
  if (label === '' || label.split(' ').length > 6) return undefined
  const part = partOfLabel(label)
  return part === undefined ? undefined : { part, rest }
}

/** A label alone is short, and begins with its cue. */
function partOfLabel(label: string): Part | undefined {
  const words = plainLower(label).replace(
    /^(?:the|my|a|still|suggested|recommended|immediate|logical|your) /,
    '',
  )
  if (words.split(' ').length > maxLabelWords || countsResults.test(words)) return undefined
  const part = partOf(words)
  if (part === 'remarks') return part
  const cue = part === 'questions' ? leavesToDecide() : namesNext()
  return part !== undefined && words.search(cue) === 0 ? part : undefined
}

const maxLabelWords = 4

/** "Remaining failures: 3" */
const countsResults = /\b(?:failures?|errors?|warnings?|tests?|tokens?|budget|time|context|release|version)\b/

/** Whether a line is only a label. */
function isLabel(body: string): boolean {
  return body.length <= 40 && partOfLabel(body) !== undefined
}

/** Returns the text in a heading such as `Next: the importer`. */
function restOf(heading: string): string {
  return /^[^:：–—]{2,60}(?:[:：]| [–—-]) *(\S.*)$/.exec(heading)?.[1] ?? ''
}

function statementOf(words: string): string {
  const line = cleanLine(words.replace(/^\[[ xX]\]\s*/, ''))
  if (line.length <= maxStatement) return line
  return `${cutHead(line, maxStatement - 2)} …`
}

function plainLower(text: string): string {
  return lowerCase(text.replaceAll('’', "'"))
    .replace(/^[^\p{L}\p{N}]+/u, '')
    .slice(0, maxSentence)
    .trim()
}

/** A heading or introduction of next steps. */
const namesNext = largePattern(
  /\bnext (?:steps?|actions?|up|tasks?|items?|options?|phases?|moves?|milestones?|sessions?)\b|^next\b(?!\.)|\bnext$|(?:what's|what is|comes) next|\b(?:remaining|what remains|follow[- ]?ups?|to ?dos?|still (?:to do|needed|missing)|left to do|what's left|outstanding|pending|future work|not (?:yet )?(?:done|started))\b|\bi(?:'d| would) (?:\w+ )?(?:change|fix|address|revise|rework)(?: (?:are|is|first|now))?$|próxim|siguientes?(?! )|siguientes? pasos?|pendientes?|falta|prochain|reste|à faire|nächste|noch zu tun|ausstehend|prossim|restante|da fare|следующ|осталось|下一步|接下来|接下來|后续|後續|待办|待辦|剩余|剩餘|未完成|次の|残り|今後|다음|남은/u,
)

/** A heading or introduction of open decisions. */
const leavesToDecide = largePattern(
  /\b(?:still )?(?:open|unresolved|unanswered|outstanding) (?:questions?|points?|issues?|decisions?)\b|^(?:still )?open$|\bquestions? for you\b|\b(?:decisions?|choices?) (?:deferred|needed|pending|to make|for you)\b|\b(?:to be decided|your (?:decision|choice|call))\b|^(?:proposals?|options) (?:to choose from|for you)|\boffene (?:fragen?|punkte)|noch offen|^offen$|zu entscheiden|questions? ouvertes?|à décider|preguntas? abiertas?|por decidir|perguntas? (?:em )?abert[ao]s?|em aberto|a decidir|domand[ae] apert[ae]|da decidere|открыт\S+ вопрос|待确认|待確認|待定|未决|未決|开放问题|開放問題|未解決|미해결/u,
)

const tellsDone =
  /\b(?:continued|completed?|finished|implemented|did|done(?! yet)|added|proceeded|took|resolved|fixed|ignored|considered)\b(?<!not (?:yet )?(?:done|completed?|finished|implemented|resolved|fixed|added))|\b(?:none|no)\b/

const namesStep = largePattern(
  /^(?:(?:the )?(?:logical |sensible |obvious |natural )?next (?:step|thing|up)\b|next,? (?:i|we)(?:'ll| will| can| should)\b|still (?:to do|needed|missing)\b|remaining (?:steps?|tasks?|work|items?)\b|(?:what remains|what's left|(?:the )?(?:only|last) (?:thing|step|part|piece) (?:left|remaining))\b|from here,? (?:i|we)(?:'d| would| should)\b)|\b(?:the )?next (?:\w+ ){0,2}(?:steps?|tasks?|phases?|priority) (?:is|are|would be|will be|could be|should be)\b|\b(?:is|would be|makes) a (?:\w+ )?follow[- ]?up\b|\bwhen(?:ever)? you(?:'re| are) ready\b.*`|^(?:der |die )?nächste[rs]? schritt|^als nächstes|^(?:la )?prochaine étape|^(?:el )?(?:siguiente|próximo) paso|^o próximo passo|^(?:il )?prossimo passo|^следующ\S+ шаг|^(?:下一步|接下来|接下來|次は|次に|다음(?:은|으로| 단계))/u,
)

const remains =
  /^(?:what remains|what's left|(?:the )?(?:only|last) (?:thing|step|part|piece) (?:left|remaining))\b/

/** "None", "No further action is needed". */
const saysNone =
  /^(?:none\b|nothing\b|n\/?a\b|no (?:further|more|other|additional|remaining|open|action|next|follow)|keine?\b|nichts\b|aucune?\b|rien\b|ningun|nada\b|nenhum|nessun|niente\b|нет\b|ничего\b|无(?!法)|無(?!法)|没有|沒有|不需要|なし|特になし|없음)/iu

/** Advice or an offer, which does not hold up the work. */
const addressesUser =
  /^(?:(?:then|now|next|afterwards),? )?(?:you (?:can|could|may|might)\b|if you\b|feel free\b|let me know\b|want me to\b|just (?:say|tell|let)\b|du kannst\b|sie können\b|(?:tu peux|vous pouvez)\b|puedes?\b|você pode\b|puoi\b)|^(?:你|您)(?:可以|也可以)/iu
