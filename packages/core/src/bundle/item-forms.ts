import { formatItem, type ItemLine } from './item-line.ts'
import { formatUsage } from './markdown-usage.ts'
import type { ContextBundle } from './schema.ts'

/** How the value of a field is written. `readItem` reads all of these ways. */
type WriteField = (value: never) => readonly unknown[]

export const number: WriteField = (value: number) => [value]
export const each: WriteField = (values: readonly string[]) => values
/** Like `each`, for a list that is absent instead of empty. */
export const some: WriteField = (values: readonly string[]) => values
export const joined: WriteField = (values: readonly string[]) => [values.join(', ')]
export const tokens: WriteField = (usage: ContextBundle['usage']['total']) => [formatUsage(usage)]

/**
 * Writes `edited +12 -3`. Files that were only read get no word, since most files of a list are such and words cost
 * tokens.
 */
export const change: WriteField = ({ status, added, removed }: ContextBundle['files'][number]) => {
  const lines = `${added === undefined ? '' : ` +${added}`}${removed === undefined ? '' : ` -${removed}`}`
  return status === 'read' && lines === '' ? [] : [`${status}${lines}`]
}

/** The name of a field in a line, and its key in the item; `''` if the item itself is the value. */
type Field<Key extends string> = readonly [name: string, key: Key | '', write?: WriteField]

/** The form of an item's line: its main part, then the other fields in order. Written here, read by `readItem`. */
export interface ItemForm<Key extends string = string> {
  readonly main: Key
  readonly fields: readonly Field<Key>[]
  /** True if the line ends with the events that prove the item. */
  readonly cited?: boolean
  /** A box in front of the item: ticked, open, or ticked if the item is `done`. */
  readonly box?: 'x' | ' ' | 'done'
}

type KeyOf<T> = keyof T & string

export type FormOf<T> = ItemForm<KeyOf<T>>

function plain<T>(main: KeyOf<T>, ...fields: Field<KeyOf<T>>[]): FormOf<T> {
  return { main, fields }
}

function cited<T>(main: KeyOf<T>, ...fields: Field<KeyOf<T>>[]): FormOf<T> {
  return { main, fields, cited: true }
}

type ItemOf<K extends 'decisions' | 'files' | 'errors' | 'commands' | 'notes'> = ContextBundle[K][number]
type Usage = ContextBundle['usage']
type Item = ContextBundle['findings'][number]

export const statement = cited<Item>('text')
export const doneItem: FormOf<Item> = { ...statement, box: 'x' }
export const openItem: FormOf<Item> = { ...statement, box: ' ' }
export const step: FormOf<NonNullable<ContextBundle['plan']>['steps'][number]> = { ...statement, box: 'done' }
/** Names its source, so that nobody mistakes the rule for a message of the user. */
export const projectRule = cited<ContextBundle['projectRules'][number]>('text', ['from', 'source'])
export const nextStep = cited<ContextBundle['nextSteps'][number]>('action', ['run', 'command'])
export const decision = cited<ItemOf<'decisions'>>(
  'choice',
  ['on', 'topic'],
  ['because', 'rationale'],
  ['over', 'alternatives', each],
  ['by', 'by'],
  ['at', 'at'],
)
/** Consecutive items of the same bundle name it only once: see `ownLines`. */
export const carried = plain<NonNullable<ContextBundle['carried']>[number]>(
  'text',
  ['as', 'as'],
  ['run', 'command'],
)
export const validation = cited<NonNullable<ContextBundle['validation']>>(
  'status',
  ['was', 'result'],
  ['run', 'command'],
)
export const commit = cited<ContextBundle['git']['commits'][number]>(
  'sha',
  ['subject', 'subject'],
  ['in', 'folder'],
)
export const file = cited<ItemOf<'files'>>(
  'path',
  ['is', '', change],
  ['from', 'from'],
  ['defines', 'defines', joined],
  ['why', 'reason'],
  ['part', 'sections', some],
)
export const failure = cited<ItemOf<'errors'>>('message', ['solved', 'resolution'])
export const command = cited<ItemOf<'commands'>>(
  'command',
  ['status', 'status'],
  ['exit', 'exitCode', number],
)
export const agentUsage = plain<Usage['byAgent'][number]>('agent', ['tokens', '', tokens])
export const modelUsage = plain<Usage['byModel'][number]>('model', ['tokens', '', tokens])
export const call = plain<ContextBundle['compression']['calls'][number]>(
  'summarizer',
  ['model', 'model'],
  ['for', 'purpose'],
  ['tier', 'tier'],
  ['request', 'requestId'],
  ['stop', 'stop'],
  ['ms', 'durationMs', number],
  ['error', 'error'],
  ['tokens', 'usage', tokens],
)
export const note = plain<ItemOf<'notes'>>(
  'message',
  ['code', 'code'],
  ['file', 'file'],
  ['line', 'line', number],
  ['count', 'count', number],
)

export function itemParts({ main, fields, box }: ItemForm, item: object): ItemLine {
  const values = item as Readonly<Record<string, unknown>>
  const { done, evidence = [], unverified } = item as { done?: true; evidence?: string[]; unverified?: true }
  const tick = box === 'done' ? (done ? 'x' : ' ') : box
  // The command is in the field `run` already.
  const text = values[main] === `Make it pass: ${values.command}` ? 'Make it pass' : values[main]
  return {
    main: `${tick === undefined ? '' : `[${tick}] `}${text}`,
    fields: fields.flatMap(([name, key, write]) => {
      const value = key === '' ? item : values[key]
      const written = value === undefined ? [] : (write?.(value as never) ?? [value])
      return written.map((each) => [name, String(each)] as const)
    }),
    evidence,
    unverified: unverified === true,
  }
}

/** Returns an item's line for readers: its values are not quoted, so that they can be copied. */
export function writeItem(form: ItemForm, item: object): string {
  return formatItem(itemParts(form, item), (value) => value)
}
