#!/usr/bin/env node
'use strict'
const { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } = require('node:fs')
const Module = require('node:module')
const { dirname, join } = require('node:path')
const { constants, Script } = require('node:vm')
const { crc32 } = require('node:zlib')

// CommonJS, which Node starts faster than an ES module. npm links this file before the build has run, so it is plain
// JavaScript and says what is missing.
const lib = join(__dirname, '../lib')
// V8's code of the functions that a command uses, since compiling them takes a third of its time. It is kept where only
// those can write who can change the program itself. V8 refuses code of another version, but crashes on damaged code,
// and takes that of another text of the same length. start.js changes with the text of any file.
const [command] = /^[a-z-]+$/.exec(process.argv[2]) ?? ['status']
const cache = join(lib, `.cache/${process.version}-${process.arch}/${command}`)
const build = existsSync(join(lib, 'start.js')) ? crc32(readFileSync(join(lib, 'start.js'))) : undefined
const kept = keptCode()
const scripts = new Map()
let isNew = false

if (build !== undefined) {
  process.once('exit', keepCode)
  load('./start.js')
    .start(process.argv.slice(2))
    .then((code) => {
      process.exitCode = code
    })
} else {
  process.stderr.write('tenfold is not built yet. Run "npm run build" in its repository, then try again.\n')
  process.exitCode = 1
}

/** `require` for the files of the program, without a search for the file. */
function load(name) {
  const filename = join(lib, name)
  if (require.cache[filename] !== undefined) return require.cache[filename].exports
  const loaded = new Module(filename, module)
  require.cache[filename] = loaded
  const cachedData = kept.get(name)
  const importModuleDynamically = constants.USE_MAIN_CONTEXT_DEFAULT_LOADER
  const source = Module.wrap(readFileSync(filename, 'utf8'))
  const script = new Script(source, { filename, cachedData, importModuleDynamically })
  scripts.set(name, script)
  isNew ||= cachedData === undefined || script.cachedDataRejected
  const needed = (id) => (id.startsWith('./') ? load(id) : loaded.require(id))
  script.runInThisContext()(loaded.exports, needed, loaded, filename, lib)
  return loaded.exports
}

/** A line with a checksum, one with names and sizes, then the code of each file. */
function keptCode() {
  const codes = new Map()
  try {
    const bytes = readFileSync(cache)
    const start = bytes.indexOf('\n') + 1
    if (Number(bytes.toString('latin1', 0, start)) !== crc32(bytes.subarray(start), build)) return codes
    let at = bytes.indexOf('\n', start) + 1
    for (const [name, size] of JSON.parse(bytes.toString('latin1', start, at))) {
      codes.set(name, bytes.subarray(at, at + size))
      at += size
    }
  } catch {
    // None is kept yet.
  }
  return codes
}

function keepCode(code) {
  if (code !== 0 || !isNew) return
  const draft = `${cache}.${process.pid}`
  try {
    mkdirSync(dirname(cache), { recursive: true })
    // Before the work, which is in vain without the right to write here.
    writeFileSync(draft, '')
    for (const [name, script] of scripts) kept.set(name, script.createCachedData())
    const files = [...kept].filter(([name]) => existsSync(join(lib, name)))
    const sizes = JSON.stringify(files.map(([name, { length }]) => [name, length]))
    const bytes = Buffer.concat([Buffer.from(`${sizes}\n`), ...files.map(([, code]) => code)])
    writeFileSync(draft, Buffer.concat([Buffer.from(`${crc32(bytes, build)}\n`), bytes]), { flush: true })
    renameSync(draft, cache)
  } catch {
    // Then each start compiles.
  }
}
