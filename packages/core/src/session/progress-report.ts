import type { Cost, TokenUsage } from './usage.ts'

/**
 * One step of `compressLog`, as it begins. `read` comes again with every block, and `summarize` with every part and every
 * call: then with how many parts are done, and with what all calls until now took.
 */
export type ProgressEvent =
  | { readonly step: 'read'; readonly bytes: number; readonly total?: number }
  | { readonly step: 'plan'; readonly events: number }
  | {
      readonly step: 'summarize'
      readonly summarizer: string
      /** To be read in all. */
      readonly tokens: number
      /** `of` grows where a part proves too large. */
      readonly part?: { readonly done: number; readonly of: number }
      readonly usage?: TokenUsage
      /** Absent where a call has no price. */
      readonly cost?: Cost
    }
  | { readonly step: 'assemble' }
  | { readonly step: 'save'; readonly id: string }

/** Takes progress events; called synchronously, should return at once. */
export type Report = (event: ProgressEvent) => void
