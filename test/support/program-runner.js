// Runs programs one after the other in one process, since most of the time of a small program is the start of what it
// imports. `run-programs.ts` starts it and sends requests. It has no end of its own: a program that leaves something
// open keeps it from ending.
import process from 'node:process'
import { pathToFileURL } from 'node:url'

process.on('message', async ({ program, cwd, env }) => {
  const printed = { stdout: '', stderr: '' }
  const writes = { stdout: process.stdout.write, stderr: process.stderr.write }
  for (const name of ['stdout', 'stderr'])
    process[name].write = (chunk) => {
      printed[name] += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString()
      return true
    }
  let failure
  try {
    process.chdir(cwd)
    for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name]
    Object.assign(process.env, env)
    await import(pathToFileURL(program).href)
  } catch (error) {
    failure = error instanceof Error ? error.message : String(error)
  } finally {
    for (const name of ['stdout', 'stderr']) process[name].write = writes[name]
  }
  process.send({ ...printed, failure })
})
