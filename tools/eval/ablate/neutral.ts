// Runs inside a measured process: what a function that is switched off returns instead.

let calls = 0
let changed = 0
let unswitched = 0

/** How often the functions that are switched off were called, and how often that changed their result. */
export const neutralCounts = () => ({ calls, changed, unswitched })

/**
 * Wraps an export so that it finds nothing: an empty list, also as a field of an object, false, the text that it was
 * given. Other values stay.
 */
export function neutral(exported: unknown): unknown {
  if (typeof exported !== 'function') return exported
  return (...args: readonly unknown[]): unknown => {
    calls++
    const result: unknown = exported(...args)
    if (result instanceof Promise) return result.then((value) => nothingLike(value, args))
    return isSteps(result) ? emptied(result, args) : nothingLike(result, args)
  }
}

/** Steps with pauses between them, whose result is what is switched off. */
function* emptied(steps: Generator, args: readonly unknown[]): Generator {
  return nothingLike(yield* steps, args)
}

function isSteps(value: unknown): value is Generator {
  return Object.prototype.toString.call(value) === '[object Generator]'
}

function nothingLike(result: unknown, [first]: readonly unknown[]): unknown {
  const nothing = emptyOf(result, first)
  if (nothing === undefined && result !== undefined) unswitched++
  else if (!isEmpty(result, nothing)) changed++
  return nothing ?? result
}

/** Undefined for a value of which there is no empty one. */
function emptyOf(result: unknown, first: unknown): unknown {
  if (Array.isArray(result)) return []
  if (result instanceof Map) return new Map()
  if (result instanceof Set) return new Set()
  if (typeof result === 'boolean') return false
  if (typeof result === 'number') return 0
  if (typeof result === 'string') return typeof first === 'string' ? first : ''
  return isRecord(result) && Object.values(result).some(isCollection)
    ? Object.fromEntries(
        Object.entries(result).map(([key, value]) => [
          key,
          isCollection(value) ? emptyOf(value, first) : value,
        ]),
      )
    : undefined
}

function isCollection(value: unknown): boolean {
  return Array.isArray(value) || value instanceof Map || value instanceof Set
}

function isRecord(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
}

function isEmpty(result: unknown, nothing: unknown): boolean {
  if (Array.isArray(result)) return result.length === 0
  if (result instanceof Map || result instanceof Set) return result.size === 0
  return isRecord(result)
    ? !Object.values(result).some((value) => isCollection(value) && !isEmpty(value, nothing))
    : result === nothing
}
