import { config } from 'zod/mini'
import en from 'zod/v4/locales/en.js'

/**
 * A schema that is built when it is first used: to build all schemas of this package takes half as long as Node takes to
 * start. Zod gets its English messages then, which `zod/mini` comes without; those that the program has set stay.
 */
export function lazySchema<T extends object>(build: () => T): T {
  let schema: T | undefined
  const built = (): T => {
    schema ??= inEnglish(build)
    return schema
  }
  return new Proxy<T>({} as T, {
    get: (_, key) => Reflect.get(built(), key),
    has: (_, key) => Reflect.has(built(), key),
    getPrototypeOf: () => Reflect.getPrototypeOf(built()),
  })
}

function inEnglish<T>(build: () => T): T {
  if (config().localeError === undefined) config(en())
  // Zod would compile a function for each object schema, which takes longer than most programs check objects.
  config({ jitless: true })
  return build()
}
