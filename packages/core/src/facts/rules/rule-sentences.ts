import { singleSpaced } from '../../session/clean-text.ts'
import { largePattern } from '../../session/large-pattern.ts'
import { listReader } from '../constraints/sentences.ts'
import { isCommentRule, isStatement } from './comment-rules.ts'
import type { RuleOrigin } from './rule-texts.ts'

const shortest = 12

/** Words that bind in any text. */
const strong = largePattern(
  /\b(?:must(?:n't)?|(?<!almost )never|always|(?<!\b(?:that|which|who|it|they|we|i|users) )(?:do not|don['’]t)|shall|should not|shouldn['’]t|may not|mandatory|required|forbidden|prohibited|not allowed|nothing else|only ever)\b|(?:^|\s)@security\b|^(?:convention|rule|policy|requirement|invariant)s?:\s|必须|必須|不要|禁止|不得|务必|務必|必ず|してはいけ|반드시|금지/i,
)

/** Capitalized words that order something. */
const loud = /\b(?:ONLY|FIRST|BEFORE|WITHOUT|STANDING|EVERY|ANY|STOP)\b/

const weak = largePattern(
  /\b(?:only|should|avoid|ensure|keep|prefer|make sure|instead of|rather than|defaults? to|stay|we use|max(?:imum)?|min(?:imum)?|at (?:most|least))\b|^(?!.*\b(?:is|are)\b).*\b(?:every|all|any|no|before|without)\b|≥|≤/i,
)

const order = largePattern(
  /^(?:\*\*)?(?:use|run|write|add|put|keep|prefer|avoid|follow|make|ensure|create|update|document|test|let|treat|return|read|check|commit|bump|default|preserve|include|log|name|place|resolve|perform|call|report|limit|identify|capture|verify|configure|store|validate|handle|wrap|mark|declare|define|import|export|push|open|link|never|always|do|don['’]t|no)\b/i,
)

/** Gives a reason, or describes something: "This helps ensure …", "`npm test`: runs all tests", "Loads every file". */
const explains =
  /^(?:This|That|It|These|They)\s(?!repo|repository|project|codebase)|^`[^`]{1,80}`:?\s(?:[-–—]\s)?runs?\b|^\p{L}{2,}[^s\W]s\s(?:every|each|any|the|an?)\b/iu

/** The meaning of a name in the code: `**useTodos**: Custom hook managing all todo state`. */
const gloss = /^\**\p{Ll}+\p{Lu}\w*\**:/u

/** Reports an event: the incident behind a rule, a finding of a review. */
const past = /^(?!\W*(?:if|when|whenever|once|unless|before|after)\b).*\b(?:was|were|had)\b/i
const demand =
  /\b(?:must|shall|should|do not|don['’]t|may not|mandatory|forbidden|prohibited|not allowed|MUST|NEVER|ALWAYS)\b/

/** A convention under the name of its subject: `**Commits**: Conventional Commits`. */
const convention =
  /^(?:\*\*)?(?:\p{L}+ )?(?:names?|naming|comments?|commits?|branch(?:es)?|prs?|pull requests?|code|style|styling|format(?:ting)?|imports?|types?|typing|tests?|testing|docs|docstrings?|documentation|errors?|logging|quotes|semicolons|indentation|language|spelling|arguments|dependencies|versions?|changelog|releases?|secrets|security|emoji)(?: \p{L}+)?(?:\*\*:?|:(?:\*\*)?)\s\S|^(?:after|before|when|whenever|if)\b[^:.]{1,60}:\s/iu

/** A command that work must pass, by the comment next to it: `make check # before every commit`. */
const gate = /\s#\s.*\b(?:checks?|ship|CI|commits?|releases?|gate|green)\b/i

/**
 * Returns statements of a text that may bind the work, one line each, without list marks: sentences, with adjacent ones
 * in their paragraph that bind too. Linear time.
 */
export function ruleSentences(text: string, origin: RuleOrigin, inTest = false): string[] {
  const own = text.replace(reminder, '').replace(frontMatter, '')
  const paragraphs =
    origin === 'code' ? commentParagraphs(own, inTest) : proseParagraphs(own, origin !== 'issue')
  return paragraphs.flatMap(joinSentences)
}

/** A sentence of a paragraph, and whether it binds by itself, or only as a part of what does. */
interface Sentence {
  readonly text: string
  readonly binds: boolean
  readonly orders: boolean
}

function joinSentences(sentences: readonly Sentence[]): string[] {
  const rules: string[] = []
  let run: Sentence[] = []
  const close = () => {
    if (run.some(({ binds }) => binds)) rules.push(run.map(({ text }) => text).join(' '))
    run = []
  }
  for (const sentence of sentences) {
    const { text, binds, orders } = sentence
    const isRule = (binds || orders) && isStatement(text)
    const length = run.reduce((sum, each) => sum + each.text.length + 1, text.length)
    if (!isRule || length > longestJoined) close()
    if (isRule) run.push(sentence)
  }
  close()
  return rules.filter(({ length }) => length >= shortest)
}

/** Maximum length of joined statements. Related ones are easier to understand together, but not in a long list. */
const longestJoined = 280

/** Whether a text can be a rule by its form. */
export function isRule(text: string): boolean {
  return text.length >= shortest && isStatement(text)
}

/** Whether a statement binds in any text, and not only in a list of instructions. */
export function isStrong(text: string): boolean {
  return strong().test(text)
}

/** What a harness adds to the output of a tool. */
const reminder = /<system-reminder>[^<]{0,20000}<\/system-reminder>/g

/** Metadata of a file for programs, also with line numbers before it. */
const frontMatter =
  /^(?:[^\S\n]*\d{1,6}[→\t|:])? ?---\n[\s\S]{0,4000}?\n(?:[^\S\n]*\d{1,6}[→\t|:])? ?---[^\S\n]*(?=\n|$)/

const maxText = 200_000
const lineNumber = /^ {0,8}\d{1,6}[→\t|:] ?/
const listMark = /^\s*(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ x]\]\s+)?/i

