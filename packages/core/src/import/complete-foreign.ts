import { createHash } from 'node:crypto'
import type { ContextBundle } from '../bundle/schema.ts'
import { completeBundle } from '../given/complete-bundle.ts'
import type { Redactor } from '../redact/redactor.ts'
import { known } from '../session/known.ts'
import type { ForeignBundle } from './foreign-bundle.ts'

/** Options of {@link completeForeign}. */
export interface CompleteForeignOptions {
  /** The bytes of the document. */
  readonly document: Uint8Array
  /** When it was last changed: the time of a bundle that says none. */
  readonly changed: Date
  /** For a document that names none. @default 'main' */
  readonly track?: string | undefined
  /** For a document that names none. */
  readonly task?: string | undefined
  readonly redactors?: readonly Redactor[] | undefined
}

/**
 * Makes a whole bundle of one in a form of others, with the time that it says itself. The same document always gives the
 * same bundle, so that importing it again adds nothing.
 */
export function completeForeign(
  { format, fields, notes }: ForeignBundle,
  { document, changed, track, task, redactors }: CompleteForeignOptions,
): ContextBundle {
  const time =
    fields.createdAt === undefined
      ? [
          {
            code: 'time-of-file',
            message: 'the document says no time; it is that of the last change of its file',
          },
        ]
      : []
  const whole = { ...fields, ...known({ track: track ?? fields.track, task: fields.task ?? task }) }
  return completeBundle(whole, {
    source: { format, document },
    notes: [...notes, ...time],
    now: changed,
    random: () => digitsOf(document),
    ...known({ redactors }),
  })
}

/** A number from 0 to 1 that stands for the bytes. */
export function digitsOf(bytes: Uint8Array): number {
  return createHash('sha256').update(bytes).digest().readUInt32BE() / 2 ** 32
}
