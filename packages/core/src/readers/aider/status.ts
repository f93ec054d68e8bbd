import { closeCall, write, writeCall, writeResult } from '../messages/conversation.ts'
import type { AiderRun } from './run.ts'

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
  else if (command !== undefined) writeCall(conversation, undefined, 'shell', { command }, 'execute')
  else if (sha !== undefined) readCommit(run, sha, subject ?? '')
  else if (/^Tokens: /.test(text)) readTokens(run, text)
  else {
    if (model !== undefined) conversation.model = model
    if (version !== undefined) conversation.out.meta({ agentVersion: version })
    if (/^(?:The LLM did not conform|# ?\d+ SEARCH\/REPLACE blocks? failed|SearchReplace)/.test(text))
      failEdits(run, text)
    else if (text !== '') run.status.lines.push(text)
  }
  conversation.at = undefined
}

/** Writes the status lines so far as one event. */
export function flushStatus(run: AiderRun): void {
  const { conversation, status } = run
  if (status.lines.length === 0) return
  conversation.at = status.at
  write(conversation, {
    type: 'context',
    origin: 'output',
    name: 'aider',
    text: status.lines.splice(0).join('\n'),
  })
  conversation.at = undefined
}

/** Aider reports once for each file that its edits were made. */
function endEdits(run: AiderRun, path: string): void {
  const { conversation, pending } = run
  const done = pending.filter(({ change }) => change.path === path)
  for (const { call, change } of done) {
    closeCall(conversation, call)
    writeResult(conversation, call, undefined, { status: 'ok', text: '', changes: [change] })
  }
  pending.splice(0, pending.length, ...pending.filter((edit) => !done.includes(edit)))
  if (done.length > 0) return
  // The edit is in the answer in another form: the whole file, or a unified diff.
  const call = writeCall(conversation, undefined, 'edit', { path }, 'edit')
  closeCall(conversation, call)
  writeResult(conversation, call, undefined, {
    status: 'ok',
    text: '',
    changes: [{ path, action: 'modified' }],
  })
}

function failEdits(run: AiderRun, text: string): void {
  const { conversation, pending } = run
  for (const { call } of pending.splice(0)) {
    closeCall(conversation, call)
    writeResult(conversation, call, undefined, { status: 'error', text })
  }
  if (pending.length === 0) run.status.lines.push(text)
}

/** Aider commits its edits itself; the result has the form of git's output. */
function readCommit(run: AiderRun, sha: string, subject: string): void {
  const { conversation } = run
  const call = writeCall(
    conversation,
    undefined,
    'commit',
    { command: `git commit -m ${JSON.stringify(subject)}` },
    'execute',
  )
  closeCall(conversation, call)
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
  conversation.answers++
  conversation.out.usage(
    `answer-${conversation.answers}`,
    conversation.agent,
    conversation.model ?? 'unknown',
    {
      inputTokens: count('sent'),
      outputTokens: count('received'),
      cacheReadTokens: count('cache hit'),
      cacheWriteTokens: count('cache write'),
    },
  )
}
