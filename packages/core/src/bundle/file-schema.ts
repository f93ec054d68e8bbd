import * as z from 'zod/mini'
import { lazySchema } from '../session/lazy-schema.ts'
import { eventId, line } from './fields.ts'

const count = lazySchema(() => z.int().check(z.nonnegative()))

/** What became of one file of a session. */
export const fileSchema = lazySchema(() =>
  z.strictObject({
    path: line,
    /** `named`: mentioned, and given to or printed by a tool, but never opened. */
    status: z.enum(['created', 'modified', 'deleted', 'renamed', 'read', 'named']),
    from: z.optional(line),
    added: z.optional(count),
    removed: z.optional(count),
    reason: z.optional(line),
    /** The parts that were read, if not the whole file: `lines 120-180`, or headings. */
    sections: z.optional(z.array(line).check(z.minLength(1))),
    /** Functions, types and the like that its edits wrote or changed. */
    defines: z.optional(
      z.array(z.intersection(line, z.string().check(z.regex(/^[^\s,]+$/)))).check(z.minLength(1)),
    ),
    evidence: z.array(eventId),
  }),
)
