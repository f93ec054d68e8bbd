/** Options of operations that can be aborted. */
export interface AbortableOptions {
  /** Stops the operation, which then throws the reason of the signal. */
  readonly signal?: AbortSignal | undefined
}
