import { createRedaction, type Redactor, secretRedactor } from '@tenfold/redact'
import { newBundleId } from '../bundle/bundle-id.ts'
import { cleanCommand } from '../checkpoint/clean-command.ts'
import { type Checkpoint, parseCheckpoint, validations } from '../checkpoint/schema.ts'
import { cleanLine, cleanText } from '../session/clean-text.ts'
import { cutHead } from '../session/cut-text.ts'
import { known } from '../session/known.ts'
import { digitsOf } from './foreign-bundle.ts'
import type { ForeignCheckpoint } from './read-checkpoints.ts'

/** Options of {@link completeCheckpoint}. */
export interface CompleteCheckpointOptions {
  /** When its file was last changed: the time of a checkpoint that says none. */
  readonly changed: Date
  /** @default that of the checkpoint, or 'main' */
  readonly track?: string | undefined
  /** @default secretRedactor() */
  readonly redactors?: readonly Redactor[] | undefined
}

/**
 * Makes a checkpoint of one in a form of others. What has no field goes to the note. The same one always gets the same id. Throws {@link TenfoldError} `invalid-checkpoint`.
 */
export function completeCheckpoint(
  foreign: ForeignCheckpoint,
  options: CompleteCheckpointOptions,
): Checkpoint {
  const { changed, redactors = [secretRedactor()] } = options
  const redaction = createRedaction(redactors)
  redaction.learnValue(foreign)
  const said = redaction.redactValue(foreign)
  const time = new Date(foreign.createdAt ?? changed)
  const command = cleanCommand(said.nextCommand ?? '')
  const head = /^[0-9a-f]{7,64}$/.test(foreign.head ?? '') ? foreign.head : undefined
  const state = validations.find((each) => each === said.validation?.toLowerCase())
  const unheld = [
    ...(command === undefined && said.nextCommand ? [`next_cmd:\n${said.nextCommand}`] : []),
    ...(state === undefined && said.validation ? [`validation: ${said.validation}`] : []),
    ...(head === undefined && said.head ? [`head: ${said.head}`] : []),
    ...said.left,
  ]
  const branch = cleanLine(foreign.branch ?? '')
  return parseCheckpoint({
    schemaVersion: 1,
    id: newBundleId(time, () => digitsOf(new TextEncoder().encode(JSON.stringify(foreign)))),
    track: options.track ?? foreign.track ?? 'main',
    createdAt: time.toISOString(),
    step: cutHead(cleanLine(said.step), 1000),
    note: cleanText([said.note, ...unheld].filter((text) => text !== '').join('\n')).trim(),
    validation: state ?? 'pending',
    extra: extraOf(said),
    files: said.files.map((path) => ({ path: path.toWellFormed() })),
    ...known({
      nextCommand: command,
      label: cutHead(cleanLine(said.label ?? ''), 200) || undefined,
      task: cleanLine(said.task ?? '') || undefined,
      git:
        branch !== '' || head !== undefined
          ? { ...known({ branch: branch || undefined, head }), files: [], changed: 0 }
          : undefined,
    }),
  })
}

function extraOf({ extra }: ForeignCheckpoint): Checkpoint['extra'] {
  const pairs = Object.entries(extra).map(([key, value]): [string, string | number | boolean] => [
    key.replace(/[^A-Za-z0-9_.-]/g, '_').replace(/^[^A-Za-z0-9]+/, '') || 'value',
    typeof value === 'string' ? cutHead(cleanText(value).trim(), 4000) : value,
  ])
  return Object.fromEntries(pairs.slice(0, 64))
}
