import type { PutCondition, Storage } from './storage.ts'

/**
 * Returns the condition of a put that moves a pointer on from the state that was read. Undefined if the storage cannot
 * compare: a pointer is a cache that readers check, so a check before the put and one after it must suffice.
 */
export async function pointerCondition(
  storage: Storage,
  stored: { readonly etag: string } | undefined,
): Promise<PutCondition | undefined> {
  if (stored === undefined) return { ifAbsent: true }
  return (await storage.conditions?.()) === 'create-only' ? undefined : { ifMatch: stored.etag }
}
