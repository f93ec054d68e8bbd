import * as json from '../session/json.ts'
import { known } from '../session/known.ts'
import { timeOf } from './foreign-bundle.ts'
import { plainName, type TakenFields, takenFields } from './taken-fields.ts'

/** A checkpoint in a form of others. */
export interface ForeignCheckpoint {
  readonly track?: string
  /** ISO 8601, if the checkpoint or the name of its file gives it. */
  readonly createdAt?: string
  readonly step: string
  readonly note: string
  readonly nextCommand?: string
  readonly validation?: string
  readonly label?: string
  readonly task?: string
  readonly branch?: string
  readonly head?: string
  readonly files: readonly string[]
  readonly extra: Readonly<Record<string, string | number | boolean>>
  /** What is in no field of these. */
  readonly left: readonly string[]
}

/** LATEST of a folder of checkpoints: the newest of each track, and which track is the current one. */
export interface ForeignPointer {
  readonly current?: string
  readonly checkpoints: readonly ForeignCheckpoint[]
}

/** Whether a value is a checkpoint: a step with its next command, note or validation. */
export function isForeignCheckpoint(value: unknown): boolean {
  const record = json.fields(value)
  const texts = new Set(
    Object.keys(record)
      .filter((name) => typeof record[name] === 'string')
      .map(plainName),
  )
  const has = (...names: readonly string[]) => names.some((name) => texts.has(plainName(name)))
  return has('step') && has(...nextNames, 'validation', 'note') && has('track', 'label', ...nextNames)
}

/** Whether a value is LATEST of a folder of checkpoints: checkpoints by track. */
export function isForeignPointer(value: unknown): boolean {
  const entries = entriesOf(json.fields(value).tracks)
  return entries.length > 0 && entries.every(([, entry]) => typeof json.fields(entry).step === 'string')
}

const nextNames = ['nextCmd', 'nextCommand'] as const

/** Reads a checkpoint in JSON. If the fields lack the time or the label, the name of its file has them. */
export function readForeignCheckpoint(value: unknown, name = '', trackName?: string): ForeignCheckpoint {
  const taken = takenFields(value)
  const git = taken.record('git')
  const extra = extraOf(taken)
  const files = taken.list('files')
  const named = partsOfName(name)
  const at = taken.take('timestamp', 'createdAt', 'time')
  // Where the snapshot is, which is where it was read.
  for (const name of [
    'path',
    'jsonPath',
    'mdPath',
    'snapshot',
    'json',
    'markdown',
    'version',
    'schemaVersion',
  ])
    taken.take(name)
  const fields = known({
    track: taken.text('track') ?? trackName,
    createdAt: timeOf(at) ?? named.createdAt,
    nextCommand: taken.text(...nextNames),
    validation: taken.text('validation', 'validationStatus'),
    label: taken.text('label') ?? named.label,
    task: taken.text('task', 'taskId'),
    branch: taken.text('branch') ?? git?.text('branch'),
    head: taken.text('head', 'commit') ?? git?.text('head', 'commit'),
  })
  const [step = '', note = ''] = [taken.text('step'), taken.text('note')]
  const paths = files.map((file) => (typeof file === 'string' ? file : String(json.fields(file).path ?? '')))
  return { ...fields, step, note, files: paths.filter((path) => path !== ''), extra, left: taken.left() }
}

/** Reads LATEST, whose tracks are a record or a list. */
export function readForeignPointer(value: unknown): ForeignPointer {
  const taken = takenFields(value)
  const current = taken.text('currentTrack', 'current')
  const checkpoints = entriesOf(taken.take('tracks')).map(([name, entry]) =>
    readForeignCheckpoint(entry, '', name),
  )
  return { ...known({ current }), checkpoints }
}

function entriesOf(tracks: unknown): [name: string | undefined, entry: unknown][] {
  return Array.isArray(tracks)
    ? tracks.map((entry) => [undefined, entry])
    : Object.entries(json.fields(tracks))
}

/** A record, or a list of `key=value`. */
function extraOf(taken: TakenFields): ForeignCheckpoint['extra'] {
  const value = taken.take('extra', 'extras')
  const pairs = Array.isArray(value)
    ? value.map((pair): [string, unknown] => {
        const text = String(pair)
        const at = text.indexOf('=')
        return at < 0 ? [text, true] : [text.slice(0, at), text.slice(at + 1)]
      })
    : Object.entries(json.fields(value))
  return Object.fromEntries(
    pairs.map(([key, each]) => {
      const isPlain = typeof each === 'string' || typeof each === 'boolean' || Number.isFinite(each)
      return [key, isPlain ? (each as string) : JSON.stringify(each)]
    }),
  )
}

/** `context_checkpoint_20260412T101500Z_verifier-fix.json`; times without a zone are UTC. */
function partsOfName(name: string): Pick<ForeignCheckpoint, 'createdAt' | 'label'> {
  const stem = /([^/\\]*)\.[a-z]+$/i.exec(name)?.[1] ?? ''
  const [, y, mo, d, h, mi, s, ms = '0', label] =
    /^context_checkpoint_(\d{4})-?(\d\d)-?(\d\d)[T_-]?(\d\d)[:-]?(\d\d)[:-]?(\d\d)(?:[._-]?(\d{3})\d{0,3})?Z?(?:_(.+))?$/.exec(
      stem,
    ) ?? []
  const createdAt =
    y === undefined ? undefined : timeOf(`${y}-${mo}-${d}T${h}:${mi}:${s}.${ms.padEnd(3, '0')}Z`)
  return known({ createdAt, label })
}

/** Reads a checkpoint that is only there as Markdown: its lines of `key: value` or `key=value`. */
export function readMarkdownCheckpoint(text: string, name: string): ForeignCheckpoint | undefined {
  const fields: Record<string, string> = {}
  for (const line of text.split(/\r?\n/)) {
    const [, key, value] =
      /^\s*(?:[-*]\s+)?\**`?([A-Za-z][\w ]{0,30}?)`?\**\s*[:=]\**\s*(\S.*)$/.exec(line) ?? []
    const field = key?.toLowerCase().replaceAll(' ', '_')
    if (field !== undefined && value !== undefined && !Object.hasOwn(fields, field))
      fields[field] = value.trim().replace(/^`(.*)`$/, '$1')
  }
  return isForeignCheckpoint(fields) ? readForeignCheckpoint(fields, name) : undefined
}
