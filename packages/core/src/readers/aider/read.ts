import type { SourcePosition } from '../../session/event.ts'
import type { LogRecord, SessionWriter } from '../reader/reader.ts'
import { changedLines } from '../shared/diff-counts.ts'
import { numberIn } from '../shared/values.ts'
import { type Change, createWriter, type WrittenCall } from '../shared/writer.ts'

type Lines = { at: SourcePosition; readonly lines: string[] }

type State = ReturnType<typeof createState>

function createState(out: SessionWriter) {
  const at = { file: 0, line: 1 }
  return Object.assign(createWriter(out), {
    place: at,
    user: { at, lines: [] } as Lines,
    reply: { at, lines: [] } as Lines,
    status: { at, lines: [] } as Lines,
    pending: [] as { readonly call: WrittenCall; readonly before: string; change: Change }[],
    inEdit: false,
    inFence: false,
    blankBefore: true,
    more: false,
    /** Whether aider's lines still end with two blanks; false if an editor removed them. */
    trails: undefined as boolean | undefined,
    timed: false,
  })
}

export async function readAider(records: AsyncIterable<LogRecord>, out: SessionWriter): Promise<void> {
  const state = createState(out)
  for await (const { text, file, line } of records) {
    state.place = { file, line }
    const time = /^# aider chat started at (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)/.exec(text)?.[1]
    if (time !== undefined) beginChat(state, text, time)
    else readLine(state, text)
    state.blankBefore = text.trim() === ''
  }
  flush(state)
  if (!state.timed && state.trails === undefined && state.turns === 0)
    out.note('no-records', 'the text holds no chat, prompt or line of aider')
}

function flush(state: State): void {
  flushUser(state)
  flushAnswer(state)
  flushStatus(state)
}

