import { cleanLine, copyText, cutTail } from '@tenfold/core/internal/summarizer'
import type { TranscriptItem } from '@tenfold/core/summarizer'
import { decisionIn, type FoundDecision } from './choices.ts'
import { findCues } from './cues.ts'
import { sentencesOf } from './sentences.ts'

const editing = /edit|write|patch|create|replace|insert|notebook/i
const noEdit = /todo|task|stdin|plan|memory/i

/** Comments that the agent wrote into code and that say why it is so: decisions with their reason. */
export function designComments(items: readonly TranscriptItem[]): FoundDecision[] {
  const read = new Set<string>()
  // What is read after the last edit was written in none.
  const end = items.findLastIndex(isEditing) + 1
  return items.slice(0, end).flatMap((item) => {
    if (item.type !== 'tool_call') return []
    const [target = '', ...lines] = item.text.slice(0, maxBodyLength).split('\n')
    const comments = documentFile.test(target) ? [] : commentsIn(lines)
    // A text that was read before the edit existed before.
    const fresh = comments.filter((comment) => !read.has(comment)).map(copyText)
    for (const comment of fresh) read.add(comment)
    // What tests expect is not a choice of the design.
    const written = isEditing(item) && !testFile.test(target) ? fresh : []
    return written.flatMap((comment) => statementsIn(comment, copyText(target), item)).slice(0, maxOfOneEdit)
  })
}

function isEditing({ type, label, status }: TranscriptItem): boolean {
  return (
    type === 'tool_call' &&
    editing.test(label) &&
    !noEdit.test(label) &&
    status !== 'denied' &&
    status !== 'error'
  )
}

const testFile = /(?:^|[/_.-])(?:tests?|specs?|__tests__|testdata)(?:[/_.-]|$)/i
const documentFile = /\.(?:md|mdx|markdown|rst|adoc|txt)\b/i
const maxBodyLength = 60_000
const maxOfOneEdit = 3

function statementsIn(comment: string, target: string, item: TranscriptItem): FoundDecision[] {
  return sentencesOf(comment)
    .filter(({ text, question }) => !question && text.length >= 30 && text.length <= 300 && isDesign(text))
    .slice(0, 1)
    .map(({ text }) => ({ decision: decisionIn(text, 'agent', item.event, fileOf(target)), worth: 2 }))
}

/** The path that was edited, without its outcome; the last part of a long one. */
function fileOf(target: string): string {
  const path = cleanLine(target.replace(/ -> .{1,40}$| \+\d+ -\d+$/, ''))
  return path.length <= maxPathLength ? path : cutTail(path.slice(path.lastIndexOf('/') + 1), maxPathLength)
}

const maxPathLength = 100

function isDesign(text: string): boolean {
  const cues = findCues(text)
  if (isUse.test(text)) return false
  return (cues.has('deliberate') && text.length > 60) || (cues.has('instead') && !/\binstead\W*$/i.test(text))
}

/** What a test expects, and how to use something. */
const isUse =
  /^(?:tests?|verif(?:y|ies)|checks?|this (?:is|will|should)|returns?|used|if|when|such|consuming|\w+s (?:the|an?|all|every|each)) |@param/i

const codeComment = /^\s*(?:\/\/+!?|#+(?![!#\w])|\*(?!\/)|--(?!-)|;;+|<!--|%%?)\s?(.*)$/

/** Most lines have no mark of a comment, with or without the number of the line before it. */
const mayComment = /^[+\s]*(?:\d+[\t→|:]\s*)?[/#*;<%-]/

/** Comments of a text, each block of lines joined into one. In a patch only the added lines. */
function commentsIn(lines: readonly string[]): string[] {
  const isPatch = lines.some((line) => /^(?:@@|\*\*\* (?:Add|Update) File)/.test(line))
  const blocks: string[] = []
  let block = ''
  const end = () => {
    if (block !== '') blocks.push(block)
    block = ''
  }
  for (const raw of lines) {
    if (isPatch && !raw.startsWith('+')) {
      end()
      continue
    }
    if (!mayComment.test(raw)) {
      end()
      continue
    }
    // Read tools put the number of the line before it.
    const line = (isPatch ? raw.slice(1) : raw.replace(/^\s*\d+[\t→|:]\s?/, '')).slice(0, 400)
    const words = codeComment
      .exec(line)?.[1]
      ?.replace(/(?:-->|\*\/)\s*$|^\*|\*\*/g, '')
      .trim()
    if (words === undefined || words === '') end()
    else block = block === '' ? words : `${block} ${words}`
  }
  end()
  return blocks
}
