import { createRedaction, type Redactor, secretRedactor } from '@tenfold/redact'
import { newBundleId } from '../bundle/bundle-id.ts'
import { cleanCommand } from '../checkpoint/clean-command.ts'
import { type Checkpoint, parseCheckpoint, validations } from '../checkpoint/schema.ts'
import { cleanLine, cleanText } from '../session/clean-text.ts'
import { cutHead } from '../session/cut-text.ts'
import * as json from '../session/json.ts'
import { known } from '../session/known.ts'
import { digitsOf } from './foreign-bundle.ts'
import { plainName, takenFields, timeOf } from './taken-fields.ts'

export type ForeignCheckpoint = ReturnType<typeof readForeignCheckpoint>

/** Content of the LATEST file of a folder of checkpoints: the newest checkpoint of each track, and the current track. */
export type ForeignPointer = ReturnType<typeof readForeignPointer>

const nextNames = 'nextCmd nextCommand'

export function isForeignCheckpoint(value: unknown): boolean {
  const texts = Object.entries(json.fields(value)).filter(([, each]) => typeof each === 'string')
  const held = new Set(texts.map(([name]) => plainName(name)))
  const has = (names: string) => names.split(' ').some((name) => held.has(plainName(name)))
  return has('step') && has(`${nextNames} validation note`) && has(`track label ${nextNames}`)
}

export function isForeignPointer(value: unknown): boolean {
  const entries = entriesOf(json.fields(value).tracks)
  return entries.length > 0 && entries.every(([, entry]) => typeof json.fields(entry).step === 'string')
}

/**
 * Reads a checkpoint in JSON. A missing time or label is taken from the file name. The id of the new checkpoint depends
 * on the fields and their order.
 */
export function readForeignCheckpoint(value: unknown, file = '', trackName?: string) {
  const taken = takenFields(value)
  const git = taken.record('git')
  const extra = extraOf(taken.take('extra extras'))
  const files = taken.list('files').map((each) => (typeof each === 'string' ? each : json.at(each, 'path')))
  const named = partsOfName(file)
  const at = taken.take('timestamp createdAt time')
  // Paths of the snapshot itself, and versions, are not kept.
  for (const name of 'path jsonPath mdPath snapshot json markdown version schemaVersion'.split(' '))
    taken.take(name)
  const {
    track = trackName,
    step = '',
    note = '',
    ...said
  } = taken.texts({
    track: 'track',
    nextCommand: nextNames,
    validation: 'validation validationStatus',
    label: 'label',
    task: 'task taskId',
    branch: 'branch',
    head: 'head commit',
    step: 'step',
    note: 'note',
  })
  const more = {
    label: said.label ?? named.label,
    branch: said.branch ?? git?.text('branch'),
    head: said.head ?? git?.text('head commit'),
  }
  return {
    ...known({ track, createdAt: timeOf(at) ?? named.createdAt, ...said, ...more }),
    step,
    note,
    files: json.texts(files.map((each) => String(each ?? ''))),
    extra,
    left: taken.left(),
  }
}

export function readForeignPointer(value: unknown) {
  const taken = takenFields(value)
  const current = taken.text('currentTrack current')
  const entries = entriesOf(taken.take('tracks'))
  const checkpoints = entries.map(([name, entry]) => readForeignCheckpoint(entry, '', name))
  return { ...known({ current }), checkpoints }
}

function entriesOf(tracks: unknown): [name: string | undefined, entry: unknown][] {
  return Array.isArray(tracks)
    ? tracks.map((entry) => [undefined, entry])
    : Object.entries(json.fields(tracks))
}

function extraOf(value: unknown): Record<string, string | number | boolean> {
  const pairs = Array.isArray(value)
    ? value.map((pair): [string, unknown] => {
        const [, key = '', text = true] = /^([^=]*)(?:=([\s\S]*))?$/.exec(String(pair)) ?? []
        return [key, text]
      })
    : Object.entries(json.fields(value))
  return Object.fromEntries(
    pairs.map(([key, each]) => {
      const isPlain = typeof each === 'string' || typeof each === 'boolean' || Number.isFinite(each)
      return [key, isPlain ? (each as string) : JSON.stringify(each)]
    }),
  )
}

