import { appendTo } from '../../session/append-to.ts'
import type { ContextEvent, EventDraft, FileChange, SessionEvent, ToolKind } from '../../session/event.ts'
import * as json from '../../session/json.ts'
import { known } from '../../session/known.ts'
import type { TokenUsage } from '../../session/usage.ts'
import { toolKindOf } from '../../tools/tool-kind.ts'
import type { EventPlace, SessionWriter } from '../reader/reader.ts'
import type { UserPiece } from './program-blocks.ts'

export interface NewCall {
  readonly id?: unknown
  readonly name: string
  readonly input: unknown
  /** @default the kind of the name */
  readonly kind?: ToolKind | undefined
  /** The user sees something else, which the reader has written already: a command that the user ran, or an answer. */
  readonly shownAs?: 'command' | 'answer' | undefined
}

export type WrittenCall = NewCall & { readonly callId: string; readonly kind: ToolKind }

type Draft<Type extends EventDraft['type']> = Omit<Extract<EventDraft, { type: Type }>, 'type'>

type Prompt = Partial<Pick<Draft<'user'>, 'origin' | 'images'>>

type Compacted = { readonly trigger?: string | undefined; readonly tokensBefore?: unknown }

type ChildNode = Omit<Parameters<SessionWriter['agent']>[0], 'id'>

/** Counts from a log: values of any type. */
type Counts = { readonly [Field in keyof TokenUsage]?: unknown }

/** Writes the events of one log. A reader sets the fields for each record; its own state may extend them. */
export type Writer = ReturnType<typeof createWriter>

