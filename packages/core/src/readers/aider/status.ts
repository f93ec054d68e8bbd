import type { FileChange, SourcePosition } from '../../session/event.ts'
import { createConversation, writeResult } from '../messages/conversation.ts'
import type { SessionWriter } from '../reader/reader.ts'
import type { WrittenCall } from '../shared/writer.ts'

/** Lines that belong together, and the position of the first. */
interface Lines {
  at: SourcePosition
  readonly lines: string[]
}

/** An edit that the model proposed and aider has not answered. */
interface PendingEdit {
  readonly call: WrittenCall
  readonly change: FileChange
}

export type AiderRun = ReturnType<typeof createAiderRun>

export function createAiderRun(out: SessionWriter) {
  const at = { file: 0, line: 1 }
  return {
    conversation: createConversation(out),
    at,
    user: { at, lines: [] } as Lines,
    answer: { at, lines: [] } as Lines,
    status: { at, lines: [] } as Lines,
    pending: [] as PendingEdit[],
    inEdit: false,
    inFence: false,
    blankBefore: true,
    /** Whether the next line continues a status of several lines. */
    more: false,
    /** Whether aider's lines end with two blanks, as they were written, or an editor removed these. */
    trails: undefined as boolean | undefined,
    timed: false,
  }
}

/** Reads one of aider's own lines: an edit, a commit, a command, usage, or text that is kept together. */
export function readStatusLine(run: AiderRun, text: string): void {
  const { conversation } = run
  const edited = /^Applied edit to (.+)$/.exec(text)?.[1]
  const command = /^Running (.+)$/.exec(text)?.[1]
  const [, sha, subject] = /^Commit ([\da-f]{7,40}) (.*)$/.exec(text) ?? []
  const model = /^(?:Main model|Model): (\S+) with /.exec(text)?.[1]
  const version = /^Aider v(\S+)/i.exec(text)?.[1]
  if (edited !== undefined || command !== undefined || sha !== undefined) flushStatus(run)
  conversation.at = run.at
  if (edited !== undefined) endEdits(run, edited)
  else if (command !== undefined) conversation.call({ name: 'shell', input: { command }, kind: 'execute' })
  else if (sha !== undefined) readCommit(run, sha, subject ?? '')
  else if (/^Tokens: /.test(text)) readTokens(run, text)
  else {
    if (model !== undefined) conversation.model = model
    if (version !== undefined) conversation.out.meta({ agentVersion: version })
    if (/^(?:The LLM did not conform|# ?\d+ SEARCH\/REPLACE blocks? failed|SearchReplace)/.test(text))
      failEdits(run, text)
    else if (text !== '') run.status.lines.push(text)
  }
}

export function flushStatus(run: AiderRun): void {
  const { conversation, status } = run
  if (status.lines.length === 0) return
  conversation.at = status.at
  conversation.context('output', 'aider', status.lines.splice(0).join('\n'))
}

/** Aider reports once for each file that its edits were made. */
function endEdits(run: AiderRun, path: string): void {
  const { conversation, pending } = run
  const done = pending.filter(({ change }) => change.path === path)
  for (const { call, change } of done) {
    writeResult(conversation, call, undefined, { status: 'ok', text: '', changes: [change] })
  }
  pending.splice(0, pending.length, ...pending.filter((edit) => !done.includes(edit)))
  if (done.length > 0) return
  // The edit is in the answer in another form: the whole file, or a unified diff.
  const call = conversation.call({ name: 'edit', input: { path }, kind: 'edit' })
  writeResult(conversation, call, undefined, {
    status: 'ok',
    text: '',
    changes: [{ path, action: 'modified' }],
  })
}

function failEdits(run: AiderRun, text: string): void {
  const { conversation, pending } = run
  for (const { call } of pending.splice(0)) {
    writeResult(conversation, call, undefined, { status: 'error', text })
  }
  if (pending.length === 0) run.status.lines.push(text)
}

/** Aider commits its edits itself; the result has the form of git's output. */
function readCommit(run: AiderRun, sha: string, subject: string): void {
  const { conversation } = run
  const input = { command: `git commit -m ${JSON.stringify(subject)}` }
  const call = conversation.call({ name: 'commit', input, kind: 'execute' })
  writeResult(conversation, call, undefined, { status: 'ok', text: `[HEAD ${sha}] ${subject}` })
}

/** Counts as aider shows them, rounded: `3.2k sent, 21 received`. */
function readTokens(run: AiderRun, text: string): void {
  const { conversation } = run
  const count = (word: string): number | undefined => {
    const found = new RegExp(`([\\d.,]+)([kM]?) ${word}\\b`).exec(text)
    if (found === null) return undefined
    const factor = { k: 1000, M: 1_000_000 }[found[2] ?? ''] ?? 1
    return Math.round(Number(found[1]?.replaceAll(',', '')) * factor)
  }
  conversation.usage(`answer-${++conversation.answers}`, {
    inputTokens: count('sent'),
    outputTokens: count('received'),
    cacheReadTokens: count('cache hit'),
    cacheWriteTokens: count('cache write'),
  })
}
