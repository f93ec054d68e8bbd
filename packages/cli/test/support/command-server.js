// Runs commands one after the other in one process, which loads the command line once. `run.ts` starts it and sends
// requests.

import { createRequire } from 'node:module'
import process from 'node:process'
import { Readable } from 'node:stream'
import { captureOutput, commandStreams } from '../../../../test/support/capture-output.js'

const { start } = createRequire(import.meta.url)('../../lib/start.js')

process.stdout.setMaxListeners(0)
process.stderr.setMaxListeners(0)
process.once('disconnect', () => process.exit())

process.on('message', async ({ args, cwd, env, stdin, columns }) => {
  Object.defineProperty(process, 'stdin', { value: Readable.from([Buffer.from(stdin)]), configurable: true })
  Object.assign(process.stdout, { isTTY: columns !== undefined, columns })
  process.chdir(cwd)
  // In place: the home folder and child processes use the real environment.
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name]
  Object.assign(process.env, env)
  process.send(await captureOutput(async () => ({ code: await start(args, commandStreams(columns)) })))
})
process.send('ready')
