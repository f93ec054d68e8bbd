import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { beforeEach, describe, expect, it } from 'vitest'
import { startStandIn } from '../../../test/stand-in/index.ts'
import { madeUpToken } from '../../../test/support/plant.ts'
import { testFolder } from '../../../test/support/test-folder.ts'
import { testStandIn } from '../../../test/support/test-stand-in.ts'
import { claudeLog, writeClaudeLog } from './support/claude-log.ts'
import { type Ran, run } from './support/run.ts'

const at = testFolder('each')
const standIn = testStandIn('each')
/** No server listens here. */
let nobody: string
beforeEach(async () => {
  const gone = await startStandIn()
  await gone.close()
  nobody = gone.url
})

const env = { ANTHROPIC_API_KEY: 'test-key', OPENAI_API_KEY: 'test-key' }
const tenfold = (...args: string[]): Promise<Ran> => run(args, { cwd: at(), env })
const claude = () => ['--summarizer', 'anthropic', '--model', 'claude-opus-5-5', '--base-url', standIn.url]
const sumOf = (field: 'input' | 'output'): number =>
  standIn.bill.reduce((sum, { usage }) => sum + usage[field], 0)

describe('compress with a model', () => {
  it.each([
    ['anthropic', 'claude-opus-5-5', () => standIn.url, []],
    ['openai', 'gpt-6-sol', () => standIn.openaiUrl, ['--api', 'responses']],
    ['openai', 'local-model', () => standIn.openaiUrl, []],
    ['ollama', 'qwen3:8b', () => standIn.url, []],
  ])('asks %s %s and reports the cost', async (name, model, url, more) => {
    writeClaudeLog(at('a.jsonl'))
    const ran = await tenfold(
      ...['compress', '--json', '--summarizer', name, '--model', model, '--base-url', url()],
      ...more,
      'a.jsonl',
    )
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    const { summary } = JSON.parse(ran.stdout)
    expect(summary).toMatchObject({ summarizer: name, model })
    expect(summary.fallback).toBeUndefined()
    expect(summary.usage).toMatchObject({ inputTokens: sumOf('input'), outputTokens: sumOf('output') })
    expect(summary.calls).toHaveLength(standIn.bill.length)
  })

  it.each([
    ['--fallback extractive', () => [...claude(), '--fallback', 'extractive']],
    ['a chain', () => ['--summarizer', 'anthropic:m,extractive', '--base-url', standIn.url]],
  ])('falls back to the offline summarizer that %s names, and says so', async (_, options) => {
    writeClaudeLog(at('a.jsonl'))
    standIn.always('refusal')
    const ran = await tenfold('compress', ...options(), 'a.jsonl')
    expect(ran.code).toBe(0)
    expect(ran.stdout).toMatch(/fallback: anthropic: refused.*extractive wrote the whole/)
    // The cost of the refusal is reported all the same.
    expect(ran.stdout).toMatch(/1 call · [1-9][\d,]* tokens in/)
  })

  it('fails without a fallback, and reports the calls that were made', async () => {
    writeClaudeLog(at('a.jsonl'))
    standIn.always('refusal')
    const ran = await tenfold('compress', '--json', ...claude(), 'a.jsonl')
    expect(ran.code).toBe(1)
    const { error } = JSON.parse(ran.stdout)
    expect(error).toMatchObject({ code: 'summarizer-failed' })
    expect(error.calls).toMatchObject([{ summarizer: 'anthropic', usage: { inputTokens: sumOf('input') } }])
  })

  it('asks one model after the other in a chain', async () => {
    writeClaudeLog(at('a.jsonl'))
    standIn.script([401])
    const chain = ['--summarizer', 'anthropic:claude-opus-5-5,openai:gpt-6-sol', '--api', 'responses']
    const servers = { ANTHROPIC_BASE_URL: standIn.url, OPENAI_BASE_URL: standIn.openaiUrl }
    const options = { cwd: at(), env: { ...env, ...servers } }
    const ran = await run(['compress', '--json', ...chain, 'a.jsonl'], options)
    expect(JSON.parse(ran.stdout).summary).toMatchObject({ summarizer: 'openai', model: 'gpt-6-sol' })
  })

  it("refuses to spend above a limit, with the user's own price table", async () => {
    writeClaudeLog(at('a.jsonl'))
    const prices = {
      date: '2030-01-01',
      currency: 'EUR',
      models: [{ match: 'claude-opus-5-5', provider: 'anthropic', input: 1000, output: 1000 }],
    }
    writeFileSync(at('prices.json'), JSON.stringify(prices))
    const limits = ['--max-cost', '1', '--prices', 'prices.json']
    const ran = await tenfold('compress', ...claude(), ...limits, 'a.jsonl')
    expect(ran.code).toBe(1)
    expect(ran.stderr).toMatch(
      /--max-cost 1 EUR does not allow a call of up to [\d.]+ EUR: raise it, or use a cheaper model or --summarizer extractive\./,
    )
    expect(standIn.requests).toEqual([])
    writeFileSync(at('prices.json'), '{')
    const bad = await tenfold('compress', ...claude(), ...limits, 'a.jsonl')
    expect(bad).toMatchObject({ code: 1 })
    expect(bad.stderr).toMatch(/price table/)
  })

  it('continues from the previous bundle', async () => {
    writeFileSync(at('a.jsonl'), claudeLog({ rounds: 10 }))
    await tenfold('compress', ...claude(), 'a.jsonl')
    writeFileSync(at('a.jsonl'), claudeLog({ rounds: 12 }))
    const ran = await tenfold('compress', '--json', ...claude(), '--previous', 'LATEST', 'a.jsonl')
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    const { summary } = JSON.parse(ran.stdout)
    expect(summary.calls.map(({ purpose }: { purpose: string }) => purpose)).toEqual(['update'])
    expect(standIn.bill[1]?.usage.input).toBeLessThan(standIn.bill[0]?.usage.input ?? 0)
  })

  it.each([
    [['--summarizer', 'anthropic'], /expected --model with --summarizer anthropic/],
    [['--summarizer', 'gpt'], /expected one of extractive, anthropic, openai, ollama, got "gpt"/],
    [['--summarizer', 'anthropic,openai', '--model', 'x'], /expected each model next to its summarizer/],
    [['--summarizer', 'anthropic:x', '--api', 'chat'], /expected --summarizer openai with --api/],
    [['--no-redact', '--redact-emails'], /expected --no-redact without other options/],
    [['--redact-pattern', '('], /expected a regular expression/],
  ])('refuses %j', async (options, message) => {
    const ran = await tenfold('compress', ...options, 'a.jsonl')
    expect(ran.code).toBe(2)
    expect(ran.stderr).toMatch(message)
  })

  const unknownModel = { scenario: 'status', code: 404, message: 'model not found' } as const
  const cannotBeAsked: [what: string, summarizer: string, options: () => string[], advice: RegExp][] = [
    ['no key', 'anthropic:m', () => [], /it needs an API key; set ANTHROPIC_API_KEY\./],
    [
      'an unknown model',
      'openai:m',
      () => [standIn.openaiUrl],
      /404.*check the name of the model, and the base URL/,
    ],
    ['an unknown model', 'ollama:m', () => [standIn.url], /answered 404.*`ollama pull m`/],
    [
      'no server',
      'openai:m',
      () => [`${nobody}/v1`],
      /not reached: is it running, and is the base URL right/,
    ],
  ]
  it.each(cannotBeAsked)('fails with %s for %s, fast and with advice', async (what, name, url, advice) => {
    writeClaudeLog(at('a.jsonl'))
    standIn.always(unknownModel)
    const keys = what === 'no key' ? {} : env
    const server = url().flatMap((place) => ['--base-url', place])
    const compress = (...more: string[]) =>
      run(['compress', '--json', '--summarizer', name, ...server, ...more, 'a.jsonl'], {
        cwd: at(),
        env: keys,
      })
    const ran = await compress()
    expect(ran.code).toBe(1)
    expect(ran.stderr).toMatch(advice)
    expect(ran.stderr).toMatch(
      /[.?] Add --fallback extractive to make the bundle without a model in that case\.$/m,
    )
    expect(ran.stderr).not.toMatch(/apiKey|baseURL|numCtx|idleTimeoutMs/)
    const { error } = JSON.parse(ran.stdout)
    // Without a key nothing is called.
    expect(error.calls?.length ?? 0).toBeLessThanOrEqual(2)

    const saved = await compress('--fallback', 'extractive')
    expect(saved).toMatchObject({ code: 0, stderr: '' })
    const { summary, notes } = JSON.parse(saved.stdout)
    expect(summary).toMatchObject({ summarizer: 'extractive', usage: {} })
    expect(summary.fallback).toMatch(/^\w+: [\w-]+; extractive wrote the whole$/)
    expect(notes.find(({ code }: { code: string }) => code === 'summarizer-failed').message).toMatch(
      new RegExp(advice.source.replace(/\\\.$/, '')),
    )
    const shown = (await tenfold('show', 'LATEST')).stdout
    const calls = shown.slice(shown.indexOf('## Summarizer calls')).split('\n\n')[0]?.split('\n') ?? []
    expect(calls.filter((line) => line.startsWith('- '))).toHaveLength(1)
  })

  it('tries no further logs without a key, and says how many remain', async () => {
    for (const name of ['a', 'b', 'c', 'd']) writeClaudeLog(at(`${name}.jsonl`), { session: name })
    const compress = (...more: string[]) =>
      run(['compress', '--concurrency', '1', '--summarizer', 'openai:m', ...more, '.'], {
        cwd: at(),
        env: {},
      })
    const ran = await compress()
    expect(ran.code).toBe(1)
    expect(ran.stderr.match(/it needs an API key/g)).toHaveLength(1)
    expect(ran.stderr).toContain('3 logs not tried: they would fail for the same reason.')
    const lines = (await compress('--json')).stdout.trim().split('\n')
    const codes = lines.map((line) => JSON.parse(line).error?.code)
    expect(codes).toEqual(['missing-api-key', 'not-tried', 'not-tried', 'not-tried', undefined])
  })

  it('reports what was paid for if the bundle cannot be saved', async () => {
    writeClaudeLog(at('a.jsonl'))
    mkdirSync(at('store'))
    writeFileSync(at('store/archive'), 'a file where a folder has to be')
    const ran = await tenfold('compress', '--json', ...claude(), '--store', 'store', 'a.jsonl')
    expect(ran.code).toBe(1)
    const { error } = JSON.parse(ran.stdout)
    expect(error.code).toBe('storage-failed')
    expect(error.calls).toMatchObject([{ usage: { inputTokens: sumOf('input') } }])
  })
})

