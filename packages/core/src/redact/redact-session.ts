import { createRedaction, type Redaction, type Redactor } from '@tenfold/redact'
import type { SessionEvent, ToolCallEvent } from '../session/event.ts'
import type { Note } from '../session/note.ts'
import { atOnce, type Steps } from '../session/pauses.ts'
import type { AgentNode, Session } from '../session/session.ts'
import { newText } from '../tools/given-text.ts'

/**
 * Replaces secrets by marks in a whole session: messages, tool arguments one by one, outputs, raw records, title,
 * notes, names of agents and files. A value found anywhere is replaced everywhere, in all of its forms. Call ids, times
 * and digests stay; a note gives the number of secrets. Returns the same session if nothing was found.
 */
export function redactSession(session: Session, redactors: readonly Redactor[] | Redaction): Session {
  return atOnce(redactionSteps(session, redactors))
}

/** {@link redactSession} in steps that can pause at each event. */
export function* redactionSteps(
  session: Session,
  redactors: readonly Redactor[] | Redaction,
): Steps<Session> {
  const redaction = isRedaction(redactors) ? redactors : createRedaction(redactors)
  yield* learningSteps(session, redaction)
  if (redaction.isClean) return session
  const clean = yield* sessionFields(session, redaction)
  if (clean === session) return session
  const notes = clean.notes.filter((note) => note.code !== 'redacted')
  return { ...clean, notes: [...notes, redactedNote(redaction)] }
}

/** Learns the secrets of a session, for other data that is redacted before it or together with it. */
export function learnSession(session: Session, redaction: Redaction): void {
  atOnce(learningSteps(session, redaction))
}

/** Returns a redaction that learns secrets and changes nothing. */
export function learningOnly(redaction: Redaction): Redaction {
  return {
    ...redaction,
    isClean: true,
    leaks: () => 0,
    redact(text) {
      redaction.learn(text)
      return text
    },
    redactValue(value) {
      redaction.learnValue(value)
      return value
    },
  }
}

function* learningSteps(session: Session, redaction: Redaction): Steps<void> {
  yield* sessionFields(session, learningOnly(redaction))
  const commands = new Map<string, string>()
  for (const event of session.events) {
    const command = event.type === 'tool_call' ? commandOf(event) : undefined
    if (event.type === 'tool_call' && command !== undefined) {
      commands.set(event.callId, command)
      learnPrinted(command, newText(event.input), redaction)
    } else if (event.type === 'tool_result') learnPrinted(commands.get(event.callId), event.text, redaction)
    yield
  }
}

/** Maximum characters of output that are searched; output that is only a secret is short. */
const maxPrinted = 5000
const maxCommand = 300
const saysSecret = /pass|pwd|secret|token|key\b|cred|\bpin\b|otp\b|seed|mnemonic|phrase|openssl|pwgen/i

/** The output or content of a tool is a secret if its command or the name of its file shows it. */
function learnPrinted(command: string | undefined, text: string, redaction: Redaction): void {
  if (command !== undefined && text !== '') redaction.learn(`${command}\n${text.slice(0, maxPrinted)}\n`)
}

/** Returns the action of a tool as a shell line, if it may name a secret. */
function commandOf({ input, kind }: ToolCallEvent): string | undefined {
  const words = stringsOf(input).filter((text) => text !== '' && text.length <= maxCommand)
  const paths = words.filter((text) => /^[\w.~-]*\/\S+$|^\S+\.\w+$/.test(text))
  const line = kind === 'execute' || paths.length === 0 ? words.join(' ') : `cat ${paths[0]}`
  return saysSecret.test(line.slice(0, maxPrinted))
    ? `$ ${line.slice(0, maxPrinted).replaceAll('\n', '; ')}`
    : undefined
}

/** Returns the strings of arguments, without their names. */
function stringsOf(value: unknown, depth = 0): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null || depth > 6) return []
  return Object.values(value).flatMap((child) => stringsOf(child, depth + 1))
}

function isRedaction(value: readonly Redactor[] | Redaction): value is Redaction {
  return 'redactValue' in value
}

function redactedNote(redaction: Redaction): Note {
  const types = redaction.types().map(([type, count]) => `${count} ${type}`)
  const secrets =
    redaction.count === 1
      ? '1 secret was replaced by a mark'
      : `${redaction.count} secrets were replaced by marks`
  return { code: 'redacted', message: `${secrets}: ${types.join(', ')}`, count: redaction.count }
}

function* sessionFields(session: Session, redaction: Redaction): Steps<Session> {
  const events: SessionEvent[] = []
  for (const event of session.events) {
    events.push(eventFields(event, redaction))
    yield
  }
  const source = changed(session.source, {
    files: each(session.source.files, (file) => changed(file, { name: redaction.redact(file.name) })),
  })
  return changed(session, {
    ...texts(session, redaction, ['id', 'agentVersion', 'title', 'cwd', 'branch', 'commit']),
    models: each(session.models, (model) => redaction.redact(model)),
    agents: each(session.agents, (agent) => agentFields(agent, redaction)),
    events: events.every((event, index) => event === session.events[index]) ? session.events : events,
    usage: each(session.usage, (entry) =>
      changed(entry, { agent: agentKey(entry.agent, redaction), model: redaction.redact(entry.model) }),
    ),
    notes: each(session.notes, (note) => changed(note, texts(note, redaction, ['message', 'file']))),
    source,
  })
}

function agentFields(agent: AgentNode, redaction: Redaction): AgentNode {
  const parent = agent.parent === undefined ? {} : { parent: agentKey(agent.parent, redaction) }
  const id = agentKey(agent.id, redaction)
  return changed(agent, { id, ...parent, ...texts(agent, redaction, ['type', 'title']) })
}

/** Fields with our vocabulary and links between events, which contain no text of the log except the keys of agents. */
const fixed = new Set(['id', 'type', 'turn', 'time', 'source', 'callId', 'status', 'kind', 'origin', 'phase'])

function eventFields(event: SessionEvent, redaction: Redaction): SessionEvent {
  let clean = event
  for (const field of Object.keys(event)) {
    if (fixed.has(field)) continue
    const value = (event as unknown as Record<string, unknown>)[field]
    const redacted = redactField(field, value, redaction)
    if (redacted !== value) clean = { ...clean, [field]: redacted }
  }
  return clean
}

function redactField(field: string, value: unknown, redaction: Redaction): unknown {
  if (field === 'agent' || field === 'child') return agentKey(String(value), redaction)
  if (typeof value === 'string') return redaction.redact(value)
  return typeof value === 'object' ? redaction.redactValue(value) : value
}

/** `main` is our word, not the log's. */
function agentKey(key: string, redaction: Redaction): string {
  return key === 'main' ? key : redaction.redact(key)
}

function texts<T extends object, K extends keyof T & string>(
  value: T,
  redaction: Redaction,
  fields: readonly K[],
): Partial<T> {
  const given = fields.filter((field) => typeof value[field] === 'string')
  return Object.fromEntries(
    given.map((field) => [field, redaction.redact(value[field] as string)]),
  ) as unknown as Partial<T>
}

/** Returns the object with new fields, or itself if they equal the old ones. */
function changed<T extends object>(value: T, fields: Partial<T>): T {
  const same = (Object.keys(fields) as (keyof T)[]).every((field) => fields[field] === value[field])
  return same ? value : { ...value, ...fields }
}

/** Like `map`, but returns the same list if no item changed. */
function each<T>(items: readonly T[], change: (item: T) => T): readonly T[] {
  const list = items.map(change)
  return list.every((item, index) => item === items[index]) ? items : list
}
