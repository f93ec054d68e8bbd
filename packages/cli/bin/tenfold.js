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
// those can write who can change the program itself. V8 refuses code of another version, but crashes on damaged code.
const [command] = /^[a-z-]+$/.exec(process.argv[2]) ?? ['status']
const cache = join(lib, `.cache/${process.version}-${process.arch}/${command}`)
const kept = keptCode()
const scripts = new Map()
let isNew = false

if (existsSync(join(lib, 'start.js'))) {
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

/** `require` for the files of the program, with the kept code and without a search for the file. */
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

/** A line with a checksum, one with names and places, then the code of each file. */
function keptCode() {
  try {
    const bytes = readFileSync(cache)
    const start = bytes.indexOf('\n') + 1
    const data = bytes.indexOf('\n', start) + 1
    if (Number(bytes.toString('latin1', 0, start)) !== crc32(bytes.subarray(start))) return new Map()
    const files = JSON.parse(bytes.toString('latin1', start, data))
    return new Map(files.map(([name, from, to]) => [name, bytes.subarray(data + from, data + to)]))
  } catch {
    return new Map()
  }
}

function keepCode(code) {
  if (code !== 0 || !isNew) return
  try {
    for (const [name, script] of scripts) kept.set(name, script.createCachedData())
    const places = []
    const codes = []
    let end = 0
    for (const [name, code] of kept) {
      if (!existsSync(join(lib, name))) continue
      codes.push(code)
      places.push([name, end, end + code.length])
      end += code.length
    }
    const bytes = Buffer.concat([Buffer.from(`${JSON.stringify(places)}\n`), ...codes])
    const temporary = `${cache}.${process.pid}`
    mkdirSync(dirname(cache), { recursive: true })
    writeFileSync(temporary, Buffer.concat([Buffer.from(`${crc32(bytes)}\n`), bytes]), { flush: true })
    renameSync(temporary, cache)
  } catch {
    // A user without the right to write here compiles at each start.
  }
}