/** Splits `context_checkpoint_20260412T101500Z_verifier-fix.json` into time and label. Times without a zone are UTC. */
function partsOfName(name: string) {
  const stem = /([^/\\]*)\.[a-z]+$/i.exec(name)?.[1] ?? ''
  const [, y, mo, d, h, mi, s, ms = '0', label] =
    /^context_checkpoint_(\d{4})-?(\d\d)-?(\d\d)[T_-]?(\d\d)[:-]?(\d\d)[:-]?(\d\d)(?:[._-]?(\d{3})\d{0,3})?Z?(?:_(.+))?$/.exec(
      stem,
    ) ?? []
  const time = y === undefined ? undefined : `${y}-${mo}-${d}T${h}:${mi}:${s}.${ms.padEnd(3, '0')}Z`
  return { createdAt: timeOf(time), label }
}

/** Reads a checkpoint that exists only as Markdown, from its lines of `key: value` or `key=value`. */
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

export interface CompleteCheckpointOptions {
  /** When the file was last changed: used as the time of a checkpoint without one. */
  readonly changed: Date
  /** @default the track of the checkpoint, or 'main' */
  readonly track?: string | undefined
  /** @default secretRedactor() */
  readonly redactors?: readonly Redactor[] | undefined
}

/**
 * Makes a checkpoint from one in a foreign format, always with the same id. Values without a field are added to the
 * note. Throws {@link TenfoldError} `invalid-checkpoint`.
 */
export function completeCheckpoint(
  foreign: ForeignCheckpoint,
  { changed, redactors = [secretRedactor()], track = foreign.track ?? 'main' }: CompleteCheckpointOptions,
): Checkpoint {
  const redaction = createRedaction(redactors)
  redaction.learnValue(foreign)
  const said = redaction.redactValue(foreign)
  const time = new Date(foreign.createdAt ?? changed)
  const nextCommand = cleanCommand(said.nextCommand ?? '')
  const branch = cleanLine(said.branch ?? '') || undefined
  const head = /^[0-9a-f]{7,64}$/.test(foreign.head ?? '') ? foreign.head : undefined
  const validation = validations.find((each) => each === said.validation?.toLowerCase())
  const unheld = [
    said.note,
    nextCommand === undefined && said.nextCommand && `next_cmd:\n${said.nextCommand}`,
    validation === undefined && said.validation && `validation: ${said.validation}`,
    head === undefined && said.head && `head: ${said.head}`,
    ...said.left,
  ]
  const extra = Object.entries(said.extra).map(([key, value]) => [
    key.replace(/[^A-Za-z0-9_.-]/g, '_').replace(/^[^A-Za-z0-9]+/, '') || 'value',
    typeof value === 'string' ? cutHead(cleanText(value).trim(), 4000) : value,
  ])
  return parseCheckpoint({
    schemaVersion: 1,
    id: newBundleId(time, () => digitsOf(new TextEncoder().encode(JSON.stringify(foreign)))),
    track,
    createdAt: time.toISOString(),
    step: cutHead(cleanLine(said.step), 1000),
    note: cleanText(json.texts(unheld).join('\n')).trim(),
    validation: validation ?? 'pending',
    extra: Object.fromEntries(extra.slice(0, 64)),
    files: said.files.map((path) => ({ path: path.toWellFormed() })),
    ...known({
      nextCommand,
      label: cutHead(cleanLine(said.label ?? ''), 200) || undefined,
      task: cleanLine(said.task ?? '') || undefined,
      git: (branch ?? head) && { ...known({ branch, head }), files: [], changed: 0 },
    }),
  })
}
