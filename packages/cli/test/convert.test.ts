import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import { testFolder } from '../../../test/support/test-folder.ts'
import { writeClaudeLog } from './support/claude-log.ts'
import { type Ran, run } from './support/run.ts'

const at = testFolder('all')
beforeAll(() => {
  writeClaudeLog(at('a.jsonl'), { rounds: 3 })
})

const tenfold = (...args: string[]): Promise<Ran> => run(args, { cwd: at() })

describe('convert', () => {
  it('writes lines in its own format that read back to the same events', async () => {
    const ran = await tenfold('convert', 'a.jsonl', '--to', 'tenfold', '-o', 'a.tenfold.jsonl')
    expect(ran).toMatchObject({ code: 0, stdout: '' })
    expect(ran.stderr).toMatch(/^Wrote \d+ events of a claude-code session to a\.tenfold\.jsonl\n$/)
    const again = await tenfold('convert', 'a.tenfold.jsonl', '--to', 'tenfold')
    const events = (text: string): unknown[] =>
      text
        .trimEnd()
        .split('\n')
        .slice(1)
        .map((line) => JSON.parse(line))
    expect(events(again.stdout)).toEqual(events(readFileSync(at('a.tenfold.jsonl'), 'utf8')))
    expect(readdirSync(at()).filter((name) => name.endsWith('.tmp'))).toEqual([])
  })

  it('prints ATIF and Markdown, and reads stdin', async () => {
    const atif = JSON.parse((await tenfold('convert', 'a.jsonl', '--to', 'atif')).stdout)
    expect(atif).toMatchObject({ schema_version: 'ATIF-v1.7', agent: { name: 'claude-code' } })
    const log = readFileSync(at('a.jsonl'), 'utf8')
    const ran = await run(['convert', '-', '--to', 'markdown'], { cwd: at(), stdin: log })
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    expect(ran.stdout).toContain('\n## Turn 1\n')
  })

  it('says that an archive breaks off, as import does', async () => {
    const packed = gzipSync(readFileSync(at('a.jsonl')))
    writeFileSync(at('cut.jsonl.gz'), packed.subarray(0, packed.length / 2))
    const ran = await tenfold('convert', 'cut.jsonl.gz', '--to', 'markdown')
    expect(ran).toMatchObject({ code: 0 })
    expect(ran.stderr).toContain('note: broken-archive: gzip breaks off')
    const imported = await tenfold('import', 'cut.jsonl.gz')
    expect(imported.stdout).toContain('broken-archive: gzip breaks off')
  })

  it('takes - for stdout, and prints no terminal escapes', async () => {
    const first = JSON.parse(readFileSync(at('a.jsonl'), 'utf8').split('\n')[0] ?? '')
    const content = 'a\u001b[2J b\u009b2J c\u202ed e\u007f'
    const record = { ...first, sessionId: content, message: { role: 'user', content } }
    writeFileSync(at('hostile.jsonl'), `${JSON.stringify(record)}\n`)
    for (const form of ['tenfold', 'atif', 'markdown']) {
      const ran = await tenfold('convert', 'hostile.jsonl', '--to', form, '-o', '-')
      expect(ran).toMatchObject({ code: 0, stderr: '' })
      expect(ran.stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/)
      if (form === 'tenfold')
        expect(JSON.parse(ran.stdout.split('\n')[0] ?? '')).toMatchObject({ id: content })
    }
    expect(readdirSync(at())).not.toContain('-')
    const { stderr } = await tenfold('convert', 'a.jsonl', '--to', 'atif', '-o', 'a\u001b[2Jb.json')
    expect(stderr).toMatch(/ to ab\.json\n$/)
  })

  it('explains errors, and leaves an existing file alone', async () => {
    writeFileSync(at('kept.md'), 'mine')
    const ran = await tenfold('convert', 'none.jsonl', '--to', 'markdown', '-o', 'kept.md')
    expect(ran).toMatchObject({ code: 1, stdout: '' })
    expect(ran.stderr).toContain('There is no log at none.jsonl')
    expect(readFileSync(at('kept.md'), 'utf8')).toBe('mine')
    const nowhere = await tenfold('convert', 'a.jsonl', '--to', 'atif', '-o', 'none/a.json')
    expect(nowhere).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('The output cannot be written'),
    })
    const env = await tenfold('convert', 'a.jsonl', '--to', 'atif', '--redact-env', 'none.env')
    expect(env).toMatchObject({ code: 1, stderr: expect.stringContaining('--redact-env none.env cannot be') })
    const wrong = await tenfold('convert', 'a.jsonl', '--to', 'html')
    expect(wrong).toMatchObject({ code: 2 })
    expect(wrong.stderr).toContain('tenfold, atif, markdown')
  })
})

describe("a user's own reader", () => {
  const module = `export default {
    name: 'chat-lines',
    framing: 'text',
    detect: ({ text }) => (text.startsWith('#chat') ? 1 : 0),
    async read(records, out) {
      for await (const { text } of records) {
        if (text.startsWith('me: ')) out.event({ type: 'user', origin: 'typed', text: text.slice(4) })
        else if (text.startsWith('it: ')) out.event({ type: 'assistant', text: text.slice(4) })
        else out.absorb('heading')
      }
    },
  }\n`

  it('is loaded from a module', async () => {
    writeFileSync(at('chat-lines.mjs'), module)
    writeFileSync(at('talk.chat'), '#chat\nme: Hello?\nit: Hello.\n')
    const options = ['--reader', './chat-lines.mjs', '--json']
    const { lines, format } = JSON.parse((await tenfold('inspect', 'talk.chat', ...options)).stdout)
    expect({ format, ...lines }).toMatchObject({ format: 'chat-lines', lines: 3, events: 2, addsUp: true })
    expect(await tenfold('inspect', 'talk.chat')).toMatchObject({ code: 1 })
    const forced = await tenfold('compress', '--dry-run', '--format', 'chat-lines', ...options, 'talk.chat')
    expect(JSON.parse(forced.stdout)).toMatchObject({ format: 'chat-lines' })
  })

  it('is refused if the module has none', async () => {
    writeFileSync(at('empty.mjs'), 'export const x = 1\n')
    writeFileSync(at('bad.mjs'), 'export const reader = { name: "My Reader" }\n')
    for (const [name, message] of [
      ['./empty.mjs', 'it exports no reader'],
      ['./bad.mjs', 'a reader needs a name in kebab-case'],
      ['./gone.mjs', 'no such file or package'],
    ] as const) {
      const ran = await tenfold('inspect', 'a.jsonl', '--reader', name)
      expect(ran).toMatchObject({ code: 2, stdout: '' })
      expect(ran.stderr).toContain(message)
    }
  })
})
