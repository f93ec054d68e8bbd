import { bundleSchema } from '@tenfold/core'
import { z } from 'zod'

// Input fields that several tools share.

/** A name of letters, digits, ".", "_" and "-". */
export const trackField = bundleSchema.shape.track

/** No path: a model must not read files through it. */
export const bundleField = z
  .string()
  .max(200)
  .regex(
    /^(?!.*\.(?:json|md)$)[^\s/\\][^/\\]*$/i,
    'expected LATEST, the id of a bundle or its beginning, a session, a task or a track',
  )

export const taskField = z.string().min(1).max(1000)

/** Most tokens of an answer; clients cut or refuse much longer ones. */
export const maxTokensField = (least: number, usual: number) =>
  z
    .number()
    .int()
    .min(least)
    .max(100_000)
    .default(usual)
    .describe(`maximum tokens of the answer, ${usual} if not given`)

/** A tool that only reads. */
export const readOnly = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
}
