import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { everyPoint } from '../../../../test/support/repeats.ts'
import { LogReadError } from '../../src/errors.ts'
import { readSession } from '../../src/readers/read-session.ts'
import { accounted, type Session } from './events.ts'
import { databasesOf, tablesOf, writeDatabase } from './samples.ts'

// What each session in them is read as, their outlines say.
const databases = [
  { reader: 'goose', newest: '20260504_2', child: '20260504_3' },
  { reader: 'opencode', newest: 'ses_2', child: 'ses_3' },
  { reader: 'cursor', newest: 'checkout', child: 'scout' },
] as const

/** What no session may show: tokens, keys, and turns that were taken back. */
const secrets = ['never-to-be-read', 'not for a bundle', 'key-that-no-bundle', 'taken back', 'ff00']

const values = [null, -1, '{', [null], { a: { b: 1 } }]

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tenfold-databases-'))
})
afterAll(() => rm(folder, { recursive: true }))

describe.each(databases)('a database of $reader', ({ reader, newest, child }) => {
  const [sample = { name: '', bytes: new Uint8Array() }] = databasesOf(reader)
  const tables = tablesOf(sample)
  let path = ''
  beforeAll(async () => {
    path = join(folder, `${reader}.db`)
    await writeDatabase(path, tables)
  })

  it('gives the session changed last, any other by its id, and an error if there is none', async () => {
    const [last, asked] = [await readSession(path), await readSession(`${path}#${newest}`)]
    expect(last.id).toBe(newest)
    expect(last.notes.map(({ code }) => code)).toEqual(['other-sessions'])
    const parts = ({ events }: Session): unknown[] => events.map(({ source: _, ...event }) => event)
    expect(parts(asked)).toEqual(parts(last))
    await expect(readSession(`${path}#none`)).rejects.toMatchObject({ code: 'session-missing' })
  })

  it("gives a subagent's session by its id, whose task is not the user's", async () => {
    const session = await readSession(`${path}#${child}`)
    expect(session.id).toBe(child)
    if (reader !== 'cursor') expect(session.events[0]).toMatchObject({ type: 'context', origin: 'agent' })
  })

  it('accounts for all rows, and shows nothing from outside the session', async () => {
    for (const log of [path, `${path}#${newest}`]) {
      const session = await readSession(log)
      expect(accounted(session.source.account)).toBe(session.source.account.lines)
      for (const secret of secrets) expect(JSON.stringify(session)).not.toContain(secret)
    }
  })

  it('is read or refused whatever its cells and fields contain', async () => {
    const file = join(folder, `${reader}-odd.db`)
    for (const [turn, value] of values.entries())
      for (const [place, changed] of [...changedTables(tables, value)].entries()) {
        // Each place gets two of the values, and in `npm run soak` all.
        if (!everyPoint && (place + turn) % values.length > 1) continue
        await writeDatabase(file, changed)
        await readSession(file).then(
          ({ notes }) => expect(notes.map(({ code }) => code)).not.toContain('unaccounted-record'),
          (error) => expect(error).toBeInstanceOf(LogReadError),
        )
      }
  })
})

it('of Cursor ends a subagent that is its own parent', async () => {
  const path = join(folder, 'loop.db')
  const heads = [{ bubbleId: 'b', type: 1 }]
  const composer = (id: string, more: object) => [
    `composerData:${id}`,
    { composerId: id, createdAt: Date.UTC(2026, 4, 4, 8), fullConversationHeadersOnly: heads, ...more },
  ]
  await writeDatabase(path, {
    'cursorDiskKV (key, value)': [
      composer('a', { subagentComposerIds: ['loop'] }),
      composer('loop', { subagentComposerIds: ['loop', 'a'], subagentInfo: { parentComposerId: 'loop' } }),
      ['bubbleId:a:b', { type: 1, text: 'Hello.' }],
      ['bubbleId:loop:b', { type: 1, text: 'Hello.' }],
    ],
  })
  expect((await readSession(`${path}#a`)).id).toBe('a')
})

type Tables = ReturnType<typeof tablesOf>

/** The tables with a value in the place of each column, and of each field of the JSON in it, one after the other. */
function* changedTables(tables: Tables, value: unknown): Generator<Tables> {
  for (const [table, rows] of Object.entries(tables)) {
    const changed = (change: (cell: unknown, column: number) => unknown): Tables => ({
      ...tables,
      [table]: rows.map((row) => row.map(change) as (typeof rows)[number]),
    })
    for (const column of rows[0]?.keys() ?? []) {
      yield changed((cell, at) => (at === column ? value : cell))
      const objects = rows
        .map((row) => row[column])
        .filter((cell) => typeof cell === 'object' && cell !== null)
      for (const field of new Set(objects.flatMap((cell) => Object.keys(cell as object))))
        yield changed((cell, at) =>
          at === column && typeof cell === 'object' && cell !== null && field in cell
            ? { ...cell, [field]: value }
            : cell,
        )
    }
  }
}
