import type { PutCondition, Storage } from './storage.ts'

/**
 * The condition of a put that moves a pointer on from what was read of it. Undefined where the store cannot compare: a
 * pointer is a cache that readers check, so the look before the put has to do there, and one after it.
 */
export async function pointerCondition(
  storage: Storage,
  stored: { readonly etag: string } | undefined,
): Promise<PutCondition | undefined> {
  if (stored === undefined) return { ifAbsent: true }
  return (await storage.conditions?.()) === 'create-only' ? undefined : { ifMatch: stored.etag }
}
