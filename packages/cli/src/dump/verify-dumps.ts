import { type DumpFinding, haltIds, type Storage, verifyDump } from '@tenfold/core'

/** A finding about a halt dump, in the form of findings about bundles. It cannot be repaired. */
export type DumpsFinding = DumpFinding & { readonly repaired: false }

interface VerifyDumpsOptions {
  readonly signal: AbortSignal
  /** Called for each dump that was checked. */
  report(done: number, of: number): void
}

/** Checks every halt dump of a storage, one at a time. Throws StorageError. */
export async function verifyDumps(
  storage: Storage,
  { signal, report }: VerifyDumpsOptions,
): Promise<{ readonly dumps: number; readonly findings: readonly DumpsFinding[] }> {
  const ids = await haltIds(storage)
  const findings: DumpsFinding[] = []
  for (const [index, id] of ids.entries()) {
    signal.throwIfAborted()
    const found = await verifyDump(storage, id)
    findings.push(...found.findings.map((finding) => ({ ...finding, repaired: false as const })))
    report(index + 1, ids.length)
  }
  return { dumps: ids.length, findings }
}
