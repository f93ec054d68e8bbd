import { known } from '../session/known.ts'
import { fieldList, fieldOf, fieldsOf, formatItem, type ItemLine, parseItem } from './markdown-items.ts'
import { formatUsage, parseUsage } from './markdown-usage.ts'
import type { ContextBundle } from './schema.ts'

/** An item before it is formatted. */
export type ItemParts = Partial<ItemLine> & { readonly main: string }

/** Conversion of an item to the parts of its line, and back. Reading gives plain values, validated later. */
export interface ItemForm<T> {
  readonly write: (item: T) => ItemParts
  readonly read: (item: ItemLine) => object
}

/** Fields whose values are numbers. */
const numbers = new Set(['exitCode', 'durationMs', 'line', 'count'])

/** An item of a main part and other fields; `names` maps the name of a field in the line to its key. */
function fieldForm<T extends object>(
  main: keyof T & string,
  names: Readonly<Record<string, keyof T & string>>,
): ItemForm<T> {
  const fields = Object.entries<keyof T & string>(names)
  return {
    write: (item) => ({
      main: String(item[main]),
      fields: fields.flatMap(([name, key]) =>
        fieldList({ [name]: item[key] as string | number | undefined }),
      ),
    }),
    read: (item) =>
      known({
        [main]: item.main,
        ...Object.fromEntries(
          fields.map(([name, key]) => {
            const value = fieldOf(item, name)
            return [key, numbers.has(key) ? numberOf(value) : value]
          }),
        ),
      }),
  }
}

/** A {@link fieldForm} whose items name the events that prove them. */
function cited<T extends Marks>(
  main: keyof T & string,
  names: Readonly<Record<string, keyof T & string>>,
): ItemForm<T> {
  const form = fieldForm<T>(main, names)
  return {
    write: (item) => ({ ...form.write(item), ...marksOf(item) }),
    read: (item) => ({ ...form.read(item), evidence: item.evidence, ...flag(item.unverified) }),
  }
}

export const statement: ItemForm<ContextBundle['findings'][number]> = {
  write: ({ text, ...item }) => ({ main: text, ...marksOf(item) }),
  read: ({ main, evidence, unverified }) => ({ text: main, evidence, ...flag(unverified) }),
}

/** A statement with a box in front of its text, ticked if it is done. */
function boxed<T extends ContextBundle['findings'][number]>(isDone: (item: T) => boolean): ItemForm<T> {
  return {
    write: (item) => ({ main: `[${isDone(item) ? 'x' : ' '}] ${item.text}`, ...marksOf(item) }),
    read: (item) => statement.read({ ...item, main: item.main.replace(box, '') }),
  }
}

const box = /^\[[x ]\] /

export const doneItem = boxed(() => true)

export const openItem = boxed(() => false)

type Step = NonNullable<ContextBundle['plan']>['steps'][number]

export const step: ItemForm<Step> = {
  write: boxed<Step>(({ done }) => done === true).write,
  read: (item) =>
    known({
      ...doneItem.read(item),
      done: item.main.startsWith('[x] ') ? true : undefined,
    }),
}

/** The number of steps as one line, with their share: `3 of 5 steps complete (60 %)`. */
export function formatSteps(steps: NonNullable<ContextBundle['progress']>['steps']): string[] {
  if (steps === undefined) return []
  const { done, total } = steps
  const share = total === 0 ? '' : ` (${Math.floor((100 * done) / total)} %)`
  return [`${done} of ${total} steps complete${share}`]
}

/** Reverse of {@link formatSteps}. */
export function parseSteps([text = '']: readonly string[]): unknown {
  const [, done, total] = /^(\d+) of (\d+) steps complete(?: \(\d+ %\))?$/.exec(text) ?? []
  return { done: numberOf(done), total: numberOf(total) }
}

/** Names its source, so that nobody mistakes it for a message of the user. */
export const projectRule = cited<ContextBundle['projectRules'][number]>('text', { from: 'source' })

export const nextStep = cited<ContextBundle['nextSteps'][number]>('action', { run: 'command' })

export const decision: ItemForm<ContextBundle['decisions'][number]> = {
  write: ({ topic, choice, rationale, alternatives, by, at, ...item }) => ({
    main: choice,
    fields: [
      ...fieldList({ on: topic, because: rationale }),
      ...alternatives.map((alternative) => ['over', alternative] as const),
      ...fieldList({ by, at }),
    ],
    ...marksOf(item),
  }),
  read: (item) =>
    known({
      choice: item.main,
      topic: fieldOf(item, 'on'),
      rationale: fieldOf(item, 'because'),
      alternatives: fieldsOf(item, 'over'),
      by: fieldOf(item, 'by'),
      at: fieldOf(item, 'at'),
      evidence: item.evidence,
      ...flag(item.unverified),
    }),
}

/** Without the bundle that it comes from: see {@link formatCarried}. */
export const carried = fieldForm<NonNullable<ContextBundle['carried']>[number]>('text', {
  as: 'as',
  run: 'command',
})

export const validation = cited<NonNullable<ContextBundle['validation']>>('status', {
  was: 'result',
  run: 'command',
})

