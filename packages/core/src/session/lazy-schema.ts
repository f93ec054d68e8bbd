import { config } from 'zod/mini'
import en from 'zod/v4/locales/en.js'

/**
 * Returns a schema that is built at its first use: building all schemas takes half as long as Node takes to start. The
 * first use also gives Zod its English messages, which `zod/mini` lacks, unless the program has set others.
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
  // Compiling a function for each object schema would take longer than most programs spend on checking objects.
  config({ jitless: true })
  return build()
}
