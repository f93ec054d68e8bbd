import type { SummarizerCall } from '../summarizer.ts'

/** Calls of one request, in the order in which they ended. */
interface LedgerEntry {
  /** Takes a call as it ends. */
  record(call: SummarizerCall): void
  /** Takes the calls that the summarizer returns at its end: those not reported before count now. */
  close(calls: readonly SummarizerCall[]): void
}

/** Every call of a run, in an order that does not depend on which ended first. */
export interface CallLedger {
  /** Opens an entry for a request about the items from `position` on. */
  open(position: number): LedgerEntry
  /** By position of what they read; for the same position, in order of the requests. */
  calls(): SummarizerCall[]
}

/** Creates an empty ledger. `onCall` receives every call once, as soon as it is known. */
export function callLedger(onCall: (call: SummarizerCall) => void): CallLedger {
  const entries: { readonly position: number; readonly calls: SummarizerCall[] }[] = []
  return {
    open(position) {
      const calls: SummarizerCall[] = []
      entries.push({ position, calls })
      const record = (call: SummarizerCall) => {
        calls.push(call)
        onCall(call)
      }
      return {
        record,
        close(named) {
          for (const call of named.slice(calls.length)) record(call)
        },
      }
    },
    calls: () => entries.toSorted((a, b) => a.position - b.position).flatMap(({ calls }) => calls),
  }
}
