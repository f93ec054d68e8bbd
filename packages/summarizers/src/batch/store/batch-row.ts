import { type SummarizerCall, summarizerFailures, usageSchema } from '@tenfold/core'
import { z } from 'zod'
import { modelStops } from '../../model/model.ts'
import type { BatchRow } from '../vendor/batch-provider.ts'

/** A stored row of a batch. JSON has no field that is present and undefined, which zod's types cannot say. */
export const batchRowSchema = z.union([
  z.strictObject({
    customId: z.string(),
    reply: z.strictObject({
      text: z.string(),
      usage: usageSchema,
      stop: z.enum(modelStops),
      model: z.string().optional(),
      requestId: z.string().optional(),
    }),
  }),
  z.strictObject({
    customId: z.string(),
    error: z.strictObject({
      reason: z.enum(summarizerFailures),
      retryable: z.boolean(),
      message: z.string(),
      usage: usageSchema.optional(),
      requestId: z.string().optional(),
    }),
  }),
]) as z.ZodType<unknown> as z.ZodType<BatchRow>

/** A stored call of a summarizer. Not the schema of a bundle: its lines are cleaned only when a bundle is made. */
export const callSchema = z.strictObject({
  summarizer: z.string(),
  model: z.string().optional(),
  purpose: z.string().optional(),
  requestId: z.string().optional(),
  stop: z.string().optional(),
  tier: z.literal('batch').optional(),
  durationMs: z.number().int().nonnegative().optional(),
  error: z.string().optional(),
  begun: z.boolean().optional(),
  usage: usageSchema,
}) as z.ZodType<unknown> as z.ZodType<SummarizerCall>
