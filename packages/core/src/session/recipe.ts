/**
 * How to make a reader, redactor, counter or summarizer again in another thread, to which no function can be sent: the
 * export `name` of a module, called with `args` if it is a function.
 */
export interface Recipe {
  /** URL of the module. @default this package */
  readonly module?: string | undefined
  /** Name of the exported function that makes it. */
  readonly name: string
  /** Values that `structuredClone` can copy. */
  readonly args?: readonly unknown[] | undefined
}