interface Paragraph {
  text: string
  /**
   * `command`: a line of a code block with a comment. `whole`: a line that binds as it is, below words that work must
   * pass it, or an item of a list that forbids, after the heading of the list.
   */
  readonly form: 'text' | 'item' | 'command' | 'whole'
  /** Only strong words bind below its heading. */
  readonly described: boolean
}

function proseParagraphs(text: string, instructs: boolean): Sentence[][] {
  return paragraphsOf(text, instructs).map(({ text: paragraph, form, described }) => {
    if (form === 'whole') return [{ text: paragraph, binds: true, orders: false }]
    if (form === 'command')
      return [{ text: paragraph, binds: gate.test(paragraph) || strong().test(paragraph), orders: false }]
    return sentencesOf(paragraph).map((sentence) => {
      if (described) return { text: sentence, binds: strong().test(sentence), orders: false }
      const orders = order().test(sentence)
      if (!orders && past.test(sentence) && !demand.test(sentence))
        return { text: sentence, binds: false, orders }
      const isItem = form === 'item'
      const binds =
        strong().test(sentence) ||
        loud.test(sentence) ||
        (instructs &&
          !explains.test(sentence) &&
          !gloss.test(sentence) &&
          (orders || weak().test(sentence) || (isItem && convention.test(sentence)))) ||
        (isItem && orders && weak().test(sentence) && (instructs || !/^no\b/i.test(sentence)))
      return { text: sentence, binds, orders }
    })
  })
}

