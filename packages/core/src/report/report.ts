/** One step of `compressLog`, as it begins; `read` comes again with every block. */
export type ProgressEvent =
  | { readonly step: 'read'; readonly bytes: number; readonly total?: number }
  | { readonly step: 'plan'; readonly events: number }
  | { readonly step: 'summarize'; readonly summarizer: string; readonly tokens: number }
  | { readonly step: 'assemble' }
  | { readonly step: 'save'; readonly id: string }

/** Takes progress events; called synchronously, should return at once. */
export type Report = (event: ProgressEvent) => void
