import { ownVersion } from './own-package.ts'
import { type StandardStreams, standardStreams } from './terminal/standard-stream.ts'

export async function start(args: readonly string[], streams: StandardStreams = standardStreams()) {
  // Hooks skip the rest of the program, because the agent waits for them and kills slow ones.
  if (
    args[0] === 'hook' &&
    (args.length === 2 || args.length === 3) &&
    !args.some((arg) => arg.startsWith('-'))
  ) {
    const { hook } = await import('./background/hooks/run-hook.ts')
    return await hook(streams, args[1], args[2])
  }
  // The worker that a hook starts waits for minutes, so it loads as little as possible.
  if (args[0] === 'sweep-worker' && args.length === 1) {
    const { runWorker } = await import('./background/hooks/worker.ts')
    await runWorker()
    return 0
  }
  if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) {
    streams.stdout.write(`${ownVersion()}\n`)
    return 0
  }
  const { main } = await import('./main.ts')
  return await main(args, streams)
}
