/**
 * How to make a reader, redactor, counter or summarizer again in another thread, to which no function can be sent: the
 * export `name` of a module, called with `args` if it is a function.
 */
export interface Recipe {
  /** URL of the module. */
  readonly module: string
  readonly name: string
  /** Values that `structuredClone` can copy. */
  readonly args?: readonly unknown[]
}

/** Makes what a recipe describes. */
export async function makeFrom<T>({ module, name, args = [] }: Recipe): Promise<T> {
  const made: unknown = Reflect.get((await import(module)) as object, name)
  if (made === undefined) throw new TypeError(`${module} has no export ${name}`)
  return (typeof made === 'function' ? made(...args) : made) as T
}
