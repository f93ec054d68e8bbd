import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { factoryDroidReader } from '../../src/readers/factory-droid.ts'
import { readSession } from '../../src/readers/read-session.ts'

const readers = [factoryDroidReader]
const fixture = readFileSync(new URL('../fixtures/factory-droid/session.jsonl', import.meta.url))

it('takes model and usage from the settings file if the log lacks them', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'droid-'))
  try {
    const log = fixture.toString('utf8').replace(/,"usage":\{[^}]*\}/g, '')
    await writeFile(join(folder, 'abc.jsonl'), log)
    const tokenUsage = { inputTokens: 10, outputTokens: 4, cacheReadTokens: 90, cacheCreationTokens: 5 }
    await writeFile(
      join(folder, 'abc.settings.json'),
      JSON.stringify({ model: 'claude-opus-4-6', tokenUsage }),
    )
    const session = await readSession(folder, { readers })
    expect(session.models).toEqual(['claude-opus-4-6'])
    expect(session.usage).toMatchObject([{ usage: { inputTokens: 105, outputTokens: 4 } }])
    expect(session.source.account.other).toBe(0)
  } finally {
    await rm(folder, { recursive: true })
  }
})
