import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { TenfoldError } from '@tenfold/core'
import { expect, it } from 'vitest'
import { loadPackage } from '../../src/provider/load-package.ts'

it('says how to install a package that is missing', async () => {
  const missing = 'no-such-vendor'
  const error = await loadPackage(missing, () => import(missing)).catch((thrown: unknown) => thrown)
  expect(TenfoldError.isInstance(error) && error.code).toBe('missing-package')
  expect(error).toMatchObject({
    message: 'The package no-such-vendor is not installed: npm install no-such-vendor',
  })
})

it('passes on what a package itself throws', async () => {
  await expect(loadPackage('broken', () => Promise.reject(new Error('it fails')))).rejects.toThrow('it fails')
})

/** What a fresh process in which no SDK is installed prints. */
function withoutPackages(program: string): string[] {
  const hooks = `export async function resolve(name, context, next) {
    if (/^(?:openai|ollama|@anthropic-ai.sdk)$/.test(name)) return await next(name + '-missing', context)
    return await next(name, context)
  }`
  const script = `
    import { register } from 'node:module'
    register('data:text/javascript,' + encodeURIComponent(${JSON.stringify(hooks)}))
    ${program}`
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    cwd: join(import.meta.dirname, '../..'),
    encoding: 'utf8',
  })
  expect(stderr).toBe('')
  return stdout.trim().split('\n')
}

it('is how each SDK is loaded, before a log is read and before a batch is sent', () => {
  const printed = withoutPackages(`
    const { compressLog } = await import('@tenfold/core')
    const { anthropicBatch, anthropicSummarizer } = await import('@tenfold/summarizers/anthropic')
    const { ollamaSummarizer } = await import('@tenfold/summarizers/ollama')
    const { openaiBatch, openaiSummarizer } = await import('@tenfold/summarizers/openai')
    const options = { model: 'm', apiKey: 'key' }
    const say = ({ code, message }) => console.log(code, message)
    for (const summarizer of [anthropicSummarizer(options), openaiSummarizer(options), ollamaSummarizer({ model: 'm' })])
      await compressLog('missing.jsonl', { summarizer }).catch(say)
    await anthropicBatch(options).catch(say)
    await openaiBatch(options).catch(say)`)
  const missing = (name: string) =>
    `missing-package The package ${name} is not installed: npm install ${name}`
  const [anthropic, openai, ollama] = ['@anthropic-ai/sdk', 'openai', 'ollama'].map(missing)
  expect(printed).toEqual([anthropic, openai, ollama, anthropic, openai])
})
