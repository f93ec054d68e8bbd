import { largePattern } from '../../session/large-pattern.ts'
import { splitPasted } from '../pasted.ts'
import { isBindingHeading } from './binding/classify-sentence.ts'

/** Elements whose content is a document that the user hands over, not the user's own words. */
const documentTag = largePattern(
  /^\s*<(issue(?:_description)?|description|problem_statement|document|documents|file|files|uploaded_files|log|logs|output|error|errors|context|example|examples|transcript|diff|code|data|email|content|quote|history|comment|comments|bug|bug_report|report|stack|stack_?trace|pr|pull_request|review|response|summary|article|page|search_results?)(?:\s[^<>]{0,200})?>\s*$/i,
)

/** A line that introduces somebody else's words. */
const leadIn = largePattern(
  /(?:\b(?:feedback|reviews?|reviewer|comments?|errors?|output|logs?|trace|stack ?trace|message|e-?mail|issue(?: text| description)?|ticket|report|transcript|says|said|wrote|replied|answered|findings|warnings?|(?:explain|clarify|investigate|review)(?: (?:me )?this(?: line| comment| part)?)?|quote|description|getting|got|result|chat|conversation|response|agent)\b[^:]{0,40}|(?:反馈|反饋|评论|評論|报错|報錯|错误|錯誤|日志|日誌|输出|輸出|审查意见|レビュー|コメント|エラー|ログ|出力|피드백|리뷰|댓글|에러|로그)[^:：]{0,12})[:：]\s*$/i,
)

/** A line above the steps that reproduce a fault, and those below them. */
const reproduces =
  /^.{0,60}(?<!\p{L})(?:reproduc\p{L}*|repro|reproduzieren|reproduire|riprodurre|воспроизв\p{L}*)(?: (?!with|using|but|rules|constraints)\S+){0,3}\W*$|^.{0,20}(?:再現|复现|重现|재현).{0,8}$/iu
const expects = /^\W*(?:expected|erwartet|attendu|esperado|期待)[^.]{0,20}[:：]/iu
const actual = /^\W*(?:actual|observed|instead|tatsächlich|obtenu|obtenido|実際|实际)[^.]{0,20}[:：]/iu

/** The same within a line with a long text after the colon. */
const leadInWithin = largePattern(
  /^.{0,80}\b(?:feedback|review(?:er)?(?: feedback| comments?)?|says|said|wrote|finding|comment|warnings?|errors?|exception|console|(?:explain|clarify|review) (?:me )?this)\b[^:.]{0,30}:\s+\S/i,
)

/** Minimum characters after such a colon, on its line and below. */
const minBehind = 120

/** A chapter of a document that was handed over. */
const documentHeading =
  /^#{1,4}\s+(?:problem statement|issue|bug(?: report)?|description|background|error|logs?|stack ?trace|steps to reproduce|expected behaviou?r|actual behaviou?r)\s*:?$|^(?:ISSUE|PROBLEM|BUG REPORT|DESCRIPTION)\s*:\s*$/i

/** Ends a document: a line such as `INSTRUCTIONS:` or `IMPORTANT: …`. */
const ownChapter =
  /^(?:#{1,4}\s+\S|(?:INSTRUCTIONS?|IMPORTANT(?: TIPS)?|TASK|YOUR TASK|RULES|CONSTRAINTS|REQUIREMENTS|NOTES?)\b.{0,40}:)/

/** The style of a reviewer, a program or a chat, not of a user who requests work. */
const reviewMarks = largePattern(
  /^\s*(?:[-*•\d.)\s]{0,8}\**(?:critical|high|medium|low|nit|nitpick|minor|major|blocker|severity|security|performance)\b[^:.]{0,40}:|(?:low|medium|high|critical) severity\b|in \S{1,200} (?:around|at|on) lines? \d+|(?:new )?(?:review )?findings\b|issues \/ concerns|.{0,400}\bconsider (?:whether|\w+ing)\b|(?:✅|🔍|⚠|❌|🚨|🐛)|.{0,60}\[\d{1,2}:\d\d ?(?:[AP]M)?\])/iu,
)

