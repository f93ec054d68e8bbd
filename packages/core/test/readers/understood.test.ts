import { expect, it } from 'vitest'
import { defaultReaders } from '../../src/readers/default-readers.ts'
import { readSession } from '../../src/readers/read-session.ts'

const known = {
  type: 'user',
  uuid: 'u',
  sessionId: 's',
  message: { role: 'user', content: 'Round the totals.' },
}
const log = (records: object[]) =>
  Buffer.from(records.map((record) => `${JSON.stringify(record)}\n`).join(''))
const unknown = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    parentUuid: null,
    type: 'brand-new',
    uuid: `x${index}`,
    sessionId: 's',
    version: '9.0.0',
    cwd: '/srv',
  }))

it('refuses a log of which its reader understands almost nothing', async () => {
  const refused = {
    code: 'unknown-format',
    message: expect.stringMatching(
      /resembles format claude-code, but 40 of its 41 records are of unknown kinds/,
    ),
  }
  const bytes = log([...unknown(40), { ...known, parentUuid: null }])
  await expect(readSession(bytes)).rejects.toMatchObject(refused)
})

it('reads it if the format is named', async () => {
  const session = await readSession(log(unknown(40)), { format: 'claude-code' })
  expect(session.events).toHaveLength(40)
})

it('reads a log with many unknown records next to known ones', async () => {
  const session = await readSession(
    log([...unknown(40), ...Array.from({ length: 10 }, (_, index) => ({ ...known, uuid: `u${index}` }))]),
  )
  expect(session.events).toHaveLength(50)
})

it.each(defaultReaders)('reports if a log is not of the named format $name', async ({ name }) => {
  const { events, notes } = await readSession(log(unknown(3)), { format: name })
  expect(notes.length + events.filter(({ type }) => type === 'other').length).toBeGreaterThan(0)
})
