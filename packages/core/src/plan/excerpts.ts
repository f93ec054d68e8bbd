import type { CommandFact, Facts } from '../facts/facts.ts'
import { splitPasted } from '../facts/pasted.ts'
import { asksNothing } from '../facts/state/last-turn.ts'
import { cleanLine, cleanText } from '../session/clean-text.ts'
import {
  type ContextEvent,
  type EventId,
  eventIndex,
  type SessionEvent,
  type ToolCallEvent,
  type ToolResultEvent,
} from '../session/event.ts'
import { isHarnessText } from '../session/harness-text.ts'
import type { Session } from '../session/session.ts'
import { onlyLooks } from '../shell/command-program.ts'
import { measureSession } from '../tokens/measure-session.ts'
import type { TokenCounter } from '../tokens/token-counter.ts'
import { changedText } from '../tools/given-text.ts'
import { joinToolUses, type ToolUse } from '../tools/tool-uses.ts'
import { type Excerpt, type ExcerptPart, repeat } from './excerpt.ts'
import { positionOf } from './excerpt-list.ts'
import { holdsUnique } from './score-sentence.ts'
import { type TextKind, textKinds } from './text-kinds.ts'
import { hasFailed, linePart, toolOutcome, toolTarget } from './tool-line.ts'
import { toolTexts } from './tool-texts.ts'

/**
 * Yields everything that a trail could show of a session, in order: messages in full, one line per tool call, with its
 * input and output as further parts. A repeated text refers to its first event.
 */
