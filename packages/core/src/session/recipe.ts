/**
 * How to make a reader, redactor, counter or summarizer in another thread, to which functions cannot be sent: the
 * export `name` of a module, called with `args` if it is a function.
 */
export interface Recipe {
  /** URL of the module. @default this package */
  readonly module?: string | undefined
  /** Name of the export. */
  readonly name: string
  /** Values that `structuredClone` can copy. */
  readonly args?: readonly unknown[] | undefined
}