const places = largePattern(/\b[\w-]+\.\w{1,5}:\d+|\blines? \d+/i)

/** Words that address somebody, or refer to the speaker. */
const addresses = largePattern(
  /\b(?:i|me|my|we|us|our|you|your|let['’]?s|please|ich|wir|du|bitte|je|nous|vous|por favor|yo|eu)\b|[\u2e80-\uffdc]{2}/i,
)

/** Beginning of a task for an agent. */
const givesTask =
  /^\s*(?:#{1,4} .{0,200})?(?:\byou (?:are|will|must|own|have)\b|.{0,40}\byour (?:task|job|role)\b)/i

const screenLine = /^\s*(?:[❯➜⏺⎿│├└╭╰▕✓✔✗✘●○»]|>>>|PS [A-Z]:|[\w.-]+@[\w.-]+[:~])/u

/** A request of the user about the text above. */
const asksAbout = largePattern(
  /\b(?:explain|review|check|thoughts|discuss|investigate|look (?:at|into)|agree|understand|address|apply|fix|implement|summari[sz]e|opinion|what (?:do you|does|is|about)|why|can (?:you|we)|should we|could (?:you|we)|do (?:this|it|that))\b|[?？]\s*$/i,
)

/** Minimum length of a text that a last paragraph can be about; a few words are the user's own. */
const minQuoted = 250

/**
 * Finds the positions of lines with somebody else's words in a message: between tags of a document, after a line that
 * introduces them, in the style of a review, or above a last line that asks about them.
 */
export function quotedLines(lines: readonly string[]): ReadonlySet<number> {
  const quoted = new Set<number>()
  const mark = (from: number, to: number) => {
    for (let at = from; at < to; at++) quoted.add(at)
  }
  const blocks = blocksOf(lines)
  const last = blocks.at(-1)
  const length = (from: number, to: number) =>
    lines.slice(from, to).reduce((sum, line) => sum + line.length, 0)
  // Start of the user's own last words, if they ask about the text above.
  const asked =
    last !== undefined &&
    blocks.length > 1 &&
    last.to - last.from <= 2 &&
    length(last.from, last.to) <= 200 &&
    asksAbout().test(lines.slice(last.from, last.to).join(' '))
      ? last.from
      : lines.length

  let tag: { readonly name: string; readonly from: number } | undefined
  let chapter = false
  for (const [at, raw] of lines.entries()) {
    const line = raw.slice(0, 600)
    if (tag !== undefined) {
      if (line.trim().toLowerCase() === `</${tag.name}>`) {
        mark(tag.from, at + 1)
        tag = undefined
      }
      continue
    }
    const name = documentTag().exec(line)?.[1]
    if (name !== undefined) {
      tag = { name: name.toLowerCase(), from: at }
      continue
    }
    if (documentHeading.test(line.trim())) chapter = true
    else if (chapter && ownChapter.test(line.trim())) chapter = false
    if (chapter || screenLine.test(line)) quoted.add(at)
  }

  const reportsBug = lines.some((line) => actual.test(line))
  for (const [at, line] of lines.entries()) {
    const next = lines.slice(at + 1, at + 3).find((each) => each.trim() !== '')
    if (listItem.test(next ?? '') && reproduces.test(line)) mark(at + 1, endOfQuote(lines, at + 1))
    if (reportsBug && expects.test(line))
      for (let back = at - 1; /^\s*(?:\d{1,2}[.)]\s.*)?$/.test(lines[back] ?? '-'); back--) quoted.add(back)
  }
  const leads = lines.findIndex((line, at) => !quoted.has(at) && line.length < 200 && leadIn().test(line))
  if (leads >= 0) mark(leads + 1, Math.min(asked, endOfQuote(lines, leads + 1)))
  const before = length(0, asked)
  const within =
    before < minBehind + 80
      ? -1
      : lines.findIndex((line, at) => !quoted.has(at) && leadInWithin().test(line.slice(0, 200)))
  if (within >= 0 && within !== leads && length(within, asked) >= minBehind + 80)
    mark(within, Math.min(asked, endOfQuote(lines, within + 1)))
  // A task for an agent may describe findings in the style of a review.
  const isTask = blocks
    .slice(0, 3)
    .some(({ from, to }) => lines.slice(from, to).some((line) => givesTask.test(line)))
  const reviewed =
    isTask || before < minQuoted
      ? undefined
      : blocks.find(({ from, to }) =>
          lines
            .slice(from, to)
            .some((line, at) => !quoted.has(from + at) && reviewMarks().test(line.slice(0, 600))),
        )
  if (reviewed !== undefined) mark(reviewed.from, asked)
  // A text that cites lines of code and addresses nobody, or is a list of paragraphs, was passed on.
  const cites = ({ from, to }: Block) => places().test(lines.slice(from, to).join('\n').slice(0, 4000))
  const cited = isTask || before < minQuoted ? undefined : blocks.find(cites)
  if (cited !== undefined) {
    const words = lines.slice(cited.from, asked).join('\n')
    if (isReview(words) || !addresses().test(words)) mark(cited.from, asked)
  }
  // Several paragraphs, and a last line that only asks what they mean.
  if (
    asked < lines.length &&
    blocks.length > 2 &&
    before >= minQuoted * 2 &&
    /\b(?:explain|thoughts|discuss|understand|agree|opinion|(?:review|check|address|summari[sz]e) (?:this|these|it)|mean)\b/i.test(
      lines.slice(asked).join(' '),
    )
  )
    mark(0, asked)

  let at = 0
  for (const piece of splitPasted(lines.join('\n'))) {
    const count = piece.text.split('\n').length
    if (piece.pasted) mark(at, at + count)
    at += count
  }

  // A message that is one blockquote is the user's own words; a few quoted lines are what the user answers.
  const quotes = lines.flatMap((line, at) => (/^\s*>\s/.test(line) ? [at] : []))
  if (quotes.length < lines.filter((line) => line.trim() !== '').length)
    for (const at of quotes) quoted.add(at)
  return quoted
}

/** Whether a message is mostly a list of paragraphs, such as a review that the user passes on. */
export function isReview(text: string): boolean {
  const items = `\n${text}`.split(/\n[^\S\n]*(?=(?:\d{1,2}[.)]|[-*•])\s)/).slice(1)
  const length = items.reduce((sum, item) => sum + item.length, 0)
  return items.length >= 2 && length / items.length >= 240 && length >= text.length / 2
}

/** Returns the end of an introduced quote: that of its list, code block or tag, or the start of a chapter of the user's. */
function endOfQuote(lines: readonly string[], from: number): number {
  const first = lines.findIndex((line, at) => at >= from && line.trim() !== '')
  if (first < 0) return lines.length
  const opening = lines[first] ?? ''
  // Code block and element are skipped separately.
  if (/^\s*(?:```|~~~)/.test(opening) || documentTag().test(opening)) return from
  const isList = listItem.test(opening)
  for (let at = first + 1; at < lines.length; at++) {
    const line = lines[at] ?? ''
    if (line.trim() === '') continue
    const heading = /^(?:#{1,6}\s+)?\**(.{1,60}?)\**[:：]?\**\s*$/.exec(line.trim())?.[1]
    if (ownChapter.test(line.trim()) || (heading !== undefined && isBindingHeading(heading))) return at
    if (isList && !listItem.test(line) && /^\S/.test(line) && (lines[at - 1] ?? '').trim() === '') return at
  }
  return lines.length
}

const listItem = /^\s*(?:[-*+•]|\d{1,3}[.)]|[a-z][.)])\s+/

interface Block {
  readonly from: number
  readonly to: number
}

function blocksOf(lines: readonly string[]): Block[] {
  const blocks: Block[] = []
  let from = -1
  for (let at = 0; at <= lines.length; at++) {
    const blank = (lines[at] ?? '').trim() === ''
    if (!blank && from < 0) from = at
    else if (blank && from >= 0) {
      blocks.push({ from, to: at })
      from = -1
    }
  }
  return blocks
}
