import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runInNewContext } from 'node:vm'
import type { ContextBundle } from '@tenfold/core/bundle'
import { rolldown } from 'rolldown'
import { minify } from 'rolldown/utils'
import { beforeAll, describe, expect, it } from 'vitest'
import { testFolder } from '../support/test-folder.ts'

const folder = testFolder('all')
const log = resolve(import.meta.dirname, '../../examples/logs/claude-code-rate-limiter.jsonl')
// Packages are found from here.
const tests = resolve(import.meta.dirname, '../program.js')

/** Bundles a program that uses the packages into one file; returns its code. */
async function bundle(program: string, platform: 'node' | 'browser', commonJs = false): Promise<string> {
  const entry = {
    name: 'entry',
    resolveId: (id: string) => (id === 'program' ? tests : undefined),
    load: (id: string) => (id === tests ? program : undefined),
  }
  const build = await rolldown({
    input: 'program',
    platform,
    plugins: [entry],
    logLevel: 'silent',
    // As esbuild does in CommonJS; this bundler would put the address of the file there.
    ...(commonJs && { transform: { define: { 'import.meta.url': 'undefined' } } }),
  })
  const { output } = await build.generate({
    format: platform === 'browser' ? 'iife' : commonJs ? 'cjs' : 'esm',
    codeSplitting: false,
  })
  await build.close()
  const [chunk] = output
  expect(chunk.imports.filter((name) => !name.startsWith('node:'))).toEqual([])
  if (platform === 'browser') expect(chunk.imports).toEqual([])
  return chunk.code
}

let made: { readonly bundle: ContextBundle; readonly stored: string }

beforeAll(async () => {
  const program = `import { bundleStore, compressLog } from '@tenfold/core'
    import { fileStorage } from '@tenfold/storage-fs'
    import { extractiveSummarizer } from '@tenfold/summarizers/extractive'
    const store = bundleStore(fileStorage('store'))
    const { bundle } = await compressLog(process.argv[2], { summarizer: extractiveSummarizer(), store })
    console.log(JSON.stringify({ bundle, stored: (await store.latest('main')).bundle.id }))`
  writeFileSync(folder('program.mjs'), await bundle(program, 'node'))
  // Bundlers copy the files of URLs next to the code, or are told to.
  const tokens = fileURLToPath(new URL('.', import.meta.resolve('@tenfold/tokens')))
  copyFileSync(join(tokens, 'o200k_base.bin'), folder('o200k_base.bin'))
  made = JSON.parse(execFileSync(process.execPath, ['program.mjs', log], { cwd: folder(), encoding: 'utf8' }))
})

describe('a program in one file', () => {
  it('compresses a log and stores the bundle, far from any package', () => {
    expect(made.bundle.source.format).toBe('claude-code')
    expect(made.stored).toBe(made.bundle.id)
  })

  it('runs as CommonJS, which has no address of its own', async () => {
    const alone = mkdtempSync(folder('common-'))
    const program = `import { compressLogs, tiktokenCounter } from '@tenfold/core'
      import { extractiveSummarizer } from '@tenfold/summarizers/extractive'
      async function run() {
        const codes = []
        const log = process.argv[2]
        for await (const { error } of compressLogs([log], { summarizer: extractiveSummarizer() })) codes.push(error.code)
        console.log(JSON.stringify([tiktokenCounter().count('one two'), codes]))
      }
      run()`
    writeFileSync(join(alone, 'program.cjs'), await bundle(program, 'node', true))
    copyFileSync(folder('o200k_base.bin'), join(alone, 'o200k_base.bin'))
    const printed = execFileSync(process.execPath, ['program.cjs', log], { cwd: alone, encoding: 'utf8' })
    expect(JSON.parse(printed)).toEqual([2, ['no-thread-file']])
  })

  it('says what to do about files that the bundler left out', async () => {
    const alone = mkdtempSync(folder('alone-'))
    const program = `import { compressLogs, tiktokenCounter } from '@tenfold/core'
      import { extractiveSummarizer } from '@tenfold/summarizers/extractive'
      const errors = []
      try {
        tiktokenCounter().count('a')
      } catch (error) {
        errors.push(error)
      }
      for await (const { error } of compressLogs([process.argv[2]], { summarizer: extractiveSummarizer() }))
        errors.push(error)
      console.log(JSON.stringify(errors.map(({ code, message }) => ({ code, message }))))`
    writeFileSync(join(alone, 'program.mjs'), await bundle(program, 'node'))
    const printed = execFileSync(process.execPath, ['program.mjs', log], { cwd: alone, encoding: 'utf8' })
    expect(JSON.parse(printed)).toEqual([
      {
        code: 'no-encoding-file',
        message: expect.stringMatching(/^the file o200k_base\.bin is missing next to .* copy it there /),
      },
      {
        code: 'no-thread-file',
        message: expect.stringMatching(/leave both packages out of the bundle, or call compressOnce/),
      },
    ])
  })
})

describe('@tenfold/core/bundle', () => {
  const program = `import * as tenfold from '@tenfold/core/bundle'
    globalThis.run = async (text) => {
      const counter = { name: 'characters/4', count: (text) => Math.ceil(text.length / 4) }
      const bundle = tenfold.parseBundle(JSON.parse(text))
      const markdown = tenfold.bundleToMarkdown(bundle)
      return JSON.stringify({
        brief: await tenfold.renderBrief(bundle, { counter, maxTokens: 1000 }),
        again: tenfold.bundleToMarkdown(tenfold.bundleFromMarkdown(markdown)) === markdown,
      })
    }`

  it('parses a bundle and renders it where there is nothing but the language, a timer and a clock', async () => {
    const context: { run?: (text: string) => Promise<string>; setTimeout: unknown; performance: unknown } = {
      setTimeout,
      performance,
    }
    runInNewContext(await bundle(program, 'browser'), context)
    const { brief, again } = JSON.parse((await context.run?.(JSON.stringify(made.bundle))) ?? '')
    expect(brief).toContain('# Resume: ')
    expect(brief.length).toBeLessThanOrEqual(4000)
    expect(again).toBe(true)
  })

  it('gives a program that only renders briefs little else', async () => {
    const program = "import { renderBrief } from '@tenfold/core/bundle'\nglobalThis.run = renderBrief"
    const code = await bundle(program, 'browser')
    expect(code).toContain('# Resume: ')
    expect(code).not.toMatch(/no-encoding-file|ZodType|schemaVersion/)
    const { code: small } = await minify('program.js', code)
    expect(small.length).toBeLessThan(30_000)
  })
})
