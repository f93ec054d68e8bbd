import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '../..')
const table = join(import.meta.dirname, 'budget.txt')

/** The room of a source file: `core/facts`, or `core` for a file that is in none. */
function roomOf(path: string): string {
  const [, name = '', , room = '', ...below] = path.split('/')
  return below.length === 0 ? name : `${name}/${room}`
}

/** Lines of the sources that git knows, by room; without what is listed but removed. */
function measure(): Map<string, number> {
  const git = (...args: string[]) =>
    execFileSync('git', ['ls-files', ...args, 'packages/*/src/*'], { cwd: root, encoding: 'utf8' })
      .split('\n')
      .filter((path) => path !== '')
  const removed = new Set(git('--deleted'))
  const lines = new Map<string, number>()
  for (const path of git('--cached', '--others', '--exclude-standard')) {
    if (removed.has(path)) continue
    const count = readFileSync(join(root, path), 'utf8').split('\n').length - 1
    lines.set(roomOf(path), (lines.get(roomOf(path)) ?? 0) + count)
  }
  return lines
}

interface Row {
  readonly lines: number
  readonly room: string
  /** Why it may be so many, if the number was raised. */
  readonly reason: string
}

function readTable(text: string): Row[] {
  return text.split('\n').flatMap((line) => {
    const [, lines, room = '', reason = ''] = /^ *(\d+) (\S+)(.*)$/.exec(line) ?? []
    return lines === undefined ? [] : [{ lines: Number(lines), room, reason }]
  })
}

const rows = readTable(readFileSync(table, 'utf8'))
const measured = measure()

/** Rooms with more lines than their row allows, and rooms without a row. */
function overBudget(lines: ReadonlyMap<string, number>, budget: readonly Row[]): string[] {
  return [...lines].flatMap(([room, count]) => {
    const allowed = budget.find((row) => row.room === room)?.lines ?? 0
    return count > allowed ? [`${room}: ${count} lines, and test/house/budget.txt allows ${allowed}`] : []
  })
}

describe('the lines of a room', () => {
  it('only fall, unless its row is raised with a reason', () => {
    if (process.env.UPDATE_BUDGET !== undefined)
      writeFileSync(
        table,
        rows
          .flatMap(({ lines, room, reason }) => {
            const now = Math.min(lines, measured.get(room) ?? 0)
            return now === 0 ? [] : [`${String(now).padStart(5)} ${room}${reason}\n`]
          })
          .join(''),
      )
    expect(overBudget(measured, rows)).toEqual([])
  })

  it('are too many with one more, or in a room without a row', () => {
    const budget = readTable('  10 core/facts because of x\n   2 core\n')
    const lines = (facts: number) => new Map([['core/facts', facts]])
    expect(overBudget(lines(10), budget)).toEqual([])
    expect(overBudget(lines(11), budget)).toEqual([
      'core/facts: 11 lines, and test/house/budget.txt allows 10',
    ])
    expect(overBudget(new Map([['core/new', 1]]), budget)).toHaveLength(1)
  })

  it('are counted in the rooms that there are', () => {
    expect(measured.get('core/facts')).toBeGreaterThan(1000)
    expect(rows.filter(({ room }) => !measured.has(room))).toEqual([])
  })
})
