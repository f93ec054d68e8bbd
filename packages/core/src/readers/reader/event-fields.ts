import { cleanLine } from '../../session/clean-text.ts'
import { type EventDraft, toolKinds } from '../../session/event.ts'
import * as json from '../../session/json.ts'
import { toolKindOf } from '../../tools/tool-kind.ts'

type Kind = readonly [what: string, fits: (value: unknown) => boolean, mayLack?: true]

const text: Kind = ['a text', (value) => typeof value === 'string']
const count: Kind = ['a count', (value) => json.count(value) !== undefined]
const whole: Kind = ['a whole number', Number.isSafeInteger]
const any: Kind = ['a value', () => true]
const images: Kind = ['a count from 1', (value) => json.count(value) !== undefined && value !== 0]

function oneOf(...words: readonly string[]): readonly [string, Kind[1]] {
  return [`one of ${words.join(', ')}`, (value) => typeof value === 'string' && words.includes(value)]
}

const [, isAction] = oneOf('created', 'modified', 'deleted', 'renamed')
const isChange = (value: unknown): boolean =>
  typeof json.at(value, 'path') === 'string' && isAction(json.at(value, 'action'))
const isChanges: Kind[1] = (value) => json.list(value).length > 0 && json.list(value).every(isChange)
const changes: Kind = ['a list of changes', isChanges]

const shapes: ReadonlyMap<unknown, ReturnType<typeof shapeOf>> = new Map(
  Object.entries({
    user: shapeOf({ origin: oneOf('typed', 'queued', 'command'), text }, { images }),
    context: shapeOf(
      { origin: oneOf('system', 'harness', 'hook', 'attachment', 'notification', 'output', 'agent'), text },
      { name: text, images },
    ),
    assistant: shapeOf({ text }, { model: text, phase: oneOf('commentary', 'final') }),
    reasoning: shapeOf({ text }),
    tool_call: shapeOf(
      { callId: text, name: text, kind: [...oneOf(...toolKinds), true] },
      { input: any, cwd: text, branch: text, model: text },
    ),
    tool_result: shapeOf(
      { callId: text, status: oneOf('ok', 'error', 'denied', 'cancelled', 'unknown'), text },
      { exitCode: whole, changes, images },
    ),
    subagent_start: shapeOf({ child: text }, { callId: text }),
    subagent_end: shapeOf({ child: text }, { callId: text }),
    compaction: shapeOf({ text }, { trigger: text, tokensBefore: count }),
    rewind: shapeOf({ turns: count }),
    other: shapeOf({ name: text }, { raw: any }),
  }),
)

function shapeOf(needs: Readonly<Record<string, Kind>>, may: Readonly<Record<string, Kind>> = {}) {
  const copied: Kind = ['true', (value) => value === true]
  const inContext: Kind = ['false', (value) => value === false]
  const all = { type: any, ...needs, agent: text, copied, inContext, ...may }
  const needed = Object.keys(needs).filter((field) => needs[field]?.[2] !== true)
  return { needs: needed, kinds: new Map<string, Kind>(Object.entries(all)) }
}

/** Returns the valid fields of a draft for its type, without the time; or what is wrong. */
export function eventFields(draft: json.Fields): Record<string, unknown> | string {
  const shape = shapes.get(draft.type)
  if (shape === undefined) return `its type is none of ${[...shapes.keys()].join(', ')}`
  // A literal with a spread takes V8 four times the time and memory, and there may be a million events.
  const fields: Record<string, unknown> = {}
  for (const field of Object.keys(draft)) {
    const value = draft[field]
    if (value !== undefined && shape.kinds.get(field)?.[1](value) === true) fields[field] = value
  }
  for (const field of shape.needs)
    if (fields[field] === undefined)
      return `${draft.type} needs the field "${field}", ${shape.kinds.get(field)?.[0]}`
  if (draft.type === 'tool_call') fields.kind ??= toolKindOf(fields.name as string, fields.input)
  return fields
}

export function eventFromJson(object: json.Fields): EventDraft | undefined {
  const own = [...(shapes.get(object.type)?.kinds.keys() ?? [])].filter((field) =>
    Object.hasOwn(object, field),
  )
  const fields = eventFields(Object.fromEntries(own.map((field) => [field, object[field]])))
  return typeof fields === 'string' ? undefined : ({ ...fields, time: json.text(object.time) } as EventDraft)
}

const plain = /^[\w.:@/#-]+$/

/** Returns an agent's id in the form that a bundle accepts: one word without control characters. */
export function agentId(text: string): string {
  return plain.test(text) ? text : cleanLine(text).trim().replace(/\s+/gu, '_') || 'agent'
}
