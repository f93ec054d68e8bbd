import type { SummarizerCall } from '@tenfold/core'
import { usageSchema } from '@tenfold/core/internal'
import { summarizerFailures } from '@tenfold/core/summarizer'
import * as z from 'zod/mini'
import { modelStops } from '../../provider/model.ts'
import type { BatchRow } from '../vendor/batch-provider.ts'

/** A stored row of a batch. JSON has no field that is present and undefined, which zod's types cannot say. */
export const batchRowSchema = z.union([
  z.strictObject({
    customId: z.string(),
    reply: z.strictObject({
      text: z.string(),
      usage: usageSchema,
      stop: z.enum(modelStops),
      model: z.optional(z.string()),
      requestId: z.optional(z.string()),
    }),
  }),
  z.strictObject({
    customId: z.string(),
    error: z.strictObject({
      reason: z.enum(summarizerFailures),
      retryable: z.boolean(),
      message: z.string(),
      usage: z.optional(usageSchema),
      requestId: z.optional(z.string()),
    }),
  }),
]) as z.ZodMiniType<unknown> as z.ZodMiniType<BatchRow>

/** A stored call of a summarizer. Not the schema of a bundle: its lines are cleaned only when a bundle is made. */
export const callSchema = z.strictObject({
  summarizer: z.string(),
  model: z.optional(z.string()),
  purpose: z.optional(z.string()),
  requestId: z.optional(z.string()),
  stop: z.optional(z.string()),
  tier: z.optional(z.literal('batch')),
  durationMs: z.optional(z.int().check(z.nonnegative())),
  error: z.optional(z.string()),
  begun: z.optional(z.boolean()),
  usage: usageSchema,
}) as z.ZodMiniType<unknown> as z.ZodMiniType<SummarizerCall>
