import type { Cost, TokenUsage } from './usage.ts'

/** A logger that takes lines: `console`, or any other with `info(message)`. */
export interface LineLogger {
  /** Logs one line, like `console.info`. */
  info(message: string): void
}

/** A logger that takes fields before the message: pino, bunyan. */
export interface FieldLogger {
  /** Logs fields with a message, like pino's `info`. */
  info(fields: object, message: string): void
}

/** Reports the steps of a compression as lines, one per step: `report: reportToLines(console)`. */
export function reportToLines(logger: LineLogger): Report {
  return onceAStep((event) => logger.info(`tenfold: ${lineOf(event)}`))
}

/** Reports the steps of a compression with their fields: `report: reportToFields(pino())`. */
export function reportToFields(logger: FieldLogger): Report {
  return onceAStep((event) => logger.info({ tenfold: event }, lineOf(event)))
}

/** Skips repeated events of a step, such as one for each block that is read. */
function onceAStep(write: (event: ProgressEvent) => void): Report {
  let last = ''
  return (event) => {
    const { done, of } = event.step === 'summarize' ? (event.part ?? {}) : {}
    const step = `${event.step} ${done ?? ''} ${of ?? ''}`
    if (step === last) return
    last = step
    write(event)
  }
}

function lineOf(event: ProgressEvent): string {
  switch (event.step) {
    case 'read':
      return 'read the log'
    case 'plan':
      return `plan the bundle of ${event.events} events`
    case 'summarize': {
      const part = event.part === undefined ? '' : `, part ${event.part.done} of ${event.part.of} done`
      return `summarize ${event.tokens} tokens with ${event.summarizer}${part}`
    }
    case 'assemble':
      return 'assemble the bundle'
    case 'save':
      return `save ${event.id}`
  }
}

/**
 * A step of `compressLog`, reported as it begins. `read` is repeated with each block, and `summarize` with each part
 * and each call, with the number of parts done and the cost so far. `bytes` of `total` were read, `events` were found,
 * and `id` is that of the bundle.
 */
export type ProgressEvent =
  | { readonly step: 'read'; readonly bytes: number; readonly total?: number }
  | { readonly step: 'plan'; readonly events: number }
  | {
      readonly step: 'summarize'
      readonly summarizer: string
      /** Tokens to read in total. */
      readonly tokens: number
      /** `of` grows if a part proves too large. */
      readonly part?: { readonly done: number; readonly of: number }
      readonly usage?: TokenUsage
      /** Absent if a call has no price. */
      readonly cost?: Cost
    }
  | { readonly step: 'assemble' }
  | { readonly step: 'save'; readonly id: string }

/** Receives progress events. Called synchronously; should return at once. */
export type Report = (event: ProgressEvent) => void