/** Creates a writer. One for another agent of the same log shares call ids with its `parent`. */
export function createWriter(
  out: SessionWriter,
  agent = 'main',
  { callIds, copied } = { callIds: new Map<string, number>(), copied: false },
) {
  const open = new Set<WrittenCall>()
  const byId = new Map<string, WrittenCall[]>()
  const standing = new Set<string>()

  const writer = {
    out,
    callIds,
    open: open as ReadonlySet<WrittenCall>,
    /** Agent, time, model and place of the current record; the place is needed only if the record was held back. */
    agent,
    time: undefined as string | undefined,
    model: undefined as string | undefined,
    at: undefined as EventPlace | undefined,
    /** True for history of another session, whose usage does not count. */
    copied,
    undone: false,
    /** True if an agent wrote the text under the user's name. */
    byAgent: false,
    /** Number of events so far, and of the user's turns in the conversation. */
    events: 0,
    turns: 0,
    results: 0,
    /** Number of counted answers without an id. */
    answers: 0,

    write(draft: EventDraft): SessionEvent {
      const { agent, copied, time, undone } = writer
      const marks = { ...(copied && { copied }), ...(undone && { inContext: false as const }) }
      const event = out.event({ agent, time, ...marks, ...draft }, writer.at)
      writer.events++
      if (event.type === 'user' && event.agent === 'main') writer.turns++
      return event
    },

    /** Writes text of the model; returns `false` if it is blank, or not a text, like all methods that write a text. */
    say(given: unknown, more: Partial<Draft<'assistant'>> = {}): boolean {
      const text = textOf(given)
      if (text.trim() === '') return absorb('empty text')
      writer.write({ type: 'assistant', text, model: writer.model, ...more })
      return true
    },

    think(given: unknown, more: Partial<Draft<'reasoning'>> = {}): boolean {
      const text = textOf(given)
      if (text.trim() === '') return absorb('encrypted reasoning')
      writer.write({ type: 'reasoning', text, ...more })
      return true
    },

    ask(given: unknown, { origin = 'typed', images = 0 }: Prompt = {}): boolean {
      const text = textOf(given)
      if (text.trim() === '' && images === 0) return absorb('empty message')
      if (writer.byAgent || writer.agent !== 'main') return writer.context('agent', 'task', text, images)
      writer.write({ type: 'user', origin, text, images: images || undefined })
      return true
    },

    /** Writes text under the user's name, split by author. The images belong to the user's words. */
    askPieces(pieces: readonly UserPiece[], images = 0): void {
      const holder = pieces.findIndex(({ type }) => type === 'user')
      for (const [index, piece] of pieces.entries()) {
        const own = index === Math.max(0, holder) ? images : 0
        if (piece.type === 'user') writer.ask(piece.text, { origin: piece.origin, images: own })
        else writer.write(piece.type === 'context' ? { ...piece, images: own } : piece)
      }
      if (pieces.length === 0) writer.ask('', { images })
    },

    context(origin: ContextEvent['origin'], name: string | undefined, given: unknown, images = 0): boolean {
      const text = textOf(given)
      if (text.trim() === '' && images === 0) return absorb('empty message')
      writer.write({ type: 'context', origin, name, text, images })
      return true
    },

    /** Writes a compaction with its summary, if any. */
    compact(given: unknown, { trigger, tokensBefore: tokens }: Compacted = {}): void {
      const tokensBefore = json.count(tokens)
      writer.write({ type: 'compaction', text: textOf(given), trigger, tokensBefore })
    },

    /** Writes a text of a program that logs repeat, such as a system prompt, once. */
    contextOnce(origin: ContextEvent['origin'], name: string | undefined, text: unknown): boolean {
      return writer.isNew(textOf(text)) ? writer.context(origin, name, text) : absorb('repeated context')
    },

    /** Sets metadata of the session; returns why a record of only this adds nothing. */
    meta(given: Parameters<SessionWriter['meta']>[0]): string {
      out.meta(given)
      return 'session metadata'
    },

    isNew(text: string): boolean {
      const key = text.trim()
      return !standing.has(key) && standing.add(key) !== undefined
    },

    has: (text: string): boolean => standing.has(text.trim()),

    /** Writes a call. Without an id, or with a used one, it gets a number. */
    call({ id, name, input = null, kind = toolKindOf(name, input), shownAs }: NewCall): WrittenCall {
      const callId = writer.freshId(id)
      const call = { callId, name, kind, input, shownAs }
      open.add(call)
      appendTo(byId, json.text(id) ?? callId, call)
      if (shownAs === undefined)
        writer.write({ type: 'tool_call', callId, name, kind, input, model: writer.model })
      return call
    },

    freshId(reported: unknown): string {
      const wanted = json.text(reported) ?? `call-${callIds.size + 1}`
      let times = callIds.get(wanted) ?? 1
      let id = wanted
      for (; callIds.has(id); id = `${wanted}#${times}`) times++
      callIds.set(wanted, times)
      if (id !== wanted) callIds.set(id, 1)
      return id
    },

    /** Takes the oldest open call with an id in the log; without an id, the oldest with the name, or of all. */
    take(id: unknown, name?: string): WrittenCall | undefined {
      const call = writer.peek(id, name)
      if (call !== undefined) open.delete(call)
      return call
    },

    peek(id: unknown, name?: string): WrittenCall | undefined {
      const wanted = json.text(id)
      return wanted === undefined ? oldest(name) : oldestOf(byId.get(wanted))
    },

    /** Stops waiting for the result of a call. */
    close: (call: WrittenCall): boolean => open.delete(call),

    /** Writes the result of a call. `id` is the one in the log, for a result without a call. */
    result(call: WrittenCall | undefined, outcome: Outcome, id?: unknown): void {
      if (call === undefined) out.note('result-without-call', 'a tool result answers no call of this log')
      else open.delete(call)
      if (call?.shownAs === 'command') writer.context('output', 'command', outcome.text)
      else if (call?.shownAs === 'answer' && (outcome.failed === true || outcome.status !== undefined))
        writer.contextOnce('harness', call.name, outcome.text)
      else if (call?.shownAs === 'answer') absorb('repeated answer')
      else {
        writer.results++
        writer.write(resultDraft(call?.callId ?? writer.freshId(json.text(id) ?? 'no-call'), outcome))
      }
    },

    other(raw: unknown, name?: string): void {
      const { type, role } = json.fields(raw)
      writer.write({ type: 'other', name: name ?? json.text(type) ?? json.text(role) ?? 'unknown', raw })
    },

    /** Sets the usage of a response; the last one for a key is kept. */
    usage(key: string, usage: Counts, model?: string): void {
      if (writer.copied) return
      out.usage(key, writer.agent, model ?? writer.model ?? 'unknown', usage as TokenUsage)
    },

    answer(id: unknown, usage: Counts, by?: unknown): void {
      writer.usage(json.text(id) ?? `answer-${++writer.answers}`, usage, json.text(by))
    },

    /** Takes back the last turns of the conversation. The rewind itself belongs to the turn before them. */
    rewind(turns: number): void {
      const taken = out.rewind(turns)
      writer.turns -= taken
      writer.write({ type: 'rewind', turns: taken })
    },

    begin(child: string, { callId, ...node }: ChildNode = {}): void {
      out.agent({ id: child, parent: writer.agent, callId, ...node })
      writer.write({ type: 'subagent_start', child, callId })
    },

    end(child: string, callId?: string): void {
      writer.write({ type: 'subagent_end', child, callId })
    },

    /** Writes the part of a child within its parent, whose fields are restored afterwards. */
    within(child: string, node: ChildNode, write: () => void): void {
      const { agent, at, byAgent, model, time, undone } = writer
      writer.begin(child, node)
      writer.agent = child
      write()
      Object.assign(writer, { agent, at, byAgent, model, time, undone })
      writer.end(child, node.callId)
    },

    leave(): void {
      const child = writer.agent
      if (child === 'main') return
      Object.assign(writer, { agent: 'main', time: undefined })
      writer.end(child)
    },
  }

  function oldest(name?: string): WrittenCall | undefined {
    for (const call of open) if (name === undefined || call.name === name) return call
    return undefined
  }

  function oldestOf(calls: WrittenCall[] = []): WrittenCall | undefined {
    while (calls[0] !== undefined && !open.has(calls[0])) calls.shift()
    return calls[0]
  }

  function absorb(reason: string): false {
    out.absorb(reason)
    return false
  }

  return writer
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

type Result = Extract<EventDraft, { type: 'tool_result' }>

/** The change of a file; `undefined` fields count as not given. */
export type Change = { readonly [Key in keyof FileChange]: FileChange[Key] | undefined } & Pick<
  FileChange,
  'path' | 'action'
>

export interface Outcome extends Pick<Result, 'text' | 'exitCode' | 'images'> {
  /** @default `error` if it failed or its exit code is not 0, otherwise `ok` */
  readonly status?: Result['status'] | undefined
  readonly failed?: boolean | undefined
  readonly changes?: readonly Change[] | undefined
}

/** Makes the result of a call. Only a successful tool has changes. */
export function resultDraft(callId: string, { failed, status: given, ...outcome }: Outcome): Result {
  const { changes = [], exitCode, images, text } = outcome
  const status = given ?? (failed === true || (exitCode ?? 0) !== 0 ? 'error' : 'ok')
  const made = status === 'ok' ? changes.map((change) => known<FileChange>(change)) : undefined
  return { type: 'tool_result', callId, status, text, exitCode, changes: made, images }
}
