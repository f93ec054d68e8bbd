#!/usr/bin/env node
'use strict'
const { existsSync } = require('node:fs')
const { enableCompileCache } = require('node:module')
const { join } = require('node:path')

// CommonJS, which Node starts faster than an ES module. npm links this file before the build has run, so it is plain
// JavaScript and says what is missing.
const built = join(__dirname, '../lib/start.js')

if (existsSync(built)) {
  // Node 20 has none.
  enableCompileCache?.()
  const { start } = require(built)
  start(process.argv.slice(2)).then((code) => {
    process.exitCode = code
  })
} else {
  process.stderr.write('tenfold is not built yet. Run "npm run build" in its repository, then try again.\n')
  process.exitCode = 1
}