describe('redaction', () => {
  const token = madeUpToken('cli')
  const withSecrets = (): string =>
    claudeLog().replace('"content":"', `"content":"Use ${token}, ask ann@orbit-shop.io, order INV-20991, `)

  it('covers patterns, .env files and e-mail addresses too', async () => {
    writeFileSync(at('a.jsonl'), withSecrets().replaceAll('parser', 'parser zebra-crossing-77'))
    writeFileSync(at('.env'), 'PLACE=zebra-crossing-77\nPORT=8080\n')
    const options = ['--redact-emails', '--redact-pattern', 'INV-\\d+', '--redact-env', '.env']
    await tenfold('compress', ...options, 'a.jsonl')
    const shown = (await tenfold('show', 'LATEST')).stdout
    for (const gone of [token, 'ann@orbit-shop.io', 'INV-20991', 'zebra-crossing-77'])
      expect(shown).not.toContain(gone)
  })

  it('is off only on request', async () => {
    writeFileSync(at('a.jsonl'), withSecrets())
    await tenfold('compress', '--no-redact', '--max-ratio', '0.5', 'a.jsonl')
    expect((await tenfold('show', 'LATEST')).stdout).toContain(token)
  })
})

describe('batch', () => {
  const submit = (...more: string[]) => tenfold('batch', 'submit', ...claude(), ...more)
  const collect = (...more: string[]) => tenfold('batch', 'collect', '--base-url', standIn.url, ...more)

  it('refuses a server that is no URL', async () => {
    const refused = await tenfold('batch', 'collect', 'job', '--base-url', 'localhost:8080')
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('http:// or https://') })
  })

  it('submits, waits and collects, each session once', async () => {
    writeClaudeLog(at('a.jsonl'), { session: 'session-a' })
    writeClaudeLog(at('b.jsonl'), { session: 'session-b' })
    const sent = await submit('--track', 'old', '--json', 'a.jsonl', 'b.jsonl')
    expect(sent).toMatchObject({ code: 0, stderr: '' })
    const { job, sessions, requests } = JSON.parse(sent.stdout)
    expect({ sessions, requests }).toEqual({ sessions: 2, requests: 2 })
    const early = await collect('--json')
    expect(JSON.parse(early.stdout)).toMatchObject({ job, open: 2, saved: [] })
    const done = await collect('--wait', '--poll-seconds', '1')
    expect(done.code).toBe(0)
    expect(done.stdout).toBe('2 bundles saved, 0 failed\n')
    const listed = JSON.parse((await tenfold('list', '--track', 'old', '--json')).stdout)
    expect(listed.map(({ sessionId }: { sessionId: string }) => sessionId).sort()).toEqual([
      'session-a',
      'session-b',
    ])
    const again = await tenfold('batch', 'collect', job, '--base-url', standIn.url, '--json')
    expect(JSON.parse(again.stdout).saved).toHaveLength(2)
    expect(standIn.bill.filter(({ kind }) => kind === 'batch')).toHaveLength(2)
    const status = JSON.parse((await tenfold('batch', 'status', job, '--json')).stdout)
    expect(status).toMatchObject({ job, saved: 2, failed: 0, provider: 'anthropic' })
  })

  it('sends no log twice, unless it is asked to or the log changed', async () => {
    for (const name of ['a', 'b']) writeClaudeLog(at(`${name}.jsonl`), { session: `session-${name}` })
    const { job } = JSON.parse((await submit('--json', 'a.jsonl')).stdout)
    const second = await submit('a.jsonl', 'b.jsonl')
    expect(second.stdout).toMatch(/: 1 session in 1 request/)
    expect(second.stderr).toContain(`1 log skipped, already in job ${job}; pass --again to send them`)
    await collect(job, '--wait', '--poll-seconds', '1')
    expect(JSON.parse((await submit('--json', 'a.jsonl')).stdout)).toEqual({
      ...{ sessions: 0, requests: 0, failed: 0, known: 1 },
    })
    expect(await submit('a.jsonl')).toMatchObject({ code: 0, stdout: 'Nothing new to send.\n' })
    expect(standIn.batches).toHaveLength(2)

    // Another kind of bundle, on demand, and a log that grew.
    expect(JSON.parse((await submit('--kind', 'plan', '--json', 'a.jsonl')).stdout)).toMatchObject({
      known: 0,
    })
    expect(JSON.parse((await submit('--again', '--json', 'a.jsonl')).stdout)).toMatchObject({ sessions: 1 })
    appendFileSync(at('a.jsonl'), claudeLog({ session: 'session-a' }))
    expect(JSON.parse((await submit('--json', 'a.jsonl')).stdout)).toMatchObject({ sessions: 1, known: 0 })
  })

  it('falls back for failed rows, or reports them', async () => {
    writeClaudeLog(at('a.jsonl'))
    standIn.batchRow = () => ({ scenario: 'refusal' })
    await submit('a.jsonl')
    const failed = await collect('--wait', '--poll-seconds', '1')
    expect(failed).toMatchObject({ code: 1, stdout: '0 bundles saved, 1 failed\n' })
    expect(failed.stderr).toMatch(/refused: .*with a fallback, collecting again saves the session/)
    const [{ job }] = JSON.parse((await tenfold('batch', 'status', '--json')).stdout)
    const requests = standIn.bill.length
    const done = await collect(job, '--fallback', 'extractive')
    expect(done).toMatchObject({ code: 0, stdout: '1 bundle saved, 0 failed\n' })
    const shown = (await tenfold('show', 'LATEST')).stdout
    expect(shown).toMatch(/\nfallback: "?anthropic: refused/)
    expect(standIn.bill).toHaveLength(requests)
  })

  it('refuses to spend above a limit before anything is sent', async () => {
    writeClaudeLog(at('a.jsonl'))
    const ran = await submit('--max-cost', '0.0001', 'a.jsonl')
    expect(ran.code).toBe(1)
    expect(ran.stderr).toMatch(/--max-cost 0.0001 USD does not allow/)
    expect(standIn.requests).toEqual([])
    expect((await tenfold('batch', 'status')).stderr).toMatch(/No batch jobs/)
  })

  it('cancels a job, and reports an unknown or ambiguous name', async () => {
    writeClaudeLog(at('a.jsonl'))
    const { job } = JSON.parse((await submit('--json', 'a.jsonl')).stdout)
    const ran = await tenfold('batch', 'cancel', job, '--base-url', standIn.url)
    expect(ran.stdout).toMatch(/cancelled/)
    expect(await tenfold('batch', 'status', 'no-such-job')).toMatchObject({ code: 1 })
    expect(await tenfold('batch', 'submit', 'a.jsonl')).toMatchObject({ code: 2 })
  })
})