/** Only the chat has a time, without a zone. */
function beginChat(state: State, text: string, time: string): void {
  flush(state)
  state.pending.length = 0
  state.more = false
  state.time = `${time.replace(' ', 'T')}Z`
  state.at = state.place
  state.write({ type: 'context', origin: 'harness', name: 'chat', text: text.replace(/^# /, '') })
  state.time = undefined
  if (!state.timed) state.out.note('naive-time', 'the times of chats have no zone; they were read as UTC')
  state.timed = true
}

function readLine(state: State, text: string): void {
  const { out, reply, status, user } = state
  if (state.more) {
    state.more = !text.endsWith('  ')
    status.lines.push(text.trimEnd())
    out.absorb('status line')
  } else if (isPrompt(state, text)) {
    flushAnswer(state)
    flushStatus(state)
    addLine(state, user, text.replace(/^#### ?/, '').trimEnd())
    out.absorb('part of a message')
  } else if (isStatus(state, text)) {
    flushUser(state)
    flushAnswer(state)
    if (status.lines.length === 0) status.at = state.place
    state.trails ??= text.endsWith('  ')
    // Only the first line of a text of several lines is marked, and its last line ends with two blanks.
    state.more = state.trails && !text.endsWith('  ')
    readStatusLine(state, text.replace(/^> ?/, '').trimEnd())
    out.absorb('status line')
  } else {
    flushUser(state)
    if (text.trim() !== '') flushStatus(state)
    else if (reply.lines.length === 0) return
    addLine(state, reply, text)
    if (text.startsWith('<<<<<<< ')) state.inEdit = true
    else if (text.startsWith('>>>>>>> ')) state.inEdit = false
    else if (/^(?:`{3,}|~{3,})/.test(text)) state.inFence = !state.inFence
    out.absorb('part of a message')
  }
}

function addLine({ place }: State, to: Lines, text: string): void {
  if (to.lines.length === 0) to.at = place
  to.lines.push(text)
}

/** A heading of the model looks the same, but aider's lines end with two blanks, unless an editor removed them. */
function isPrompt(state: State, text: string): boolean {
  if (!/^####(?: |$)/.test(text)) return false
  if (state.user.lines.length > 0) return true
  const isMarked = state.trails !== false && text.endsWith('  ')
  if (state.inEdit || state.inFence || state.trails !== false) return isMarked && state.blankBefore
  if (state.reply.lines.length === 0) return state.blankBefore
  const unclear =
    'headings in answers may be prompts: the blanks that distinguish them are missing; they count as text of the model'
  state.out.note('unclear-prompt', unclear)
  return false
}

const certain =
  /^> (?:Tokens: [\d.,]+[kM]? sent|Applied edit to |Commit [\da-f]{7} |Added .+ to the chat|\^C|Main model: |Model: |Running )/

function isStatus(state: State, text: string): boolean {
  if (!/^>(?: |$)/.test(text) || state.inEdit) return false
  if (state.inFence) return certain.test(text) && (state.trails === false || text.endsWith('  '))
  if (state.trails !== true || text.endsWith('  ')) return true
  return state.status.lines.length > 0 || (state.reply.lines.length === 0 && !state.blankBefore)
}

function flushUser(state: State): void {
  const { user } = state
  if (user.lines.length === 0) return
  const text = user.lines.splice(0).join('\n').trim()
  state.at = user.at
  if (/\? \(Y\)es\/\(N\)o.*\]: /.test(text)) state.context('harness', 'confirmation', text)
  else if (text !== '' && text !== '<blank>') {
    state.pending.length = 0
    state.ask(text, { origin: /^(?:\/[a-z][\w-]*(?:\s|$)|!)/.test(text) ? 'command' : 'typed' })
  }
}

function flushAnswer(state: State): void {
  const { at } = state.reply
  const lines = state.reply.lines.splice(0)
  state.inEdit = false
  state.inFence = false
  let from = 0
  const say = (to: number): void => {
    const first = from + lines.slice(from, to).findIndex((line) => line.trim() !== '')
    if (first < from) return
    state.at = { file: at.file, line: at.line + first }
    state.say(lines.slice(first, to).join('\n').trim())
  }
  for (const { start, end, path, before, after } of findEdits(lines)) {
    say(start)
    state.at = { file: at.file, line: at.line + start }
    const input = { path, old_string: before, new_string: after }
    const call = state.call({ name: 'search_replace', input })
    state.pending.push({ call, before, change: { path, action: 'modified', ...changedLines(before, after) } })
    from = end + 1
  }
  say(lines.length)
}

function readStatusLine(state: State, text: string): void {
  const edited = /^Applied edit to (.+)$/.exec(text)?.[1]
  const command = /^Running (.+)$/.exec(text)?.[1]
  const [, sha, subject = ''] = /^Commit ([\da-f]{7,40}) (.*)$/.exec(text) ?? []
  if (edited !== undefined || command !== undefined || sha !== undefined) flushStatus(state)
  state.at = state.place
  if (edited !== undefined) endEdits(state, edited)
  else if (command !== undefined)
    state.result(state.call({ name: 'shell', input: { command } }), { text: '' })
  else if (sha !== undefined) {
    // Aider commits its edits itself; the result is written in git's form.
    const input = { command: `git commit -m ${JSON.stringify(subject)}` }
    state.result(state.call({ name: 'commit', input, kind: 'execute' }), { text: `[HEAD ${sha}] ${subject}` })
  } else if (/^Tokens: /.test(text)) readTokens(state, text)
  else {
    state.model = /^(?:Main model|Model): (\S+) with /.exec(text)?.[1] ?? state.model
    state.out.meta({ agentVersion: /^Aider v(\S+)/i.exec(text)?.[1] })
    const asked = /^Create new file\?.*: y/i.test(text) ? state.status.lines.at(-1) : undefined
    for (const edit of state.pending)
      if (edit.change.path === asked) edit.change = { ...edit.change, action: 'created' }
    if (text !== '') state.status.lines.push(text)
  }
}

function flushStatus(state: State): void {
  const { status } = state
  if (status.lines.length === 0) return
  state.at = status.at
  const text = status.lines.splice(0).join('\n')
  const [failure] = failureLine.exec(text) ?? []
  if (failure !== undefined) endRefused(state, text, failure)
  state.context('output', 'aider', text)
}

const failureLine = /^(?:The LLM did not conform|# ?\d+ SEARCH\/REPLACE blocks? failed|SearchReplace).*/m

/** Aider may say that it applied the other edits of an answer; then it repeats those that it could not apply. */
function endRefused(state: State, text: string, failure: string): void {
  const edits = state.pending.splice(0)
  const others = numberIn(text, /^# The other (\d+) SEARCH\/REPLACE blocks? (?:was|were) applied/m)
  const reasons = new Map<WrittenCall, string>()
  for (const { call, change, before } of edits) {
    const repeated = `lines in ${change.path}\n<<<<<<< SEARCH\n${before}`.replaceAll(/[ \t]+$/gm, '')
    const at = text.indexOf(repeated)
    if (at !== -1) reasons.set(call, text.slice(text.lastIndexOf('\n', at) + 1, text.indexOf('\n', at)))
  }
  const isPart = edits.length - reasons.size === others
  for (const { call, change } of edits) {
    const reason = reasons.get(call) ?? (isPart ? undefined : failure)
    state.result(call, { failed: reason !== undefined, text: reason ?? '', changes: [change] })
  }
}

function endEdits(state: State, path: string): void {
  const { pending } = state
  const done = pending.filter(({ change }) => change.path === path)
  for (const { call, change } of done) state.result(call, { text: '', changes: [change] })
  pending.splice(0, pending.length, ...pending.filter((edit) => !done.includes(edit)))
  if (done.length > 0) return
  // The answer contains the edit in another form: the whole file, or a unified diff.
  const call = state.call({ name: 'edit', input: { path } })
  state.result(call, { text: '', changes: [{ path, action: 'modified' }] })
}

function readTokens(state: State, text: string): void {
  const count = (word: string): number | undefined => {
    const [, digits, unit = ''] = new RegExp(`([\\d.,]+)([kM]?) ${word}\\b`).exec(text) ?? []
    const factor = { k: 1000, M: 1_000_000 }[unit] ?? 1
    return digits === undefined ? undefined : Math.round(Number(digits.replaceAll(',', '')) * factor)
  }
  state.answer(undefined, {
    inputTokens: count('sent'),
    outputTokens: count('received'),
    cacheReadTokens: count('cache hit'),
    cacheWriteTokens: count('cache write'),
  })
}

type EditBlock = Readonly<Record<'path' | 'before' | 'after', string> & Record<'start' | 'end', number>>

const fence = /^(?:`{3,}|~{3,}|<source>|<code>|<pre>)/

/** Finds blocks with a path: above their fence, below it (`diff-fenced`), or that of the block before. */
export function findEdits(lines: readonly string[]): EditBlock[] {
  const edits: EditBlock[] = []
  const find = (from: number, mark: RegExp): number => {
    for (let index = from + 1; index < lines.length; index++) if (mark.test(lines[index] ?? '')) return index
    return -1
  }
  for (let index = find(-1, /^<{5,9} SEARCH/); index !== -1; ) {
    const middle = find(index, /^={5,9}\s*$/)
    const last = middle === -1 ? -1 : find(middle, /^>{5,9} REPLACE/)
    if (last === -1) break
    const found = pathBefore(lines, index)
    const previous = edits.at(-1)
    const path = found?.path ?? previous?.path
    if (path !== undefined)
      edits.push({
        start: Math.max(found?.start ?? index, (previous?.end ?? -1) + 1),
        end: fence.test(lines[last + 1] ?? '') ? last + 1 : last,
        path,
        before: lines.slice(index + 1, middle).join('\n'),
        after: lines.slice(middle + 1, last).join('\n'),
      })
    index = find(last, /^<{5,9} SEARCH/)
  }
  return edits
}

function pathBefore(lines: readonly string[], block: number) {
  let start = block
  for (let index = block - 1; index >= Math.max(0, block - 3); index--) {
    const line = lines[index] ?? ''
    if (/^>{5,9} REPLACE/.test(line)) return undefined
    if (fence.test(line)) start = index
    else {
      const path = line.trim().replaceAll(/^[#*` ]+|[*`: ]+$/g, '')
      const isPath = /[./\\]/.test(path) ? !/\s{2}|[.:] \S/.test(path) : !/^$|\s/.test(path)
      return isPath && line.length <= 300 ? { path, start: Math.min(start, index) } : undefined
    }
  }
  return undefined
}
