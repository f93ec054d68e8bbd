/** Returns `value` if it is a waiting time. Throws TypeError otherwise. */
export function waitingTime(name: string, value: number): number {
  if (typeof value === 'number' && value > 0) return value
  throw new TypeError(`${name}: expected milliseconds above 0 (Infinity for no limit), got ${String(value)}`)
}

/** Milliseconds for a call in all: a model that thinks and writes tens of thousands of tokens takes minutes. */
export const defaultCallMs = 1_800_000

/** The same for your own server, which may read a prompt at some ten tokens a second. */
export const defaultLocalCallMs = 3_600_000
