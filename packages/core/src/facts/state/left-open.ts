import { cleanLine } from '../../session/clean-text.ts'
import { cutHead } from '../../session/cut-text.ts'
import { largePattern } from '../../session/large-pattern.ts'
import { optionLists } from '../answers/offered-options.ts'
import { isAttributed, isQuotedOnly } from '../commands/quoted-commands.ts'
import { sentenceTexts } from '../constraints/sentences.ts'
import { lowerCase } from '../lower-case.ts'

/** What a message leaves open, in its own words, each on one line and in the order of the text. */
export interface LeftOpen {
  /** What it names as next. */
  readonly steps: readonly string[]
  /** What it leaves to decide. */
  readonly questions: readonly string[]
  /** Sentences by which something is not done, not proven or put off. */
  readonly remarks: readonly string[]
}

type Part = keyof LeftOpen

/** Longest text that is read: what comes next stands at the end. */
const maxText = 40_000
const maxStatement = 300
const maxSteps = 8
const maxRemarks = 4

/** Reads what comes next from the sections, labels and sentences of a message. */
export function leftOpen(text: string): LeftOpen {
  const found: Record<Part, string[]> = { steps: [], questions: [], remarks: [] }
  const said: string[] = []
  // The numbered list that the text may end with.
  let list: string[] = []
  let lead = ''
  const choices = optionLists(text).at(-1) ?? []
  let section: Section | undefined
  let fence = ''
  const add = (part: Part, words: string) => {
    const statement = statementOf(words)
    if (statement === '' || saysNone.test(statement) || isRefused(statement)) return
    if (!found[part].includes(statement)) found[part].push(statement)
  }
  const close = () => {
    // A heading such as "Next: Phase 2" without anything below it is the step.
    if (section !== undefined && !section.filled && section.rest !== '') add(section.part, section.rest)
    section = undefined
  }
  for (const raw of text.slice(-maxText).split('\n')) {
    const line = raw.trim()
    const mark = /^(`{3,}|~{3,})/.exec(line)?.[1] ?? ''
    if (mark !== '' && (fence === '' || line === fence)) {
      fence = fence === '' ? mark : ''
      continue
    }
    if (fence !== '') {
      // A block of commands right below "Next step:".
      if (section?.part === 'steps' && !section.filled && /^(?:\$ )?[\w./-]+ \S/.test(line))
        add('steps', `\`${line.replace(/^\$ /, '')}\``)
      continue
    }
    if (line === '') {
      if (section?.filled) section.ended = true
      continue
    }
    if (/^<\/\w{2,30}>$/.test(line)) close()
    if (/^[>|]|^(?:---|===|<\/)/.test(line)) continue
    const isItem = listMark.test(line)
    const body = plain(line.replace(listMark, ''))
    const heading = headingOf(line, body, isItem)
    if (heading !== undefined) {
      list = []
      lead = heading
      const level = /^#+/.exec(line)?.[0].length ?? 9
      const part = partOf(heading)
      if (part === undefined && section !== undefined && level < 9 && level > section.level) {
        add(section.part, heading)
        section.filled = true
      } else if (part !== undefined || section === undefined || section.filled || level < 9) {
        close()
        if (part !== undefined) section = { part, level, filled: false, rest: restOf(heading), indent: -1 }
      }
      continue
    }
    if (/^\d/.test(line) && isItem) list.push(body)
    else if (list.length > 0 && /^\S/.test(raw)) list = []
    if (!isItem) lead = /[:：]$/.test(body) ? body : ''
    const label = labelOf(body)
    if (label !== undefined) {
      close()
      add(label.part, label.rest)
      continue
    }
    const isTicked = /^(?:\[[xX]\]|✅|✓|✔)/u.test(body)
    if (isItem && /^\[ \]/.test(body)) add('steps', body)
    if (section !== undefined && !(section.ended && !isItem)) {
      const indent = raw.search(/\S/)
      if (section.indent < 0) section.indent = indent
      const isOwn = isItem ? indent <= section.indent : !section.filled && !/[:：]$/.test(body)
      if (isOwn && !isTicked) add(section.part, body)
      section.filled ||= isOwn
      continue
    }
    if (section !== undefined) close()
    if (isTicked) continue
    for (const sentence of sentenceTexts(body)) {
      if (sentence.length > maxSentence || /[?？]["')\]]*$/.test(sentence) || isAttributed(sentence)) continue
      const inner = labelOf(sentence)
      if (inner !== undefined) {
        add(inner.part, inner.rest)
        continue
      }
      const lower = plainLower(sentence)
      if (namesStep().test(lower) && !saysNone.test(sentence)) said.push(sentence)
      else if (isUnfinished(lower)) add('remarks', sentence)
    }
  }
  close()
  if (found.steps.length === 0 && isToDo(list, lead)) for (const item of list) add('steps', item)
  const [first] = choices
  const isOffered = first !== undefined && offersChoice.test(leadOf(text, first.label))
  if (found.questions.length === 0 && isOffered && !chose.test(lowerCase(text)))
    add('questions', choices.map(({ label }) => label).join(' / '))
  // A sentence about the next step says again what a list has.
  if (found.steps.length === 0) for (const sentence of said) add('steps', sentence)
  return {
    steps: found.steps.filter((step) => !addressesUser.test(step)).slice(0, maxSteps),
    questions: found.questions.slice(0, maxSteps),
    remarks: found.remarks.slice(-maxRemarks),
  }
}

/** Whether the agent says of a command in it that it is somebody else's, or that it will not run it. */
function isRefused(statement: string): boolean {
  const at = statement.indexOf('`')
  const end = statement.indexOf('`', at + 1) + 1
  return at < 0 ? isQuotedOnly(statement, '') : isQuotedOnly(statement.slice(0, at), statement.slice(end))
}

/** Whether a list tells what to do, and not what was done or how to use it. */
function isToDo(list: readonly string[], lead: string): boolean {
  return list.length > 1 && list.every((item) => orders.test(item)) && !instructs.test(lead)
}

/** The line above a list that begins with an item. */
function leadOf(text: string, item: string): string {
  const before = text.slice(0, text.indexOf(item)).trimEnd().split('\n').slice(0, -1)
  return plainLower(before.findLast((line) => line.trim() !== '') ?? '')
}

const offersChoice =
  /\b(?:proposals?|options|approaches|alternatives|ways (?:forward|to go)|optionen|vorschläge|propositions?|opciones|propuestas|opções|propostas?|opzioni|proposte)\b|вариант|方案|选项|選項|選択肢|옵션/u
const chose =
  /\b(?:i|we)(?:'ve| have|'ll| will)? (?:chose|chosen|picked|went with|go with|used|took|implemented|decided)\b|\bconsidered\b/

const orders =
  /^(?:`|optional(?:ly)?:? )?(?:add|benchmark|build|bump|check|commit|create|decide|delete|deploy|document|extend|extract|fix|handle|implement|investigate|measure|merge|migrate|move|open|push|rebase|refactor|release|remove|rename|replace|review|run|split|test|update|verify|wire|write)\b/i
const instructs = /\b(?:to (?!do\b)\w+|how|usage|example|steps? (?:to|i)|you|did|done|changes?|summary)\b/i

interface Section {
  readonly part: Part
  readonly level: number
  /** Words of the heading after its label. */
  readonly rest: string
  indent: number
  filled: boolean
  ended?: boolean
}

const maxSentence = 400
const listMark = /^(?:[-*•+]|\d{1,2}[.)])\s+/

/** A heading, a line in bold, a tag, a label alone, or a line that ends in a colon and so leads in what follows. */
function headingOf(line: string, body: string, isItem: boolean): string | undefined {
  const words =
    /^#{1,6}\s+(.+)$/.exec(line)?.[1] ??
    /^\*\*([^*]{2,80})\*\*:?$/.exec(line)?.[1] ??
    /^<(\w{2,30})>$/.exec(line)?.[1]?.replaceAll('_', ' ') ??
    (!isItem && isLabel(body) ? body : undefined) ??
    (isItem || body.length > 120 ? undefined : /^(.+)[:：]$/.exec(body)?.[1])
  if (words === undefined || /[?？]$/.test(words)) return undefined
  return plain(words)
}

/** The part that the items below a heading belong to. */
function partOf(heading: string): Part | undefined {
  const label = plainLower(heading.split(/[.!。](?:\s|$)/).at(-1) ?? heading)
  if (tellsDone.test(label) || isAttributed(label)) return undefined
  if (leavesToDecide().test(label)) return 'questions'
  return namesNext().test(label) ? 'steps' : undefined
}

/** `Next step: add the endpoint` */
function labelOf(body: string): { part: Part; rest: string } | undefined {
  const [, label = '', rest = ''] = /^([^:：]{2,60})[:：]\s*(\S.*)$/.exec(body) ?? []
  if (label === '' || label.split(' ').length > 6) return undefined
  const part = partOfLabel(label)
  return part === undefined ? undefined : { part, rest }
}

function partOfLabel(label: string): Part | undefined {
  const words = plainLower(label)
  return opensQuestion().test(words) ? 'questions' : opensStep().test(words) ? 'steps' : undefined
}

/** A line that is nothing but a label. */
function isLabel(body: string): boolean {
  return body.length <= 40 && partOfLabel(body) !== undefined
}

/** What a heading such as `Next: the importer` names itself. */
function restOf(heading: string): string {
  return /^[^:：–—]{2,60}(?:[:：]| [–—-]) *(\S.*)$/.exec(heading)?.[1] ?? ''
}

function statementOf(words: string): string {
  const line = cleanLine(words.replace(/^\[[ xX]\]\s*/, ''))
  if (line.length <= maxStatement) return line
  const sentences = sentenceTexts(line)
  let whole = ''
  for (const sentence of sentences) {
    if (whole.length + sentence.length + 1 > maxStatement) break
    whole = whole === '' ? sentence : `${whole} ${sentence}`
  }
  return whole === '' ? `${cutHead(line, maxStatement - 2)} …` : whole
}

function plain(text: string): string {
  return text
    .replace(/\*\*|__/g, '')
    .replace(/\[([^\]]{1,200})\]\([^)]{1,400}\)/g, '$1')
    .trim()
}

function plainLower(text: string): string {
  return lowerCase(text.replaceAll('’', "'"))
    .replace(/^[^\p{L}\p{N}]+/u, '')
    .slice(0, maxSentence)
    .trim()
}

/** A label alone, before a colon. */
const opensStep = largePattern(
  /^(?:(?:the |my |a |suggested |recommended |immediate |logical )?(?:next|remaining)(?: (?:steps?|up|actions?|tasks?|work|phases?|items?|session))?|what(?:'s| is) next|still (?:to do|needed|missing)|left to do|to ?dos?|follow[- ]?ups?|nächste[rs]? schritte?|als nächstes|noch zu tun|offene aufgaben|prochaines? étapes?|reste à faire|à faire|siguientes? pasos?|próximos? pasos?|pendientes?|por hacer|próxim[oa]s? (?:passos?|etapas?)|pendências|a fazer|prossim[oi] pass[oi]|da fare|следующ\S+ шаг\S*|дальше|осталось|下一步|接下来|接下來|后续|後續|待办|待辦|剩余|剩餘|次の(?:ステップ|作業)|残り(?:の作業)?|다음(?: 단계)?|남은 작업)$/u,
)

const opensQuestion = largePattern(
  /^(?:(?:still )?open(?: (?:questions?|points?|issues?|decisions?))?|(?:undecided|unresolved)(?: \w+)?|(?:your )?decisions? (?:needed|pending|for you)|to (?:be )?decided?|questions? for you|noch offen|offen|offene (?:fragen?|punkte)|zu entscheiden|questions? ouvertes?|à décider|(?:pregunta|cuestión)(?:es|s)? abiertas?|por decidir|abierto|perguntas? (?:em )?abert[ao]s?|em aberto|a decidir|domand[ae] apert[ae]|da decidere|открыт\S+ вопрос\S*|решить|待确认|待確認|待定|未决|未決|开放问题|開放問題|未決定|未解決|要確認|미결정|확인 필요)$/u,
)

/** A heading or lead-in of what comes next. */
const namesNext = largePattern(
  /\bnext (?:steps?|actions?|up|tasks?|items?|options?|phases?|moves?|milestones?|sessions?)\b|^next\b(?!\.)|\bnext$|(?:what's|what is|comes) next|\b(?:remaining|what remains|follow[- ]?ups?|to ?dos?|still (?:to do|needed|missing)|left to do|what's left|outstanding|pending|future work|not (?:yet )?(?:done|started))\b|próxim|siguientes?(?! )|siguientes? pasos?|pendientes?|falta|prochain|reste|à faire|nächste|noch zu tun|ausstehend|prossim|restante|da fare|следующ|осталось|下一步|接下来|接下來|后续|後續|待办|待辦|剩余|剩餘|未完成|次の|残り|今後|다음|남은/u,
)

/** A heading or lead-in of what is left to decide. */
const leavesToDecide = largePattern(
  /\b(?:still )?(?:open|unresolved|unanswered|outstanding) (?:questions?|points?|issues?|decisions?)\b|^(?:still )?open$|\bquestions? for you\b|\b(?:decisions?|choices?) (?:deferred|needed|pending|to make|for you)\b|\b(?:to be decided|your (?:decision|choice|call))\b|^(?:proposals?|options) (?:to choose from|for you)|offene (?:fragen|punkte)|noch offen|questions ouvertes|preguntas abiertas|perguntas em aberto|domande aperte|открытые вопросы|待确认|待確認|待定|未决|未決|开放问题|開放問題|未解決|미해결/u,
)

const tellsDone =
  /\b(?:continued|completed?|finished|implemented|did|done(?! yet)|added|proceeded|took|resolved|fixed|ignored|considered)\b(?<!not (?:yet )?(?:done|completed?|finished|implemented|resolved|fixed|added))|\b(?:none|no)\b/

/** A sentence that names a step. */
const namesStep = largePattern(
  /^(?:(?:the )?(?:logical |sensible |obvious |natural )?next (?:step|thing|up)\b|next,? (?:i|we)(?:'ll| will| can| should)\b|still (?:to do|needed|missing)\b|remaining (?:steps?|tasks?|work|items?)\b|from here,? (?:i|we)(?:'d| would| should)\b)|\b(?:the )?next (?:\w+ ){0,2}(?:steps?|tasks?|phases?|priority) (?:is|are|would be|will be|could be|should be)\b|\b(?:is|would be|makes) a (?:\w+ )?follow[- ]?up\b|^(?:der |die )?nächste[rs]? schritt|^als nächstes|^(?:la )?prochaine étape|^(?:el )?(?:siguiente|próximo) paso|^o próximo passo|^(?:il )?prossimo passo|^следующ\S+ шаг|^(?:下一步|接下来|接下來|次は|次に|다음(?:은|으로| 단계))/u,
)

/** Something is not done, not proven, or put off. */
const unfinished = largePattern(
  new RegExp(
    [
      /\b(?:not|n't) (?:(?:yet|been|be|fully|all|actually) ){0,2}(?:committed|pushed|merged|deployed|tested|run|verified|published|released|started|begun|finished|wired|migrated|applied|fixed|addressed|reproduced|confirmed|reviewed|done|implemented|resolved|complete)\b/,
      /\b(?:uncommitted|unpushed|unmerged|untested|unverified|unstaged|unresolved|outstanding|deferred)\b/,
      /\b(?:i|we) (?:did not|didn't|have not|haven't|could not|couldn't|was(?: not|n't) able to) (?:yet |actually )?(?!(?:touch|change|modif|edit|use|need|add|see|find|remove|break|alter|rename|introduce)\w*\b)\w+/,
      /\bstill (?:open|needs?|fails?|failing|pending|missing|broken|blocked|(?:has |have )?to be|to do|requires?)\b/,
      /\b(?:remains?|remaining) (?:open|to be|uncommitted|unstaged|broken|failing|blocked)\b|\byet to (?:be|do)\b|\bleft for (?:later|another|the next|tomorrow)\b|\bblocked (?:on|by)\b/,
      /\b(?:push|commit|merge|deploy(?:ment)?|publish|release) (?:has |was )?(?:failed|rejected|refused|blocked)\b/,
      /\b(?:tomorrow|next session|next time)\b.{0,60}\b(?:i|we|you|it)\b|\b(?:pick|come back|come at|continue|resume|finish|look at|tackle)\b.{0,40}\b(?:tomorrow|later|next time|next session|fresh|another day)\b/,
      /\bnoch nicht\b|\bsteht noch aus|\bstehen noch aus|\bbleibt (?:noch )?(?:zu|offen)|\bpas encore\b|\breste(?:nt)? à\b|\b(?:todavía|aún) no\b|\bqueda(?:n)? (?:por|pendiente)|\bainda não\b|\bfalta(?:m)? |\bnon ancora\b|\bresta(?:no)? da\b|\bancora da\b/,
      /(?:ещё|еще|пока) не |осталось |尚未|还没|還沒|未提交|未完成|まだ|未コミット|아직|남아 ?있/,
    ]
      .map(({ source }) => source)
      .join('|'),
    'u',
  ),
)

/** "Evaluation 1 of 2" */
const partDone = /\p{L} (\d{1,3})(?: of |\/| von | de | sur | di | из )(\d{1,3})(?![\d.%])/u

function isUnfinished(lower: string): boolean {
  if (denied.test(lower)) return false
  const [, part, all] = partDone.exec(lower) ?? []
  return unfinished().test(lower) || Number(part) < Number(all)
}

/** There is none of it, or only if. */
const denied =
  /^(?:if|when|once|unless|wenn|falls|si|se|если|如果|もし)\b|\b(?:no|none|nothing|without|zero|keine?[nrs]?|nichts|aucune?|ningun[ao]?|nada|nenhum[a]?|nessun[ao]?|whether|as (?:expected|intended|planned|requested|agreed)|by design|on purpose|intentionally|deliberately)\b|\bno longer\b|нет /

/** "None", "No further action is needed". */
const saysNone =
  /^(?:none\b|nothing\b|n\/?a\b|no (?:further|more|other|additional|remaining|open|action|next|follow)|keine?\b|nichts\b|aucune?\b|rien\b|ningun|nada\b|nenhum|nessun|niente\b|нет\b|ничего\b|无(?!法)|無(?!法)|没有|沒有|不需要|なし|特になし|없음)/iu

/** Advice or an offer, which the work does not wait for. */
const addressesUser =
  /^(?:(?:then|now|next|afterwards),? )?(?:you (?:can|could|may|might)\b|if you\b|feel free\b|let me know\b|want me to\b|just (?:say|tell|let)\b|du kannst\b|sie können\b|(?:tu peux|vous pouvez)\b|puedes?\b|você pode\b|puoi\b)|^(?:你|您)(?:可以|也可以)/iu
