#!/usr/bin/env node
import { existsSync } from 'node:fs'

// npm links this file before the build has run, so it is plain JavaScript and says what is missing.
// A checkout has dist/, the published package lib/: the same program in a few files, which starts faster.
const built = ['../dist/start.js', '../lib/start.js']
  .map((path) => new URL(path, import.meta.url))
  .find((url) => existsSync(url))

if (built === undefined) {
  process.stderr.write('tenfold is not built yet. Run "npm run build" in its repository, then try again.\n')
  process.exitCode = 1
} else {
  const { start } = await import(built.href)
  process.exitCode = await start(process.argv.slice(2))
}
