#!/usr/bin/env node
import { existsSync } from 'node:fs'

// npm links this file before the build has run, so it is plain JavaScript and says what is missing.
const built = new URL('../lib/start.js', import.meta.url)

if (existsSync(built)) {
  const { start } = await import(built.href)
  process.exitCode = await start(process.argv.slice(2))
} else {
  process.stderr.write('tenfold is not built yet. Run "npm run build" in its repository, then try again.\n')
  process.exitCode = 1
}
