import {
  type BundleStore,
  carriedToShow,
  type Facts,
  findMemory,
  type Redaction,
  type Session,
  type ShownItem,
} from '@tenfold/core'

/** What earlier sessions left to this one, as a live call shows it; its secrets are replaced. */
export async function carriedFor(
  session: Session,
  facts: Facts,
  {
    store,
    track,
    redaction,
  }: { readonly store: BundleStore; readonly track?: string | undefined; readonly redaction: Redaction },
): Promise<readonly ShownItem[]> {
  const memory = await findMemory(session, store, track)
  return memory?.parent === undefined
    ? []
    : carriedToShow(redaction.redactValue(memory.parent), session, facts)
}
