import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { findLogs } from '../../src/readers/find/find-logs.ts'
import { openLog } from '../../src/readers/open-log.ts'
import { digestLog, readSession } from '../../src/readers/read-session.ts'

const fixtures = join(import.meta.dirname, '../fixtures')

describe('digestLog', () => {
  it.each(readdirSync(fixtures))('gives the digest that reading a log of %s gives', async (folder) => {
    const { logs } = await findLogs(join(fixtures, folder))
    for (const { log, damaged } of logs) {
      if (damaged) continue
      expect([log, await digestLog(await openLog(log))]).toEqual([
        log,
        (await readSession(log)).source.sha256,
      ])
    }
  })

  const log = Buffer.from(JSON.stringify({ messages: [{ role: 'user', content: 'hello' }] }))

  it('reads no log that is larger than the limit', async () => {
    const { files, ...open } = await openLog(log)
    const limited = files.map((file) => ({ ...file, maxBytes: 10 }))
    await expect(digestLog({ ...open, files: limited })).rejects.toMatchObject({ code: 'log-too-large' })
  })

  it('ends if the signal aborts', async () => {
    const signal = AbortSignal.abort(new Error('stop'))
    await expect(digestLog(await openLog(log), { signal })).rejects.toThrow('stop')
  })
})
