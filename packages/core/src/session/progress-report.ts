import type { Cost, TokenUsage } from './usage.ts'

/**
 * One step of `compressLog`, as it begins. `read` is repeated with every block, and `summarize` with every part and
 * every call: then with the number of parts done and the cost of all calls so far.
 */
export type ProgressEvent =
  | { readonly step: 'read'; readonly bytes: number; readonly total?: number }
  | { readonly step: 'plan'; readonly events: number }
  | {
      readonly step: 'summarize'
      readonly summarizer: string
      /** Tokens to be read in total. */
      readonly tokens: number
      /** `of` grows if a part proves too large. */
      readonly part?: { readonly done: number; readonly of: number }
      readonly usage?: TokenUsage
      /** Absent if a call has no price. */
      readonly cost?: Cost
    }
  | { readonly step: 'assemble' }
  | { readonly step: 'save'; readonly id: string }

/** Takes progress events; called synchronously, should return at once. */
export type Report = (event: ProgressEvent) => void
