// Runs programs one after the other in one process, since most of the time of a small program is the start of what it
// imports. `run-programs.ts` starts it and sends requests. It has no end of its own: a program that leaves something
// open keeps it from ending.
import process from 'node:process'
import { pathToFileURL } from 'node:url'
import { captureOutput } from './capture-output.js'

process.on('message', async ({ program, cwd, env }) => {
  const run = async () => {
    try {
      process.chdir(cwd)
      for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name]
      Object.assign(process.env, env)
      await import(pathToFileURL(program).href)
    } catch (error) {
      return { failure: error instanceof Error ? error.message : String(error) }
    }
  }
  process.send(await captureOutput(run))
})