export const commit = cited<ContextBundle['git']['commits'][number]>('sha', { subject: 'subject' })

export const file: ItemForm<ContextBundle['files'][number]> = {
  write: ({ path, status, from, reason, sections = [], defines, evidence, ...lines }) => ({
    main: path,
    fields: [
      ...fieldList({
        // A file that was only read needs no word: most of a list are such files, and words cost tokens.
        is: status === 'read' && changeOf(lines) === '' ? undefined : `${status}${changeOf(lines)}`,
        from,
        defines: defines?.join(', '),
        why: reason,
      }),
      ...sections.map((section) => ['part', section] as const),
    ],
    evidence,
  }),
  read: (item) => {
    const [, status, added, removed] =
      /^([a-z]+)(?: \+(\d+))?(?: -(\d+))?$/.exec(fieldOf(item, 'is') ?? 'read') ?? []
    const parts = fieldsOf(item, 'part')
    return known({
      path: item.main,
      status,
      from: fieldOf(item, 'from'),
      added: numberOf(added),
      removed: numberOf(removed),
      reason: fieldOf(item, 'why'),
      sections: parts.length === 0 ? undefined : parts,
      defines: fieldOf(item, 'defines')?.split(', '),
      evidence: item.evidence,
    })
  },
}

export const failure = cited<ContextBundle['errors'][number]>('message', { solved: 'resolution' })

export const command = cited<ContextBundle['commands'][number]>('command', {
  status: 'status',
  exit: 'exitCode',
})

export const agentUsage: ItemForm<ContextBundle['usage']['byAgent'][number]> = {
  write: ({ agent, ...usage }) => ({ main: agent, fields: fieldList({ tokens: formatUsage(usage) }) }),
  read: (item) => ({ agent: item.main, ...parseUsage(fieldOf(item, 'tokens') ?? '') }),
}

export const modelUsage: ItemForm<ContextBundle['usage']['byModel'][number]> = {
  write: ({ model, ...usage }) => ({ main: model, fields: fieldList({ tokens: formatUsage(usage) }) }),
  read: (item) => ({ model: item.main, ...parseUsage(fieldOf(item, 'tokens') ?? '') }),
}

type Call = ContextBundle['compression']['calls'][number]

const billedCall = fieldForm<Call>('summarizer', {
  model: 'model',
  for: 'purpose',
  tier: 'tier',
  request: 'requestId',
  stop: 'stop',
  ms: 'durationMs',
  error: 'error',
})

export const call: ItemForm<Call> = {
  write: (item) => {
    const { main, fields = [] } = billedCall.write(item)
    return { main, fields: [...fields, ...fieldList({ tokens: formatUsage(item.usage) })] }
  },
  read: (item) => ({ ...billedCall.read(item), usage: parseUsage(fieldOf(item, 'tokens') ?? '') }),
}

export const note = fieldForm<ContextBundle['notes'][number]>('message', {
  code: 'code',
  file: 'file',
  line: 'line',
  count: 'count',
})

/** Items that come from the same bundle follow each other: only the first of them names it. */
export function formatCarried(items: ContextBundle['carried'] = []): string[] {
  return items.map((item, index) => {
    const { main, fields = [] } = carried.write(item)
    const origin = item.from === items[index - 1]?.from ? {} : { from: item.from }
    return formatItem({ main, fields: [...fields, ...fieldList(origin)] })
  })
}

/** Reverse of {@link formatCarried}. */
export function parseCarried(lines: readonly string[]): unknown[] {
  let from: string | undefined
  return lines.map((line) => {
    const item = parseItem(line)
    from = fieldOf(item, 'from') ?? from
    return { ...carried.read(item), ...known({ from }) }
  })
}

/** Identifiers are one line, separated by commas. */
export function formatIdentifiers(identifiers: readonly string[]): string[] {
  if (identifiers.length === 0) return []
  return [identifiers.map((name) => (/[\s,"]/.test(name) ? JSON.stringify(name) : name)).join(', ')]
}

/** Reverse of {@link formatIdentifiers}. */
export function parseIdentifiers([text = '']: readonly string[]): unknown[] {
  return (text.match(/"(?:[^"\\]|\\.)*"|[^\s,"]+/g) ?? []).map((name) =>
    name.startsWith('"') ? JSON.parse(name) : name,
  )
}

/** What follows the fields of an item, in brackets. */
interface Marks {
  readonly evidence: readonly string[]
  readonly unverified?: true | undefined
}

function marksOf({ evidence, unverified }: Marks): Pick<ItemLine, 'evidence' | 'unverified'> {
  return { evidence, unverified: unverified === true }
}

function flag(unverified: boolean): { unverified?: true } {
  return unverified ? { unverified: true } : {}
}

/** Lines added and removed, as ` +12 -3`. */
function changeOf({ added, removed }: { added?: number | undefined; removed?: number | undefined }): string {
  return `${added === undefined ? '' : ` +${added}`}${removed === undefined ? '' : ` -${removed}`}`
}

function numberOf(value: string | undefined): number | undefined {
  return value === undefined ? undefined : Number(value)
}
