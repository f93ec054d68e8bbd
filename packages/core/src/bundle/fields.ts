import * as z from 'zod/mini'
import { isCleanLine, isCleanText } from '../session/clean-text.ts'
import { lazySchema } from '../session/lazy-schema.ts'
import { idPattern } from './bundle-id.ts'
import { trackPattern } from './bundle-names.ts'

// Fields of several schemas. They are separate because checkpoints and entries do not need the schema of a bundle,
// which takes long to build.

export const line = lazySchema(() =>
  z
    .string()
    .check(z.minLength(1), z.refine(isCleanLine, 'expected one trimmed line without control characters')),
)

/** Clean text of any number of lines, trimmed; may be empty. */
export const text = lazySchema(() =>
  z
    .string()
    .check(
      z.refine(
        (value) => isCleanText(value) && value.trim() === value,
        'expected trimmed text without control characters',
      ),
    ),
)

export const count = lazySchema(() => z.int().check(z.nonnegative()))

export const eventId = lazySchema(() => z.templateLiteral(['e', z.int().check(z.positive())]))

/** Time of creation and 9 random digits: sorts by time, and is safe as a file name. */
export const bundleId = lazySchema(() => z.string().check(z.regex(idPattern)))

export const trackName = lazySchema(() => z.string().check(z.regex(trackPattern)))

export const idTime = lazySchema(() => z.iso.datetime({ precision: 3 }))
