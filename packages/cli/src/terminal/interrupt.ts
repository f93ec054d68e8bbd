/**
 * The first SIGINT aborts the signal, so that work ends at its next safe point. From then on SIGINT has its default
 * meaning again: the second one kills the process at once, even while it is busy; a store survives that.
 */
export function listenForInterrupt(onInterrupt: () => void): {
  readonly signal: AbortSignal
  release(): void
} {
  const controller = new AbortController()
  const listener = (): void => {
    onInterrupt()
    controller.abort()
  }
  process.once('SIGINT', listener)
  return {
    signal: controller.signal,
    release: () => void process.off('SIGINT', listener),
  }
}

export async function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  await new Promise<void>((done) => signal.addEventListener('abort', () => done(), { once: true }))
}
