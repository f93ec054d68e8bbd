import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { testHome } from './support/agent-home.ts'
import { claudeLog } from './support/claude-log.ts'

const home = testHome()
let log: string
beforeEach(() => {
  log = home.write('session-1.jsonl', claudeLog())
})

const configOfProject = (values: unknown): void =>
  writeFileSync(join(home.project, 'tenfold.config.json'), JSON.stringify(values))

/** What `compress` would make of the log; nothing is written. */
async function compressed(args: readonly string[] = [], env: Record<string, string> = {}) {
  const ran = await home.tenfold(['compress', '--quiet', '--dry-run', '--output', '-', ...args, log], { env })
  const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(ran.stdout)?.[1]
  return { ...ran, bundle: { kind: field('kind'), track: field('track') } }
}

describe('an option that the command line does not name', () => {
  it('has the value of its environment variable', async () => {
    const env = { TENFOLD_COMPRESS_KIND: 'plan', TENFOLD_COMPRESS_TRACK: 'review', TENFOLD_COMPRESS_TASK: '' }
    expect((await compressed([], env)).bundle).toMatchObject({ kind: 'plan', track: 'review' })
    expect((await compressed(['--kind', 'research'], env)).bundle).toMatchObject({ kind: 'research' })
    const wrong = await compressed([], { TENFOLD_COMPRESS_KIND: 'novel' })
    expect(wrong).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/TENFOLD_COMPRESS_KIND is not valid/),
    })
  })

  it('can be a flag', async () => {
    const list = async (json: string) => await home.tenfold(['list'], { env: { TENFOLD_LIST_JSON: json } })
    expect((await list('1')).stdout).toBe('[]\n')
    expect((await list('off')).stdout).not.toBe('[]\n')
    expect(await list('perhaps')).toMatchObject({ code: 2 })
  })

  it("has the value of the user's config file", async () => {
    const config = { compress: { kind: 'plan', 'max-ratio': 0.07 }, checkpoint: { save: { track: 'night' } } }
    home.write('.config/tenfold/config.json', JSON.stringify(config))
    expect((await compressed()).bundle).toMatchObject({ kind: 'plan' })
    expect((await compressed([], { TENFOLD_COMPRESS_KIND: 'progress' })).bundle).toMatchObject({
      kind: 'progress',
    })
    const saved = await home.tenfold(['checkpoint', 'save', '--step', 'look', '--next-cmd', 'ls', '--json'])
    expect(JSON.parse(saved.stdout)).toMatchObject({ track: 'night' })
  })

  it("has the value of the project's config file, before the user's, once the user trusts it", async () => {
    home.write('.config/tenfold/config.json', '{ "compress": { "kind": "plan", "track": "mine" } }')
    configOfProject({ compress: { kind: 'research' } })
    const before = await compressed()
    expect(before).toMatchObject({
      bundle: { kind: 'plan' },
      stderr: expect.stringContaining('tenfold trust --config'),
    })
    const trusted = await home.tenfold(['trust', '--config'])
    expect(trusted).toMatchObject({ code: 0, stdout: expect.stringContaining('"kind":"research"') })
    expect(await compressed()).toMatchObject({ bundle: { kind: 'research', track: 'mine' }, stderr: '' })
    configOfProject({ compress: { kind: 'progress' } })
    expect((await compressed()).bundle).toMatchObject({ kind: 'plan' })
    await home.tenfold(['trust', '--config'])
    expect((await home.tenfold(['trust', '--config', '--revoke'])).code).toBe(0)
    expect((await compressed()).bundle).toMatchObject({ kind: 'plan' })
  })

  it('has a path from the folder of the config file', async () => {
    configOfProject({ store: 'kept' })
    await home.tenfold(['trust', '--config'])
    mkdirSync(join(home.project, 'below'))
    const sub = join(home.project, 'below')
    const ran = await home.tenfold(['checkpoint', 'save', '--track', 'main', '--step', 'look'], {
      cwd: sub,
    })
    expect(ran).toMatchObject({ code: 0 })
    expect(readdirSync(join(home.project, 'kept'))).toContain('checkpoints')
  })
})

