// Runs commands one after the other in one process, which loads the command line once. `run.ts` starts it and sends
// requests.
import process from 'node:process'
import { main } from '../../dist/main.js'

process.stdout.setMaxListeners(0)
process.stderr.setMaxListeners(0)
process.once('disconnect', () => process.exit())

process.on('message', async ({ args, cwd, env }) => {
  const printed = { stdout: '', stderr: '' }
  const writes = { stdout: process.stdout.write, stderr: process.stderr.write }
  for (const name of ['stdout', 'stderr'])
    process[name].write = (chunk) => {
      printed[name] += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString()
      return true
    }
  process.chdir(cwd)
  // In place: the home folder and child processes use the real environment.
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name]
  Object.assign(process.env, env)
  const code = await main(args)
  for (const name of ['stdout', 'stderr']) process[name].write = writes[name]
  process.send({ code, ...printed })
})
process.send('ready')
