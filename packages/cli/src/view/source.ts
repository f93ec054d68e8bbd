import type { BundleStore, ContextBundle, ReadSessionOptions, Session } from '@tenfold/core'
import type { Reading } from '../options/reader-options.ts'
import type { Terminal } from '../terminal/terminal.ts'

export interface ViewSource {
  /** Name of the log or the bundle, without folder and extension. */
  readonly name: string
  read(onProgress?: ReadSessionOptions['onProgress']): Promise<Session>
  /** Names and sizes of the log's files, which differ once it was written to. Absent if there is nothing to follow. */
  state?(): Promise<string>
  replayedFrom?(): string | undefined
  readonly bundle?: { readonly bundle: ContextBundle; readonly from: 'store' | 'file' } | undefined
}

export interface SourceOptions {
  readonly store: BundleStore
  readonly track: string
  readonly reading: Reading
  readonly terminal: Terminal
  readonly signal: AbortSignal
  readonly follow: boolean
}
