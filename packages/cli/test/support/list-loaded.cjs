// Required before the program: writes what the process has loaded to descriptor 3 when it ends.
const { statSync, writeSync } = require('node:fs')

process.once('exit', () => {
  const builtins = process.moduleLoadList
    .filter((name) => name.startsWith('NativeModule ') && !name.includes('internal/'))
    .map((name) => name.slice('NativeModule '.length))
  const files = Object.keys(require.cache).filter((path) => path !== __filename)
  writeSync(3, JSON.stringify({ builtins, files: files.length, bytes: files.reduce(sizeWith, 0) }))
})

function sizeWith(sum, path) {
  return sum + statSync(path).size
}
