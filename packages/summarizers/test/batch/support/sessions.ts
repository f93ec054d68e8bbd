import { createHash } from 'node:crypto'
import type { Session, SessionEvent, TokenCounter } from '@tenfold/core'
import type { EventId } from '@tenfold/core/readers'
import type { BatchSession } from '../../../src/batch/index.ts'

/** No encoding is loaded for sessions this small. */
export const counter: TokenCounter = {
  name: 'bytes/4',
  count: (text) => Math.ceil(Buffer.byteLength(text) / 4),
}

/** Room for about 3,400 tokens of items: a session of 12 turns takes three requests. */
export const smallWindow = { contextWindow: 9000, maxOutputTokens: 2500, tokenFactor: 1 }

type TurnDraft = Record<string, unknown> & { readonly type: SessionEvent['type']; readonly turn: number }

/** Some turns, each with a request, an edit and an answer of about `words` words. */
function draftsOf(name: string, turns: number, words = 90): TurnDraft[] {
  const drafts: TurnDraft[] = []
  for (let turn = 1; turn <= turns; turn++) {
    const callId = `call-${turn}`
    const input = { file_path: `src/${name}-${turn}.ts`, old_string: 'a', new_string: 'b' }
    drafts.push(
      {
        turn,
        type: 'user',
        origin: 'typed',
        text: `Change src/${name}-${turn}.ts. Never touch step ${turn}.`,
      },
      { turn, type: 'tool_call', callId, name: 'Edit', kind: 'edit', input },
      { turn, type: 'tool_result', callId, status: 'ok', text: 'The file has been updated.' },
      { turn, type: 'assistant', text: `Done with ${name} ${turn}: ${prose(name, turn, words)}.` },
    )
  }
  return drafts
}

function sessionOf(name: string, drafts: readonly TurnDraft[]): Session {
  const events = drafts.map((draft, index) => ({
    ...draft,
    id: `e${index + 1}` as EventId,
    agent: 'main',
    source: { file: 0, line: index + 1 },
  })) as unknown as SessionEvent[]
  const sha256 = createHash('sha256').update(JSON.stringify(events)).digest('hex')
  return {
    id: `session-${name}`,
    format: 'test',
    title: `Session ${name}`,
    models: [],
    agents: [{ id: 'main' }],
    events,
    usage: [],
    notes: [],
    source: {
      files: [{ name: `${name}.jsonl`, bytes: 1, sha256, lines: events.length }],
      bytes: 1,
      sha256,
      images: 0,
      account: { lines: events.length, events: events.length, other: 0, notes: 0, blank: 0, absorbed: [] },
    },
  }
}

export function batchSession(name: string, turns: number): BatchSession {
  return { session: sessionOf(name, draftsOf(name, turns)), name: `${name}.jsonl` }
}

/** A session that leaves nothing to remember. */
export function greeting(name: string): BatchSession {
  const session = sessionOf(name, [
    { turn: 1, type: 'user', origin: 'typed', text: 'Hello' },
    { turn: 1, type: 'assistant', text: 'Hello, what shall we do?' },
  ])
  return { session, name: `${name}.jsonl` }
}

/** Two sessions of one request, and one of three. */
export function someSessions(): BatchSession[] {
  return [batchSession('one', 2), batchSession('two', 22), batchSession('three', 2)]
}

/** Words of letters only: each word with a digit would be looked at as a name of code. */
function prose(name: string, turn: number, words: number): string {
  return Array.from({ length: words }, (_, index) => `${name}${inLetters(turn)}word${inLetters(index)}`).join(
    ' ',
  )
}

function inLetters(number: number): string {
  return `${number}`.replace(/\d/g, (digit) => 'abcdefghij'[Number(digit)] ?? digit)
}
