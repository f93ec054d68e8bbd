/** Everything in the ledger. */
export const ledgerPrefix = 'done/'

/** Leases of what is being compressed: they belong to running processes, so no copy takes them. */
export const leasePrefix = 'working/'

export function leaseKey(digest: string): string {
  return `${leasePrefix}${digest}.json`
}

export function workPrefix(digest: string): string {
  return `${ledgerPrefix}${digest}/`
}

export function doneKey(digest: string, bundleId: string): string {
  return `${workPrefix(digest)}${bundleId}.json`
}

export function startedKey(digest: string, bundleId: string): string {
  return `${workPrefix(digest)}${bundleId}.started.json`
}

/** A bundle that is to be the only one of its digest, until it is entered. */
export function claimKey(digest: string): string {
  return `${workPrefix(digest)}claim`
}

/** The bundle that an entry is about, and whether its save has only started; undefined for other keys. */
export function parseWorkKey(
  key: string,
): { readonly bundleId: string; readonly started: boolean } | undefined {
  const [, bundleId, started] = /^done\/[^/]+\/([^/.]+)(\.started)?\.json$/.exec(key) ?? []
  return bundleId === undefined ? undefined : { bundleId, started: started !== undefined }
}
