import type { BundleStore, ContextBundle, ReadSessionOptions, Session } from '@tenfold/core'
import type { Reading } from '../options/reader-options.ts'
import type { Terminal } from '../terminal/terminal.ts'

/** The log to view, and the bundle if one was named. */
export interface ViewSource {
  /** Name of the log or the bundle, without folder and extension. */
  readonly name: string
  read(onProgress?: ReadSessionOptions['onProgress']): Promise<Session>
  /** Names and sizes of the log's files, which differ once it was written to. Absent if there is nothing to follow. */
  state?(): Promise<string>
  /** Session of the events that are replayed at the beginning, if there are any. */
  replayedFrom?(): string | undefined
  readonly bundle?: { readonly bundle: ContextBundle; readonly from: 'store' | 'file' } | undefined
}

/** What the sources are read with. */
export interface SourceOptions {
  readonly store: BundleStore
  readonly track: string
  readonly reading: Reading
  readonly terminal: Terminal
  readonly signal: AbortSignal
  /** The page is served while the log grows. */
  readonly follow: boolean
}