describe('a config file', () => {
  it.each([
    ['{\n  // why\n  "compress": ', /is not JSON/],
    ['[]', /is not a config file/],
    ['{ "compress": { "kind": null } }', /is not a config file/],
    ['{ "compres": { "kind": "plan" } }', /"compres", which is neither a command nor an option/],
    ['{ "compress": { "max-cots": 5 } }', /tenfold compress has no option "max-cots"/],
    ['{ "compress": "off" }', /config\.json: expected an object of options for tenfold compress/],
    ['{ "compress": { "max-ratio": 9 } }', /config\.json: max-ratio is not valid/],
    ['{ "__proto__": { "kind": "plan" } }', /"__proto__", which is neither/],
  ])('that is wrong ends the command: %s', async (text, message) => {
    home.write('.config/tenfold/config.json', text)
    const { code, stderr } = await compressed()
    expect(code).not.toBe(0)
    expect(stderr).toMatch(message)
  })

  it('may have comments', async () => {
    home.write('.config/tenfold/config.json', '{\n  // Ours.\n  "compress": { "kind": "plan" /* all */ }\n}')
    expect(await compressed()).toMatchObject({ code: 0, bundle: { kind: 'plan' } })
  })

  it.each([
    ['{ "compress": { "max-cots": 5 } }', 'tenfold compress has no option "max-cots"'],
    ['{ "report": { "max-ratio": 9 } }', 'max-ratio is not valid: expected a share'],
    ['{ "checkpoint": { "save": { "validation": "blue" } } }', 'expected one of green, pending, failed'],
    ['{ "max-log-size": "huge" }', 'max-log-size is not valid'],
  ])('that a command could not use is not trusted: %s', async (text, message) => {
    writeFileSync(join(home.project, 'tenfold.config.json'), text)
    const trusted = await home.tenfold(['trust', '--config'])
    expect(trusted).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(message) })
    expect((await compressed()).stderr).toContain('is not used until you trust it')
  })

  it('has a JSON Schema with the options of all commands', async () => {
    const schema = JSON.parse((await home.tenfold(['trust', '--schema'])).stdout)
    const { store, compress, checkpoint, completion } = schema.properties
    expect(schema).toMatchObject({ additionalProperties: false, properties: { $schema: { type: 'string' } } })
    expect(store.allOf).toEqual([{ $ref: '#/definitions/value' }])
    expect(compress.properties['dry-run'].type).toBe('boolean')
    expect(compress.properties.kind.enum).toEqual(['research', 'plan', 'progress', 'context', 'auto'])
    expect(checkpoint.properties.save.properties.validation.enum).toContain('green')
    expect(completion.additionalProperties).toBe(false)
  })

  describe('that names a module', () => {
    const reader = (effect: string): string =>
      `import './inner.mjs'\nexport default { name: 'own', detect: () => 0, read() {} }\n${effect}\n`
    const write = (folder: string, files: Record<string, string>): void => {
      for (const [name, text] of Object.entries(files)) home.write(`${folder}/${name}`, text)
    }
    const ran = (): string => home.at('ran')
    const evil = (): string =>
      `import { writeFileSync } from 'node:fs'\nwriteFileSync(${JSON.stringify(ran())}, '')`
    const config = JSON.stringify({ compress: { reader: ['./tools/reader.mjs'] } })

    it('is trusted at its place, with the module and what it imports', async () => {
      const files = { 'tenfold.config.json': config, 'tools/reader.mjs': reader(''), 'tools/inner.mjs': '' }
      for (const folder of ['shop', 'clone']) write(folder, files)
      await home.tenfold(['trust', '--config'])
      expect(await compressed()).toMatchObject({ code: 0, stderr: '' })
      // From a folder below as well.
      mkdirSync(join(home.project, 'below'))
      const args = ['compress', '--quiet', '--dry-run', '--output', '-', log]
      expect(await home.tenfold(args, { cwd: join(home.project, 'below') })).toMatchObject({
        code: 0,
        stderr: '',
      })
      write('clone', { 'tools/reader.mjs': reader(evil()) })
      const untrusted = expect.stringContaining('is not used until you trust it')
      expect(await home.tenfold(args, { cwd: home.at('clone') })).toMatchObject({
        code: 0,
        stderr: untrusted,
      })
      write('shop', { 'tools/inner.mjs': evil() })
      expect(await compressed()).toMatchObject({ code: 0, stderr: untrusted })
      write('shop', { 'tools/inner.mjs': '', 'tools/reader.mjs': reader(evil()) })
      expect(await compressed()).toMatchObject({ code: 0, stderr: untrusted })
      expect(existsSync(ran())).toBe(false)
      await home.tenfold(['trust', '--config'], { cwd: home.at('clone') })
      await home.tenfold(args, { cwd: home.at('clone') })
      expect(existsSync(ran())).toBe(true)
    })
  })

  it.skipIf(process.platform === 'win32')('of a clone that is a pipe keeps no command waiting', async () => {
    execFileSync('mkfifo', [join(home.project, 'tenfold.config.json')])
    expect(await compressed()).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('is not used until you trust it'),
    })
    expect(await home.tenfold(['trust', '--config'])).toMatchObject({ code: 1 })
  })

  it('of a clone harms nobody before it is trusted', async () => {
    writeFileSync(join(home.project, 'tenfold.config.json'), '{ "store": ')
    expect(await compressed()).toMatchObject({ code: 0 })
    expect(
      await home.hook('claude-code', { hook_event_name: 'SessionStart', session_id: 's', source: 'startup' }),
    ).toMatchObject({
      code: 0,
      stderr: '',
    })
    const trusted = await home.tenfold(['trust', '--config'])
    expect(trusted).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('is not JSON') })
    expect(await compressed()).toMatchObject({ code: 0 })
  })
})
