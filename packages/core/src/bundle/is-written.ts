import type { ContextBundle } from './schema.ts'

/**
 * Whether a model wrote the statements of a bundle, in the order of their importance. Those made by code are in the order
 * of the log and repeat what the trail and other lists hold.
 */
export function isWritten({ compression }: Pick<ContextBundle, 'compression'>): boolean {
  return compression.model !== undefined
}
