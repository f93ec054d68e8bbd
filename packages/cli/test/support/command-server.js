// Runs commands one after the other in one process, which loads the command line once. `run.ts` starts it and sends
// requests.
import process from 'node:process'
import { Readable } from 'node:stream'
import { start } from '../../dist/start.js'

process.stdout.setMaxListeners(0)
process.stderr.setMaxListeners(0)
process.once('disconnect', () => process.exit())

process.on('message', async ({ args, cwd, env, stdin, columns }) => {
  const printed = { stdout: '', stderr: '' }
  const writes = { stdout: process.stdout.write, stderr: process.stderr.write }
  for (const name of ['stdout', 'stderr'])
    process[name].write = (chunk) => {
      printed[name] += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString()
      return true
    }
  Object.defineProperty(process, 'stdin', { value: Readable.from([Buffer.from(stdin)]), configurable: true })
  Object.assign(process.stdout, { isTTY: columns !== undefined, columns })
  const streamOf = (name) => ({
    write: (chunk) => process[name].write(chunk),
    isTTY: columns !== undefined,
    columns,
    onError: () => undefined,
  })
  process.chdir(cwd)
  // In place: the home folder and child processes use the real environment.
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name]
  Object.assign(process.env, env)
  const code = await start(args, { stdout: streamOf('stdout'), stderr: streamOf('stderr') })
  for (const name of ['stdout', 'stderr']) process[name].write = writes[name]
  process.send({ code, ...printed })
})
process.send('ready')