export function* excerptsOf(
  session: Session,
  facts: Facts,
  counter: TokenCounter,
  measured = measureSession(session, counter),
): Generator<Excerpt> {
  const uses = new Map(joinToolUses(session.events).map((use) => [use.call, use]))
  const called = new Set([...uses.keys()].map(({ callId }) => callId))
  const finals = finalAnswers(session.events)
  const counts = ({ agent, inContext }: SessionEvent) => agent === 'main' && inContext !== false
  const lastUser = (
    session.events.findLast((event) => event.type === 'user' && counts(event) && !asksNothing(event.text)) ??
    session.events.findLast((event) => event.type === 'user' && counts(event))
  )?.id
  const lastAnswer = session.events.findLast((event, index) => finals[index] === 1 && counts(event))?.id
  const lastCompaction = session.events.findLast(
    (event) => event.type === 'compaction' && event.text !== '',
  )?.id
  const children = childrenByCall(session.events)
  const commands = new Map(facts.commands.map((command) => [command.call, command]))
  const seen = new Map<string, EventId>()

  /** Reuses the measured count of an event's text, because counting a long text takes long. */
  const sizeOf = (text: string, id: EventId): number => {
    const event = session.events[eventIndex(id)]
    const isWhole =
      event !== undefined && 'text' in event && event.copied !== true && event.text.trim() === text
    return (isWhole ? measured.byEvent[eventIndex(id)] : undefined) ?? counter.count(text)
  }

  /** `of` is the event that has the text, if it is not `event`. */
  const partOf = (kind: TextKind, text: string, event: EventId, of = event): ExcerptPart[] => {
    const clean = cleanText(text).trim()
    if (clean === '') return []
    const first = clean.length < repeatLength ? undefined : seen.get(clean)
    if (first !== undefined && textKinds[kind].body) return []
    if (first === undefined && clean.length >= repeatLength) seen.set(clean, event)
    const shown = first === undefined ? clean : repeat(first)
    const tokens = sizeOf(shown, of)
    const lines = lineBreaks(shown)
    const isUnique = textKinds[kind].trail.unique === true && holdsUnique(shown, facts)
    return [
      isUnique ? { kind, text: shown, tokens, lines, unique: true } : { kind, text: shown, tokens, lines },
    ]
  }

  const excerptOf = (event: SessionEvent, index: number): Excerpt[] => {
    // Turns that the user took back must not look like done work; the rewind itself is reported.
    if (event.copied || event.inContext === false || isHarnessText(event)) return []
    const { id, agent, turn, type } = event
    const position = positionOf(id, session.events.length)
    // Object literals without spreads take a third of the memory in V8, which matters for a million events.
    const of = (label: string, parts: readonly ExcerptPart[]): Excerpt[] =>
      parts.length === 0 ? [] : [{ event: id, agent, turn, type, position, label, parts }]
    switch (event.type) {
      case 'user': {
        const kind = event.id === lastUser ? 'last-user' : 'user'
        const parts = splitPasted(wordsOf(event)).map((piece) =>
          partOf(piece.pasted ? 'pasted' : kind, piece.text, id),
        )
        return of('user', parts.length === 1 ? (parts[0] ?? []) : parts.flat())
      }
      case 'assistant': {
        const kind = answerKind(index, event)
        return of('assistant', partOf(kind, event.text, id))
      }
      case 'reasoning':
        return of('reasoning', partOf('reasoning', event.text, id))
      case 'context': {
        const [label, kind] = contextKind(event)
        // A plan handed over with the last message belongs to that message.
        const handed = kind === 'plan' && session.events[index - 1]?.id === lastUser
        return of(label, partOf(handed ? 'last-user' : kind, wordsOf(event), id))
      }
      case 'compaction': {
        const kind = event.id === lastCompaction ? 'compaction' : 'context'
        return of('compaction', partOf(kind, event.text, id))
      }
      case 'rewind':
        return of('rewind', partOf('line', `${event.turns} turns taken back`, id))
      case 'tool_call':
        return [toolExcerpt(event, position)]
      case 'tool_result':
        return !called.has(event.callId)
          ? of('result', partOf('output', event.text, id)).map((each) => ({
              ...each,
              status: event.status,
            }))
          : []
      case 'subagent_start':
      case 'subagent_end':
      case 'other':
        return []
    }
  }

  const answerKind = (index: number, { id, agent }: SessionEvent): TextKind => {
    if (id === lastAnswer) return 'last-answer'
    if (finals[index] !== 1) return 'chatter'
    return agent === 'main' ? 'answer' : 'report'
  }

  const omitted = (text: string) => `[…${counter.count(text)}]`

  const toolExcerpt = (call: ToolCallEvent, position: number): Excerpt => {
    const use: Pick<ToolUse, 'call' | 'result'> = uses.get(call) ?? { call }
    const { result } = use
    const child = children.get(call.callId)
    const command = commands.get(call.id)
    const outcome = toolOutcome(call, result, command)
    const target = toolTarget(call, session.cwd)
    const line = `${target}${child === undefined ? '' : ` (agent ${child})`}`.trim()
    const isBrief = result !== undefined && isHarnessText(result)
    const texts = isBrief
      ? []
      : toolTexts(use, { purpose: command?.purpose, clean: cleanOutput, edited: changedText, omitted })
    const { id: event, agent, turn, type } = call
    const label = cleanLine(call.name).replace(/[\s:]+/g, '_') || 'tool'
    const status = result?.status ?? 'missing'
    const given = texts.filter(({ kind }) => kind === 'edit' || kind === 'task')
    const returned = texts.filter((text) => !given.includes(text) && text.kind !== 'notice')
    const bodies = [...returned, ...given].flatMap(({ kind, text }) =>
      // The line of the call may already be the task.
      kind === 'task' && cleanLine(text) === target
        ? []
        : partOf(kind, kind === 'check' ? lastLines(text) : text, event, result?.id),
    )
    // `concat`, because V8 reserves much more room for a list made by spread.
    const parts = [linePart(line, outcome, counter)].concat(bodies)
    return looksAround(call, result, command)
      ? { event, agent, turn, type, position, label, parts, status, looks: true }
      : { event, agent, turn, type, position, label, parts, status }
  }

  function* each(): Generator<Excerpt> {
    for (const [index, event] of session.events.entries()) yield* excerptOf(event, index)
  }

  yield* foldRuns(each(), counter)
}

function cleanOutput(text: string): string {
  return cleanText(text)
    .replace(/<\/?tool_use_error>/g, '')
    .trim()
}

