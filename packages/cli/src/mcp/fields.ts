import { bundleSchema } from '@tenfold/core'
import { z } from 'zod'

// Input fields that several tools share. A client sends the schemas of all tools with every request of its model: what a
// refinement checks is not in them.

/** A text of `least` to `most` characters. */
export const textField = (most: number, least = 1) =>
  z
    .string()
    .refine(({ length }) => length >= least && length <= most, `expected ${least} to ${most} characters`)

export const trackField = z
  .string()
  .refine((name) => bundleSchema.shape.track.safeParse(name).success, 'expected the name of a track')

/** No path: a model must not read files through it. */
export const bundleField = z
  .string()
  .refine(
    (name) => name.length <= 200 && /^(?!.*\.(?:json|md)$)[^\s/\\][^/\\]*$/i.test(name),
    'expected LATEST, the id of a bundle or its beginning, a session, a task or a track',
  )

export const taskField = textField(1000)

/** A whole number from `least` to `most`. */
export const countField = (least: number, most: number) =>
  z
    .number()
    .refine(
      (count) => Number.isInteger(count) && count >= least && count <= most,
      `expected a whole number from ${least} to ${most}`,
    )

/** Most tokens of an answer; clients cut or refuse much longer ones. */
export const maxTokensField = (least: number, usual: number) => countField(least, 100_000).default(usual)

/** A tool that only reads. */
export const readOnly = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
}
