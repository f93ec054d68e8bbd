#!/usr/bin/env node
import { existsSync } from 'node:fs'

// npm links this file before the build has run, so it is plain JavaScript and says what is missing.
const built = new URL('../dist/main.js', import.meta.url)
const args = process.argv.slice(2)

if (!existsSync(built)) {
  process.stderr.write('tenfold is not built yet. Run "npm run build" in its repository, then try again.\n')
  process.exitCode = 1
} else if (args[0] === 'hook' && args.length === 2 && !args[1]?.startsWith('-')) {
  // The agent waits, and kills slow hooks: a hook loads next to nothing.
  const { hook } = await import('../dist/background/hooks/hook.js')
  process.exitCode = await hook(args[1])
} else if (args[0] === 'sweep-worker' && args.length === 1) {
  // The worker that a hook leaves running: it waits for minutes, so it is just as small.
  const { runWorker } = await import('../dist/background/sweep/run-worker.js')
  await runWorker()
} else {
  const { main } = await import(built.href)
  process.exitCode = await main(args)
}
