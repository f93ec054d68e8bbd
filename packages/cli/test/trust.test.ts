import { createHash } from 'node:crypto'
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { testHome } from './support/agent-home.ts'
import { claudeLog } from './support/claude-log.ts'

const home = testHome()

const startup = { hook_event_name: 'SessionStart', session_id: 's-2', source: 'startup', transcript_path: '' }
const store = (): string => join(home.project, '.agents/bundles')

/** A store in the project that another machine made, so the state of this machine knows nothing of it. */
async function cloneStore(): Promise<void> {
  const log = home.write('session-1.jsonl', claudeLog())
  expect(await home.tenfold(['compress', '--quiet', log])).toMatchObject({ code: 0 })
  rmSync(home.state, { recursive: true })
}

/** The user learns why there is no brief; the agent gets nothing of the store. */
async function expectNotice(env: Record<string, string> = {}): Promise<void> {
  const { code, stdout, stderr } = await home.hook('claude-code', startup, env)
  expect({ code, stderr, ...JSON.parse(stdout) }).toEqual({
    code: 0,
    stderr: '',
    systemMessage: `Tenfold gave the agent no brief: the store was not made on this machine; to trust it: tenfold trust ${store()}`,
    hookSpecificOutput: { hookEventName: 'SessionStart' },
  })
}

async function briefOf(folder = home.project): Promise<string> {
  const { stdout } = await home.hook('claude-code', { ...startup, cwd: folder })
  return stdout === '' ? '' : (JSON.parse(stdout).hookSpecificOutput.additionalContext ?? '')
}

describe('the brief that a hook gives to an agent', () => {
  it('comes from a store that was made on this machine, and says so', async () => {
    const log = home.write('session-1.jsonl', claudeLog())
    await home.tenfold(['compress', '--quiet', log])
    expect(await briefOf()).toMatch(
      new RegExp(
        `^Given by tenfold's hook from the store ${store()} \\(made on this machine\\)\\.\\n\\n# Resume`,
      ),
    )
    const { stdout } = await home.tenfold(['trust', '--list', '--json'])
    expect(JSON.parse(stdout)).toMatchObject([{ place: store(), by: 'made' }])
  })

  it('comes from a cloned store only after the user trusts it, which the hook says to the user alone', async () => {
    await cloneStore()
    await expectNotice()
    expect(home.told().at(-1)?.skipped).toBe(
      `the store was not made on this machine; to trust it: tenfold trust ${store()}`,
    )
    const trusted = await home.tenfold(['trust'])
    expect(trusted).toMatchObject({ code: 0, stderr: '' })
    expect(trusted.stdout).toMatch(/^Trusted .*\.agents\/bundles with 1 bundle; the newest is \d{8}T/)
    expect(await briefOf()).toContain('(trusted by the user of this machine)')
    expect((await home.tenfold(['trust', '--revoke'])).stdout).toContain('is no longer trusted')
    await expectNotice()
    expect((await home.tenfold(['trust', '--revoke'])).stdout).toContain('nothing to change')
    expect(await home.tenfold(['trust', '--list'])).toMatchObject({
      stdout: '',
      stderr: expect.stringMatching(/No store is trusted/),
    })
  })

  it('does not come from a cloned store merely because something was added to it', async () => {
    await cloneStore()
    const log = home.write('session-2.jsonl', claudeLog({ session: 'session-2' }))
    expect(await home.tenfold(['compress', '--quiet', log])).toMatchObject({ code: 0 })
    await home.tenfold(['checkpoint', 'save', '--track', 'main', '--step', 'look'])
    await expectNotice()
  })

  it('comes from a store outside the project that TENFOLD_STORE names', async () => {
    await cloneStore()
    const elsewhere = home.at('store')
    cpSync(store(), elsewhere, { recursive: true })
    const { stdout } = await home.hook('claude-code', startup, { TENFOLD_STORE: elsewhere })
    expect(stdout).toContain('(named by TENFOLD_STORE)')
    // A relative name resolves in whatever project the agent starts in.
    await expectNotice({ TENFOLD_STORE: '.agents/bundles' })
  })
})

