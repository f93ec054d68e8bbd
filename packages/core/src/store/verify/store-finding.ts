import type { Storage } from '../../storage/storage.ts'

/** Codes of the findings of {@link verifyStore} and similar checks; they are stable. */
export type FindingCode =
  | 'bundle-damaged'
  | 'bundle-missing'
  | 'bundle-without-entry'
  | 'half-pruned'
  | 'previous-missing'
  | 'markdown-missing'
  | 'markdown-differs'
  | 'markdown-without-bundle'
  | 'entry-damaged'
  | 'entry-differs'
  | 'latest-broken'
  | 'latest-behind'
  | 'archive-missing'
  | 'archive-damaged'
  | 'archive-moved'
  | 'archive-without-bundle'
  | 'archive-file-without-list'
  | 'checkpoint-damaged'
  | 'checkpoint-latest'
  | 'checkpoint-unlisted'
  | 'ledger-damaged'
  | 'ledger-differs'
  | 'stray'

/** A problem in a store. */
export interface StoreFinding {
  /** `fault`: something is lost or cannot be trusted. */
  readonly level: 'fault' | 'warning'
  /** Stable identifier of the kind of finding. */
  readonly code: FindingCode
  /** Key of the affected object. */
  readonly key: string
  /** Describes the finding for people. */
  readonly message: string
  /** True if the fault was repaired. */
  readonly repaired: boolean
}

/** A check of a store, which repairs its findings if requested and possible. */
export interface StoreCheck {
  readonly storage: Storage
  fault(code: FindingCode, key: string, message: string): void
  warn(code: FindingCode, key: string, message: string, repair?: () => Promise<boolean>): Promise<void>
}

export function storeCheck(storage: Storage, findings: StoreFinding[], repairs: boolean): StoreCheck {
  return {
    storage,
    fault: (code, key, message) =>
      void findings.push({ level: 'fault', code, key, message, repaired: false }),
    async warn(code, key, message, repair) {
      const repaired = repairs && repair !== undefined && (await repair())
      findings.push({ level: 'warning', code, key, message, repaired })
    },
  }
}
