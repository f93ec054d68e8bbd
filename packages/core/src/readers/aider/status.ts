import { known } from '../../session/known.ts'
import type { TokenUsage } from '../../session/usage.ts'
import { closeCall, say, sayCall, sayResult } from '../messages/conversation.ts'
import type { AiderRun } from './run.ts'

/** Reads one of aider's own lines: an edit, a commit, a command, usage, or text that is kept together. */
export function readStatusLine(run: AiderRun, text: string): void {
  const { talk } = run
  const edited = /^Applied edit to (.+)$/.exec(text)?.[1]
  const command = /^Running (.+)$/.exec(text)?.[1]
  const [, sha, subject] = /^Commit ([\da-f]{7,40}) (.*)$/.exec(text) ?? []
  const model = /^(?:Main model|Model): (\S+) with /.exec(text)?.[1]
  const version = /^Aider v(\S+)/i.exec(text)?.[1]
  if (edited !== undefined || command !== undefined || sha !== undefined) flushStatus(run)
  talk.at = run.at
  if (edited !== undefined) endEdits(run, edited)
  else if (command !== undefined) sayCall(talk, undefined, 'shell', { command }, 'execute')
  else if (sha !== undefined) readCommit(run, sha, subject ?? '')
  else if (/^Tokens: /.test(text)) readTokens(run, text)
  else {
    if (model !== undefined) talk.model = model
    if (version !== undefined) talk.out.meta({ agentVersion: version })
    if (/^(?:The LLM did not conform|# ?\d+ SEARCH\/REPLACE blocks? failed|SearchReplace)/.test(text))
      failEdits(run, text)
    else if (text !== '') run.status.lines.push(text)
  }
  talk.at = undefined
}

/** Writes the status lines so far as one event. */
export function flushStatus(run: AiderRun): void {
  const { talk, status } = run
  if (status.lines.length === 0) return
  talk.at = status.at
  say(talk, { type: 'context', origin: 'output', name: 'aider', text: status.lines.splice(0).join('\n') })
  talk.at = undefined
}

/** Aider reports once for each file that its edits were made. */
function endEdits(run: AiderRun, path: string): void {
  const { talk, pending } = run
  const done = pending.filter(({ change }) => change.path === path)
  for (const { call, change } of done) {
    closeCall(talk, call)
    sayResult(talk, call, undefined, { status: 'ok', text: '', changes: [change] })
  }
  pending.splice(0, pending.length, ...pending.filter((edit) => !done.includes(edit)))
  if (done.length > 0) return
  // The edit is in the answer in another form: the whole file, or a unified diff.
  const call = sayCall(talk, undefined, 'edit', { path }, 'edit')
  closeCall(talk, call)
  sayResult(talk, call, undefined, { status: 'ok', text: '', changes: [{ path, action: 'modified' }] })
}

function failEdits(run: AiderRun, text: string): void {
  const { talk, pending } = run
  for (const { call } of pending.splice(0)) {
    closeCall(talk, call)
    sayResult(talk, call, undefined, { status: 'error', text })
  }
  if (pending.length === 0) run.status.lines.push(text)
}

/** Aider commits its edits itself; the result has the form of git's output. */
function readCommit(run: AiderRun, sha: string, subject: string): void {
  const { talk } = run
  const call = sayCall(
    talk,
    undefined,
    'commit',
    { command: `git commit -m ${JSON.stringify(subject)}` },
    'execute',
  )
  closeCall(talk, call)
  sayResult(talk, call, undefined, { status: 'ok', text: `[HEAD ${sha}] ${subject}` })
}

/** Counts as aider shows them, rounded: `3.2k sent, 21 received`. */
function readTokens(run: AiderRun, text: string): void {
  const { talk } = run
  const count = (word: string): number | undefined => {
    const found = new RegExp(`([\\d.,]+)([kM]?) ${word}\\b`).exec(text)
    if (found === null) return undefined
    const factor = { k: 1000, M: 1_000_000 }[found[2] ?? ''] ?? 1
    return Math.round(Number(found[1]?.replaceAll(',', '')) * factor)
  }
  talk.answers++
  talk.out.usage(
    `answer-${talk.answers}`,
    talk.agent,
    talk.model ?? 'unknown',
    known<TokenUsage>({
      inputTokens: count('sent'),
      outputTokens: count('received'),
      cacheReadTokens: count('cache hit'),
      cacheWriteTokens: count('cache write'),
    }),
  )
}