describe('what was not made on this machine', () => {
  const resumed = async (): Promise<string> => (await home.tenfold(['resume', '--no-verify'])).stdout
  const status = async (): Promise<string> => (await home.tenfold([])).stdout.replaceAll(/\s+/g, ' ')
  async function mcpTexts(): Promise<string[]> {
    const messages = [
      {
        id: 1,
        method: 'initialize',
        params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
      },
      { method: 'notifications/initialized' },
      { id: 2, method: 'tools/call', params: { name: 'resume', arguments: {} } },
      { id: 3, method: 'tools/call', params: { name: 'list', arguments: {} } },
    ]
    const stdin = messages.map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`).join('')
    const { stdout } = await home.tenfold(['mcp'], { stdin })
    const answers = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    return answers.flatMap(({ result }) => (result.content ?? []).map(({ text }: { text: string }) => text))
  }

  it('is named by tenfold, resume and MCP if it is a store that came with a clone', async () => {
    await cloneStore()
    const line = 'was not created on this machine, so anyone may have written it'
    expect(await resumed()).toContain(line)
    expect(await status()).toContain(line)
    expect((await mcpTexts()).filter((text) => text.includes(line))).toHaveLength(2)
    await home.tenfold(['trust'])
    expect(`${await resumed()}${await status()}${await mcpTexts()}`).not.toContain('this machine')
  })

  it('is marked if git pull adds it to a store that was made here', async () => {
    const elsewhere = home.at('elsewhere')
    mkdirSync(elsewhere)
    const log = (session: string, rounds: number): string =>
      home.write(`${session}.jsonl`, claudeLog({ session, rounds }))
    await home.tenfold(['compress', '--quiet', log('session-1', 4)])
    expect(`${await briefOf()}${await resumed()}${await status()}`).not.toContain('Not saved on this machine')
    // It ended later, so it is the newest of the track.
    await home.tenfold(['compress', '--quiet', log('session-2', 8)], {
      cwd: elsewhere,
      env: { TENFOLD_HOME: home.at('other-state') },
    })
    cpSync(join(elsewhere, '.agents'), join(home.project, '.agents'), { recursive: true })
    const [mark] = /Not saved on this machine: bundle \S+\./.exec(await resumed()) ?? []
    expect(mark).toBeDefined()
    expect(await briefOf()).toContain(mark)
    expect(await status()).toContain(mark)
    expect((await mcpTexts()).filter((text) => text.includes(mark ?? ''))).toHaveLength(2)
    for (const args of [['show'], ['recall', '--limit', '1', 'the']])
      expect((await home.tenfold(args)).stderr).toContain(mark)
    await home.tenfold(['trust'])
    expect(`${await briefOf()}${await resumed()}${await status()}`).not.toContain('Not saved on this machine')
  })

  it('is marked if a file of this machine was replaced', async () => {
    await home.tenfold(['checkpoint', 'save', '--track', 'main', '--step', 'look'])
    expect(await resumed()).not.toContain('Not saved on this machine')
    const folder = join(store(), 'checkpoints/main')
    const [name = ''] = readdirSync(folder).filter((file) => /\d\.json$/.test(file))
    const [path, entry] = [join(folder, name), join(folder, 'log', name)]
    const text = readFileSync(path, 'utf8').replace('"look"', '"leak"')
    writeFileSync(path, text)
    const sha256 = createHash('sha256').update(text).digest('hex')
    writeFileSync(entry, readFileSync(entry, 'utf8').replace(/"sha256":\s*"\w+"/, `"sha256":"${sha256}"`))
    const brief = await resumed()
    expect(brief).toContain('leak')
    expect(brief).toMatch(/Not saved on this machine: checkpoint \S+\./)
    expect((await home.tenfold(['checkpoint', 'resume'])).stderr).toContain('Not saved on this machine')
  })

  it('includes a store whose folders are links that lead nowhere yet', async () => {
    mkdirSync(store(), { recursive: true })
    symlinkSync('../../later/tracks', join(store(), 'tracks'))
    await home.tenfold(['compress', '--quiet', home.write('session-1.jsonl', claudeLog())])
    expect(JSON.parse((await home.tenfold(['trust', '--list', '--json'])).stdout)).toEqual([])
  })
})

describe('trust', () => {
  it('reports what is wrong with the place', async () => {
    expect(await home.tenfold(['trust'])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/There is no store in/),
    })
    expect(await home.tenfold(['trust', 's3://bucket/x'])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/TENFOLD_STORE/),
    })
  })
})
