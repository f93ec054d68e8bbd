import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const run = promisify(execFile)

/** The second text is joined of two, so that V8 looks for machine code of the expression. */
const script = `
const { tuneV8 } = await import(process.argv[1])
const expression = /[\\ud800-\\udbff]x/
expression.test('bytecode from now on')
tuneV8(1)
const { execPath } = process
console.log(expression.test(execPath + execPath))
`

it('runs regular expressions that were bytecode before it', async () => {
  const tune = new URL('../dist/compress/tune-v8.js', import.meta.url).href
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', script, tune])
  expect(stdout).toBe('false\n')
})