const heading = /^\s{0,3}(#{1,6})\s+(\S.{0,200})$/
/** `### 2. **Never retry**`: a rule, with its reason below. */
const headedRule = /^(?:\d+[.)]\s*)?(?:\*\*)?(?:Never|Always|Do not|Don['’]t|You must)\s/i

/** An item that forbids by itself, or names the alternative. */
const standsAlone = /^\W*(?:no|not|never|do not|don['’]t|avoid|if|when|instead)\b/i

/** Returns lines of a text, joined if an editor wrapped them, and cells of tables, without headings and code. */
function paragraphsOf(text: string, instructs: boolean): Paragraph[] {
  const paragraphs: Paragraph[] = []
  const headings = headingReach()
  const placeOf = listReader()
  let fenced = false
  let open = false
  const lines = text.slice(0, maxText).split('\n')
  const width = wrapWidth(lines)
  for (const [index, raw] of lines.entries()) {
    const line = raw.replace(lineNumber, '').slice(0, 2000)
    const said = singleSpaced(line.replace(listMark, ''))
    const [, marks, title = ''] = fenced ? [] : (heading.exec(line) ?? [])
    if (marks !== undefined) headings.enter(marks.length, title)
    else if (!fenced && /^\*\*[^*]{1,80}\*\*:?$/.test(line.trim())) headings.enter(7, line)
    const under = fenced ? undefined : placeOf(line, singleSpaced(line)).under
    const reach = headings.reach()
    const described = reach === 'strong'
    if (/^\s*(?:```|~~~)/.test(line)) fenced = !fenced
    else if (reach === 'none') open = false
    else if (marks !== undefined && headedRule.test(title))
      paragraphs.push({ text: title.replace(/^\d+[.)]\s*/, ''), form: 'text', described })
    else if (fenced) {
      // `make check  # before every commit`
      if (instructs && /^\s*[\w./-].{2,200}\s#\s/.test(line))
        paragraphs.push({ text: singleSpaced(line), form: 'command', described })
    } else if (/^\s*\|/.test(line)) {
      for (const cell of said.split(/(?<!\\)\|/))
        if (/\p{L}{2}/u.test(cell) && !isLabel(cell.trim()))
          paragraphs.push({ text: cell.trim(), form: 'text', described })
    } else if (said !== '' && !/^\s*(?:#{1,6}\s|[<>│├└]|[=-]{3,}\s*$)/.test(line)) {
      const last = paragraphs.at(-1)
      const isItem = listMark.test(line)
      const before = (lines[index - 1] ?? '').replace(lineNumber, '').length
      const goesOn = /^[\p{Ll}\d(`]/u.test(said) || before + said.split(' ', 1).join().length >= width
      if (open && last !== undefined && !isItem && goesOn && last.text.length < 2000)
        last.text = `${last.text} ${said}`
      else if (isItem && under !== undefined && !described && !standsAlone.test(said))
        paragraphs.push({ text: `${under}: ${said}`, form: 'whole', described })
      else paragraphs.push({ text: said, form: isItem ? 'item' : 'text', described })
      open = !/[.!?:]$/.test(said)
      continue
    }
    open = false
  }
  return paragraphs
}

/** The width at which an editor wrapped the lines of a text; infinite if none did. */
function wrapWidth(lines: readonly string[]): number {
  const lengths = lines.map((line) => line.replace(lineNumber, '').length).filter((length) => length > 0)
  const width = lengths.sort((a, b) => a - b)[Math.floor(lengths.length * 0.95)] ?? 0
  return lengths.length >= 8 && width >= 60 && width <= 120 ? width : Number.POSITIVE_INFINITY
}

/** Whether a cell of a table is a label with a remark, which binds nothing: `Partial (must be modeled)`. */
function isLabel(cell: string): boolean {
  const [, label] = /^([^().!?]{1,60}) ?\([^()]{1,80}\)$/.exec(cell) ?? []
  return label !== undefined && !order().test(label) && !strong().test(label)
}

/** Splits at the ends of sentences, but not at abbreviations and names in code. */
function sentencesOf(paragraph: string): string[] {
  return paragraph.split(
    /(?<=[^\s.A-Z][^\s.][.!?]["')\]`*]{0,3})\s+(?=["'(`*]{0,3}[\p{Lu}\p{Script=Han}@])|(?<=[。！？])/u,
  )
}

const commentLine = /^\s*(?:\/\/+!?|#(?![!\w])|\*(?![/*])|\/\*\*?|--|;;|"""|<!--)\s?(.*?)\s*(?:\*\/|-->)?$/

const trailingComment = /\S.{0,200}\s(?:\/\/|#)\s+(.{8,300})$/

/** Signs of a line with a comment, which most lines of code lack. */
const commentSign = /\/\/|[#*]|--|;;|"""/

/** Returns paragraphs of comments: consecutive comment lines are one paragraph. */
function commentParagraphs(text: string, inTest: boolean): Sentence[][] {
  const paragraphs: string[] = []
  let open = false
  for (const raw of text.slice(0, maxText).split('\n')) {
    if (!commentSign.test(raw)) {
      open = false
      continue
    }
    const line = raw.replace(lineNumber, '').slice(0, 600)
    const words = commentLine.exec(line)?.[1] ?? (line.startsWith('//') ? '' : undefined)
    if (words === undefined) {
      open = false
      // The second pattern tries every place of the line, and few lines hold such a sign.
      const [, trailing] = (/\s(?:\/\/|#)\s/.test(line) && trailingComment.exec(line)) || []
      if (trailing !== undefined) paragraphs.push(singleSpaced(trailing))
      continue
    }
    const said = singleSpaced(words)
    const last = paragraphs.length - 1
    const goesOn = open && continues(paragraphs[last] ?? '', said)
    open = said !== '' && !/^[-=*#]{3,}$/.test(said)
    if (open && goesOn) paragraphs[last] = `${paragraphs[last]} ${said}`
    else if (open) paragraphs.push(said)
  }
  return paragraphs.map((paragraph) =>
    sentencesOf(paragraph).map((sentence) => ({
      text: sentence,
      binds: isCommentRule(sentence, inTest) && !change.test(sentence),
      orders: false,
    })),
  )
}

/** `Show all issues (removed the toggle)` reports a change. */
const change = /\((?:removed|formerly|previously|was)\b/i

/** Whether a line continues the sentence of the one before; a new sentence after a short line is separate. */
function continues(before: string, line: string): boolean {
  if (before.length > 2000) return false
  return !/^\p{Lu}/u.test(line) || /[.!?,;]$/.test(before) || before.length >= 60
}

/** Whether lines below a heading bind: not at all, only with strong words, or like any others. */
type Reach = 'none' | 'strong' | 'any'

const notRules =
  /^(?:rejected|(?:rejected )?(?:alternatives?|options|approaches)(?: considered| rejected)?|not chosen|examples?(?: (?:of|for|usage|workflow|execution)\b.{0,60})?|usage examples?|sample(?: \w+)?)$/i
const descriptions = largePattern(
  /^(?:(?:key|main|core|current|project|important) )?(?:features?|benefits|advantages|overview|tech(?:nology)? stack|components|checklist|installation|getting started|quick ?start|about|stat(?:e|us)|progress|(?:what )?(?:has )?landed\b.{0,60}|background|motivation|faq|roadmap|non[- ]goals|out of scope|open questions|deferred|future work)(?: (?:&|and) .{1,40}| implemented)?$/i,
)

/** Follows the headings of a text line by line. */
function headingReach() {
  let open: { readonly level: number; readonly reach: Reach }[] = []
  return {
    enter(level: number, title: string): void {
      open = open.filter((heading) => heading.level < level)
      const words = title.replace(/^[^\p{L}]+|[^\p{L}]+$/gu, '')
      const reach = notRules.test(words) ? 'none' : descriptions().test(words) ? 'strong' : 'any'
      open.push({ level, reach })
    },
    reach: (): Reach =>
      (['none', 'strong'] as const).find((kind) => open.some(({ reach }) => reach === kind)) ?? 'any',
  }
}
