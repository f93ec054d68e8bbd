import { beforeAll, describe, expect, it } from 'vitest'
import { testFolder } from '../../../test/support/test-folder.ts'
import { writeClaudeLog } from './support/claude-log.ts'
import { run } from './support/run.ts'

const columns = 60
const at = testFolder('all')
const tenfold = (args: readonly string[], width?: number) =>
  run(args, { cwd: at(), env: { NO_COLOR: '1' }, ...(width !== undefined && { columns: width }) })

beforeAll(async () => {
  writeClaudeLog(at('a.jsonl'), { rounds: 6, title: 'Parts' })
  await tenfold(['compress', '-q', 'a.jsonl'])
  await tenfold(['compress', '-q', '--again', 'a.jsonl'])
  const step = 'wire the parser that reads the rows of the importer one by one'
  await tenfold(['checkpoint', 'save', '--track', 'main', '--step', step, '--next-cmd', 'npm test -- parse'])
})

describe('a narrow terminal', () => {
  it.each([
    [['list']],
    [['inspect', 'a.jsonl']],
    [['status']],
    [['checkpoint', 'list']],
    [['report', 'a.jsonl']],
    [['report']],
    [['prune', '--keep-last', '1', '--dry-run']],
    [['compress', '--dry-run', 'a.jsonl']],
  ])('gets whole lines of %j that fit', async (args) => {
    const { code, stdout } = await tenfold(args, columns)
    expect(code).toBe(0)
    // The terminal breaks a path, so that it can be copied whole.
    const wide = stdout.split('\n').filter((line) => line.length > columns && !line.startsWith('  → '))
    expect(wide).toEqual([])
  })

  it('loses the columns that matter least, and a pipe none', async () => {
    const titles = async (width?: number) => (await tenfold(['list'], width)).stdout.split('\n')[0]
    expect(await titles()).toMatch(
      /^ID +TRACK +KIND +STATE +SOURCE +BUNDLE +RATIO +FORMAT +SESSION +NEXT STEP$/,
    )
    expect(await titles(columns)).toMatch(/^ID +TRACK.* SESSION$/)
  })
})
