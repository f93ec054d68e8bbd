import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { copilotCliReader } from '../../src/readers/copilot-cli/copilot-cli.ts'
import { readSession } from '../../src/readers/read-session.ts'
import { logsOfFolder } from '../../src/readers/reader/locate-log.ts'

const fixture = readFileSync(new URL('../fixtures/copilot-cli/session.jsonl', import.meta.url))
const readers = [copilotCliReader]

describe('the folders of Copilot CLI', () => {
  let home = ''
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'copilot-'))
    const session = join(home, 'session-state', 'aaaaaaaa-0000-4000-8000-000000000001')
    await mkdir(session, { recursive: true })
    await writeFile(join(session, 'events.jsonl'), fixture)
    await mkdir(join(home, 'session-state', 'other'))
    await writeFile(join(home, 'session-state', 'other', 'events.jsonl'), '{"type":"page_view"}\n')
  })
  afterAll(async () => await rm(home, { recursive: true }))

  it('contain the logs, and no other file of that name is one', async () => {
    const log = join(home, 'session-state', 'aaaaaaaa-0000-4000-8000-000000000001', 'events.jsonl')
    for (const folder of [home, join(home, 'session-state'), join(log, '..')])
      expect(await logsOfFolder(folder, readers)).toEqual([log])
    expect(await logsOfFolder(join(home, 'session-state', 'other'), readers)).toEqual([])
    expect((await readSession(join(log, '..'), { readers })).events.length).toBeGreaterThan(20)
  })
})
