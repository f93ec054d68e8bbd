import { type EventDraft, toolKinds } from '../../session/event.ts'
import { asCount, asList, asObject, type JsonObject } from '../../session/json-values.ts'

type Check = (value: unknown) => boolean

const text: Check = (value) => typeof value === 'string'
const count: Check = (value) => asCount(value) !== undefined
const whole: Check = (value) => Number.isSafeInteger(value)
const any: Check = () => true
const oneOf =
  (...words: readonly string[]): Check =>
  (value) =>
    typeof value === 'string' && words.includes(value)

const action = oneOf('created', 'modified', 'deleted', 'renamed')
const changes: Check = (value) =>
  Array.isArray(value) &&
  asList(value).every((item) => {
    const change = asObject(item)
    return change !== undefined && text(change.path) && action(change.action)
  })

const origins = ['system', 'harness', 'hook', 'attachment', 'notification', 'output', 'agent']
interface Shape {
  readonly needs: Readonly<Record<string, Check>>
  readonly may: Readonly<Record<string, Check>>
}

const shared: Readonly<Record<string, Check>> = {
  agent: text,
  time: text,
  copied: (value) => value === true,
  inContext: (value) => value === false,
}

const shapes = new Map<unknown, Shape>([
  ['user', { needs: { origin: oneOf('typed', 'queued', 'command'), text }, may: { images: count } }],
  ['context', { needs: { origin: oneOf(...origins), text }, may: { name: text, images: count } }],
  ['assistant', { needs: { text }, may: { model: text, phase: oneOf('commentary', 'final') } }],
  ['reasoning', { needs: { text }, may: {} }],
  [
    'tool_call',
    { needs: { callId: text, name: text, kind: oneOf(...toolKinds) }, may: { input: any, model: text } },
  ],
  [
    'tool_result',
    {
      needs: { callId: text, status: oneOf('ok', 'error', 'denied', 'cancelled', 'unknown'), text },
      may: { exitCode: whole, changes, images: count },
    },
  ],
  ['subagent_start', { needs: { child: text }, may: { callId: text } }],
  ['subagent_end', { needs: { child: text }, may: { callId: text } }],
  ['compaction', { needs: { text }, may: { trigger: text, tokensBefore: count } }],
  ['rewind', { needs: { turns: count }, may: {} }],
  ['other', { needs: { name: text }, may: { raw: any } }],
])

/** The event in a parsed line, without its number and place; `undefined` if a required field is missing or odd. */
export function eventFromJson(object: JsonObject): EventDraft | undefined {
  const shape = shapes.get(object.type)
  if (shape === undefined) return undefined
  const event: Record<string, unknown> = { type: object.type }
  for (const [field, check] of Object.entries(shape.needs)) {
    if (!check(object[field])) return undefined
    event[field] = object[field]
  }
  for (const [field, check] of Object.entries({ ...shared, ...shape.may })) {
    if (Object.hasOwn(object, field) && check(object[field])) event[field] = object[field]
  }
  return event as unknown as EventDraft
}
