import { writeFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import { testFolder } from '../../../test/support/test-folder.ts'
import { claudeLog } from './support/claude-log.ts'
import { type Ran, run } from './support/run.ts'

const at = testFolder('all')
const log = claudeLog()
const tenfold = (args: readonly string[], env = {}): Promise<Ran> => run(args, { cwd: at(), env })

beforeAll(() => {
  writeFileSync(at('log.jsonl'), log)
  writeFileSync(at('log.jsonl.gz'), gzipSync(log))
})

describe('--max-log-size', () => {
  const tooLarge = /error: The text of log\.jsonl(?:\.gz)? is larger than 10000 bytes.*\(--max-log-size\)/

  it('refuses a larger log, packed or not, and says what to do', async () => {
    for (const file of ['log.jsonl', 'log.jsonl.gz'])
      for (const command of [['compress', '--dry-run'], ['inspect'], ['compress', '--dry-run', '--json']]) {
        const ran = await tenfold([...command, file, '--max-log-size', '10kB'])
        expect(ran.code).toBe(1)
        if (command.includes('--json')) expect(JSON.parse(ran.stdout).error.code).toBe('log-too-large')
        else expect(ran.stderr).toMatch(tooLarge)
      }
    expect(await tenfold(['inspect', 'log.jsonl', '--max-log-size', '2GB'])).toMatchObject({ code: 0 })
  })

  it('can be set in the environment', async () => {
    const ran = await tenfold(['convert', 'log.jsonl', '--to', 'markdown'], { TENFOLD_MAX_LOG_SIZE: '10000' })
    expect(ran).toMatchObject({ code: 1, stdout: '' })
    expect(ran.stderr).toMatch(/larger than 10000 bytes/)
  })
})
