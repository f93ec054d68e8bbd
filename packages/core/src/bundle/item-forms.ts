import { known } from '../session/known.ts'
import { fieldList, fieldOf, fieldsOf, formatItem, type ItemLine, parseItem } from './markdown-items.ts'
import { formatUsage, parseUsage } from './markdown-usage.ts'
import type { ContextBundle } from './schema.ts'

/** An item before it is formatted. */
export type ItemParts = Partial<ItemLine> & { readonly main: string }

/** Conversion of an item to the parts of its line, and back. Reading gives plain values, validated later. */
export interface ItemForm<T> {
  readonly write: (item: T) => ItemParts
  readonly read: (item: ItemLine) => unknown
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
      ...(doneItem.read(item) as object),
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
export const projectRule: ItemForm<ContextBundle['projectRules'][number]> = {
  write: ({ text, source, evidence }) => ({ main: text, fields: fieldList({ from: source }), evidence }),
  read: (item) => known({ text: item.main, source: fieldOf(item, 'from'), evidence: item.evidence }),
}

export const nextStep: ItemForm<ContextBundle['nextSteps'][number]> = {
  write: ({ action, command, ...item }) => ({
    main: action,
    fields: fieldList({ run: command }),
    ...marksOf(item),
  }),
  read: (item) =>
    known({
      action: item.main,
      command: fieldOf(item, 'run'),
      evidence: item.evidence,
      ...flag(item.unverified),
    }),
}

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

export const carried: ItemForm<NonNullable<ContextBundle['carried']>[number]> = {
  write: ({ as, text, command }) => ({ main: text, fields: fieldList({ as, run: command }) }),
  read: (item) =>
    known({
      as: fieldOf(item, 'as'),
      text: item.main,
      command: fieldOf(item, 'run'),
      from: fieldOf(item, 'from'),
    }),
}

export const validation: ItemForm<NonNullable<ContextBundle['validation']>> = {
  write: ({ status, result, command, evidence }) => ({
    main: status,
    fields: fieldList({ was: result, run: command }),
    evidence,
  }),
  read: (item) =>
    known({
      status: item.main,
      result: fieldOf(item, 'was'),
      command: fieldOf(item, 'run'),
      evidence: item.evidence,
    }),
}

export const commit: ItemForm<ContextBundle['git']['commits'][number]> = {
  write: ({ sha, subject, evidence }) => ({ main: sha, fields: fieldList({ subject }), evidence }),
  read: (item) => known({ sha: item.main, subject: fieldOf(item, 'subject'), evidence: item.evidence }),
}

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

export const failure: ItemForm<ContextBundle['errors'][number]> = {
  write: ({ message, resolution, evidence }) => ({
    main: message,
    fields: fieldList({ solved: resolution }),
    evidence,
  }),
  read: (item) => known({ message: item.main, resolution: fieldOf(item, 'solved'), evidence: item.evidence }),
}

export const command: ItemForm<ContextBundle['commands'][number]> = {
  write: ({ command, status, exitCode, evidence }) => ({
    main: command,
    fields: fieldList({ status, exit: exitCode }),
    evidence,
  }),
  read: (item) =>
    known({
      command: item.main,
      status: fieldOf(item, 'status'),
      exitCode: numberOf(fieldOf(item, 'exit')),
      evidence: item.evidence,
    }),
}

export const agentUsage: ItemForm<ContextBundle['usage']['byAgent'][number]> = {
  write: ({ agent, ...usage }) => ({ main: agent, fields: fieldList({ tokens: formatUsage(usage) }) }),
  read: (item) => ({ agent: item.main, ...parseUsage(fieldOf(item, 'tokens') ?? '') }),
}

export const modelUsage: ItemForm<ContextBundle['usage']['byModel'][number]> = {
  write: ({ model, ...usage }) => ({ main: model, fields: fieldList({ tokens: formatUsage(usage) }) }),
  read: (item) => ({ model: item.main, ...parseUsage(fieldOf(item, 'tokens') ?? '') }),
}

export const call: ItemForm<ContextBundle['compression']['calls'][number]> = {
  write: ({ summarizer, model, purpose, tier, requestId, stop, durationMs, error, usage }) => ({
    main: summarizer,
    fields: fieldList({
      model,
      for: purpose,
      tier,
      request: requestId,
      stop,
      ms: durationMs,
      error,
      tokens: formatUsage(usage),
    }),
  }),
  read: (item) =>
    known({
      summarizer: item.main,
      model: fieldOf(item, 'model'),
      purpose: fieldOf(item, 'for'),
      tier: fieldOf(item, 'tier'),
      requestId: fieldOf(item, 'request'),
      stop: fieldOf(item, 'stop'),
      durationMs: numberOf(fieldOf(item, 'ms')),
      error: fieldOf(item, 'error'),
      usage: parseUsage(fieldOf(item, 'tokens') ?? ''),
    }),
}

export const note: ItemForm<ContextBundle['notes'][number]> = {
  write: ({ code, message, file, line, count }) => ({
    main: message,
    fields: fieldList({ code, file, line, count }),
  }),
  read: (item) =>
    known({
      code: fieldOf(item, 'code'),
      message: item.main,
      file: fieldOf(item, 'file'),
      line: numberOf(fieldOf(item, 'line')),
      count: numberOf(fieldOf(item, 'count')),
    }),
}

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
    return { ...(carried.read(item) as object), ...known({ from }) }
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

function marksOf({
  evidence,
  unverified,
}: {
  readonly evidence: readonly string[]
  readonly unverified?: true | undefined
}): Pick<ItemLine, 'evidence' | 'unverified'> {
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
