/** Milliseconds for aborted work to end, so that it can report its last calls. */
const usualMs = 500

/**
 * Returns the result of the work. If the signal aborts, the work has `graceMs` to end; then the reason of the signal is
 * thrown.
 */
export async function withinGrace<T>(work: Promise<T>, signal: AbortSignal | undefined, graceMs = usualMs) {
  if (signal === undefined) return await work
  return await new Promise<T>((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined
    const end = () => reject(signal.reason)
    const onAbort = () => {
      if (graceMs === 0) end()
      else timer = setTimeout(end, graceMs)
    }
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort, { once: true })
    work.then(resolve, reject).finally(() => {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
    })
  })
}
