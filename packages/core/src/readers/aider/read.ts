import type { LogRecord, SessionWriter } from '../reader/reader.ts'
import { type AiderRun, createAiderRun, flushStatus, readStatusLine } from './status.ts'

const start = /^# aider chat started at (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)/

export async function readAider(records: AsyncIterable<LogRecord>, out: SessionWriter): Promise<void> {
  const run = createAiderRun(out)
  for await (const { text, file, line } of records) {
    run.at = { file, line }
    const time = start.exec(text)?.[1]
    if (time !== undefined) beginChat(run, text, time)
    else readLine(run, text)
    run.blankBefore = text.trim() === ''
  }
  flush(run)
}

function flush(run: AiderRun): void {
  flushUser(run)
  readAnswer(run)
  flushStatus(run)
}

/** A chat has a time without a zone; nothing inside it has one. */
function beginChat(run: AiderRun, text: string, time: string): void {
  flush(run)
  run.pending.length = 0
  run.more = false
  run.conversation.time = `${time.replace(' ', 'T')}Z`
  run.conversation.at = run.at
  run.conversation.write({ type: 'context', origin: 'harness', name: 'chat', text: text.replace(/^# /, '') })
  run.conversation.time = undefined
  if (!run.timed)
    run.conversation.out.note('naive-time', 'the times of chats have no zone; they were read as UTC')
  run.timed = true
}

function readLine(run: AiderRun, text: string): void {
  const { out } = run.conversation
  if (run.more) {
    run.more = !text.endsWith('  ')
    run.status.lines.push(text.trimEnd())
    out.absorb('status line')
  } else if (isPrompt(run, text)) {
    readAnswer(run)
    flushStatus(run)
    if (run.user.lines.length === 0) run.user.at = run.at
    run.user.lines.push(text.replace(/^#### ?/, '').trimEnd())
    out.absorb('part of a message')
  } else if (isStatus(run, text)) {
    flushUser(run)
    readAnswer(run)
    if (run.status.lines.length === 0) run.status.at = run.at
    run.trails ??= text.endsWith('  ')
    // A text of several lines is marked only on its first line, and ends with two blanks.
    run.more = run.trails && !text.endsWith('  ')
    readStatusLine(run, text.replace(/^> ?/, '').trimEnd())
    out.absorb('status line')
  } else readWords(run, text)
}

function readWords(run: AiderRun, text: string): void {
  flushUser(run)
  if (text.trim() !== '') flushStatus(run)
  const { answer } = run
  if (answer.lines.length === 0 && text.trim() === '') return
  if (answer.lines.length === 0) answer.at = run.at
  answer.lines.push(text)
  if (text.startsWith('<<<<<<< ')) run.inEdit = true
  else if (text.startsWith('>>>>>>> ')) run.inEdit = false
  else if (/^(?:`{3,}|~{3,})/.test(text)) run.inFence = !run.inFence
  run.conversation.out.absorb('part of a message')
}

/**
 * The model's own headings and quotes look the same, but aider ends its lines with two blanks. If an editor removed
 * these, only text after aider's own lines is a prompt: the model's text must not become the user's.
 */
function isPrompt(run: AiderRun, text: string): boolean {
  if (!/^####(?: |$)/.test(text)) return false
  if (run.user.lines.length > 0) return true
  const isMarked = run.trails !== false && text.endsWith('  ')
  if (run.inEdit || run.inFence || run.trails !== false) return isMarked && run.blankBefore
  if (run.answer.lines.length === 0) return run.blankBefore
  run.conversation.out.note(
    'unclear-prompt',
    'headings in answers may be prompts: the blanks that distinguish them are missing; they count as text of the model',
  )
  return false
}

const certain =
  /^> (?:Tokens: [\d.,]+[kM]? sent|Applied edit to |Commit [\da-f]{7} |Added .+ to the chat|\^C|Main model: |Model: |Running )/

function isStatus(run: AiderRun, text: string): boolean {
  if (!/^>(?: |$)/.test(text) || run.inEdit) return false
  if (run.inFence) return certain.test(text) && (run.trails === false || text.endsWith('  '))
  if (run.trails !== true || text.endsWith('  ')) return true
  return run.status.lines.length > 0 || (run.answer.lines.length === 0 && !run.blankBefore)
}

/** Writes what the user typed: a message, a `/command`, or the answer to a question from aider. */
function flushUser(run: AiderRun): void {
  const { conversation, user } = run
  if (user.lines.length === 0) return
  const text = user.lines.splice(0).join('\n').trim()
  conversation.at = user.at
  if (/\? \(Y\)es\/\(N\)o.*\]: /.test(text)) conversation.context('harness', 'confirmation', text)
  else if (text !== '' && text !== '<blank>') {
    run.pending.length = 0
    conversation.ask(text, { origin: /^(?:\/[a-z][\w-]*(?:\s|$)|!)/.test(text) ? 'command' : 'typed' })
  }
}

/** Writes the model's text; its SEARCH/REPLACE blocks become calls, which aider answers further down. */
function readAnswer(run: AiderRun): void {
  const { conversation, answer } = run
  run.inEdit = false
  run.inFence = false
  if (answer.lines.length === 0) return
  const lines = answer.lines.splice(0)
  let from = 0
  for (const edit of findEdits(lines)) {
    writeLines(run, lines, from, edit.start)
    conversation.at = { file: answer.at.file, line: answer.at.line + edit.start }
    const { path, before, after } = edit
    const input = { path, old_string: before, new_string: after }
    const call = run.conversation.call({ name: 'search_replace', input, kind: 'edit' })
    const action = before.trim() === '' ? 'created' : 'modified'
    const change = { path, action, added: linesIn(after), removed: linesIn(before) } as const
    run.pending.push({ call, change })
    from = edit.end + 1
  }
  writeLines(run, lines, from, lines.length)
}

function writeLines(run: AiderRun, lines: readonly string[], from: number, to: number): void {
  const { conversation, answer } = run
  let first = from
  while (first < to && lines[first]?.trim() === '') first++
  if (first >= to) return
  conversation.at = { file: answer.at.file, line: answer.at.line + first }
  conversation.say(lines.slice(first, to).join('\n').trim())
}

function linesIn(text: string): number {
  return text === '' ? 0 : text.split('\n').length
}

/** A SEARCH/REPLACE block, from the line of its path or fence to its last line. */
interface EditBlock {
  readonly start: number
  readonly end: number
  readonly path: string
  readonly before: string
  readonly after: string
}

const fence = /^(?:`{3,}|~{3,}|<source>|<code>|<pre>)/

/**
 * The blocks in the lines of an answer that have a path: in the line above the fence or, in aider's `diff-fenced`
 * format, below it. Several blocks in one fence share its path.
 */
function findEdits(lines: readonly string[]): EditBlock[] {
  const edits: EditBlock[] = []
  for (let index = 0; index < lines.length; index++) {
    if (!/^<{5,9} SEARCH/.test(lines[index] ?? '')) continue
    const middle = findLine(lines, index, /^={5,9}\s*$/)
    const last = findLine(lines, middle, /^>{5,9} REPLACE/)
    if (middle === -1 || last === -1) break
    const found = pathBefore(lines, index)
    const previous = edits.at(-1)
    const path = found?.path ?? previous?.path
    if (path !== undefined) {
      const closes = fence.test(lines[last + 1] ?? '') ? last + 1 : last
      edits.push({
        start: Math.max(found?.start ?? index, (previous?.end ?? -1) + 1),
        end: closes,
        path,
        before: lines.slice(index + 1, middle).join('\n'),
        after: lines.slice(middle + 1, last).join('\n'),
      })
    }
    index = last
  }
  return edits
}

function findLine(lines: readonly string[], from: number, mark: RegExp): number {
  if (from === -1) return -1
  for (let index = from + 1; index < lines.length; index++) if (mark.test(lines[index] ?? '')) return index
  return -1
}

/** The path in one of the three lines before a block, without the marks that models put around it. */
function pathBefore(
  lines: readonly string[],
  block: number,
): { readonly path: string; readonly start: number } | undefined {
  let start = block
  for (let index = block - 1; index >= Math.max(0, block - 3); index--) {
    const line = lines[index] ?? ''
    if (/^>{5,9} REPLACE/.test(line)) return undefined
    if (fence.test(line)) start = index
    else {
      const path =
        line.length > 300
          ? ''
          : line
              .trim()
              .replace(/^[#*` ]+/, '')
              .replace(/[*`: ]+$/, '')
      const isPath = path !== '' && (/[./\\]/.test(path) ? !/\s{2}|[.:] \S/.test(path) : !/\s/.test(path))
      return isPath ? { path, start: Math.min(start, index) } : undefined
    }
  }
  return undefined
}