/** Returns the last lines of a check's output. */
function lastLines(output: string): string {
  return output.split('\n').slice(-30).join('\n')
}

const lookingTool =
  /^(TodoWrite|TodoRead|TaskUpdate|TaskGet|TaskList|update_plan|write_stdin|BashOutput|TaskOutput|ToolSearch)$/

function looksAround(
  call: ToolCallEvent,
  result: ToolResultEvent | undefined,
  command: CommandFact | undefined,
): boolean {
  if (result === undefined || hasFailed(result)) return false
  if (command !== undefined) return onlyLooks(command.program)
  return (
    call.kind === 'read' || call.kind === 'search' || call.kind === 'fetch' || lookingTool.test(call.name)
  )
}

function contextKind(event: ContextEvent): [label: string, kind: TextKind] {
  if (event.origin === 'agent') return ['task', 'task']
  return event.name === 'plan' ? ['plan', 'plan'] : ['context', 'context']
}

function lineBreaks(text: string): number {
  let count = 0
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count++
  return count
}

/** Minimum length of a text that becomes a back reference when it is repeated. */
const repeatLength = 160

function wordsOf(event: { readonly text: string; readonly images?: number }): string {
  const words = event.text
  return event.images ? `${words} [${event.images} image${event.images === 1 ? '' : 's'}]`.trim() : words
}

function childrenByCall(events: readonly SessionEvent[]): Map<string, string> {
  const children = new Map<string, string>()
  for (const event of events)
    if (event.type === 'subagent_start' && event.callId !== undefined) children.set(event.callId, event.child)
  return children
}

/**
 * Marks by position, with 1, the assistant texts that end a turn: the agent adds nothing but reasoning before the next
 * message from outside.
 */
function finalAnswers(events: readonly SessionEvent[]): Uint8Array {
  const finals = new Uint8Array(events.length)
  const working = new Set<string>()
  for (let index = events.length - 1; index >= 0; index--) {
    const event = events[index] as SessionEvent
    if (event.type === 'user' || (event.type === 'context' && event.origin === 'agent'))
      working.delete(event.agent)
    else if (event.type === 'tool_call') working.add(event.agent)
    else if (event.type === 'assistant') {
      if (event.phase === 'final' || (event.phase === undefined && !working.has(event.agent)))
        finals[index] = 1
      working.add(event.agent)
    }
  }
  return finals
}

/**
 * Folds consecutive calls of one tool that only look around into one excerpt whose line names each target once: `x6
 * a.ts, b.ts`. Their outputs remain as parts.
 */
function* foldRuns(excerpts: Iterable<Excerpt>, counter: TokenCounter): Generator<Excerpt> {
  let run: Excerpt[] = []
  for (const excerpt of excerpts) {
    if (run[0] !== undefined && !joins(run[0], excerpt)) {
      yield fold(run, counter)
      run = []
    }
    run.push(excerpt)
  }
  if (run[0] !== undefined) yield fold(run, counter)
}

function joins(first: Excerpt, next: Excerpt): boolean {
  return (
    first.looks === true &&
    next.looks === true &&
    next.label === first.label &&
    next.agent === first.agent &&
    next.turn === first.turn
  )
}

function fold(run: readonly Excerpt[], counter: TokenCounter): Excerpt {
  const [first] = run as [Excerpt]
  if (run.length === 1) return first
  const last = run.at(-1) ?? first
  const lines = run.flatMap((excerpt) => excerpt.parts.filter((part) => part.kind === 'line'))
  const targets = [...new Set(lines.map((line) => line.text))]
  return {
    ...first,
    until: last.event,
    position: last.position,
    parts: [
      {
        ...linePart(
          `x${run.length} ${targets.join(', ')}`,
          lines[0]?.suffix === ' -> ok' ? ' -> ok' : '',
          counter,
        ),
        calls: run.length,
        targets,
      },
      ...run.flatMap((excerpt) => excerpt.parts.filter((part) => part.kind !== 'line')),
    ],
  }
}
