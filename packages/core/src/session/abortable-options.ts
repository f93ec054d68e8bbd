/** Options of every operation that can be stopped. */
export interface AbortableOptions {
  /** Stops the operation, which then throws the reason of the signal. */
  readonly signal?: AbortSignal | undefined
}
