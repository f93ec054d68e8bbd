import { spawnSync } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import type { ContextBundle } from '@tenfold/core'
import { atOnce } from '@tenfold/core/internal'
import { nextCommands } from '@tenfold/measure/internal'
import { beforeEach, describe, expect, it } from 'vitest'
import { compareLabels, type GoldMetric } from '../../tools/eval/gold/compare-labels.ts'
import { loadGold, parseGold } from '../../tools/eval/gold/load-gold.ts'
import { resumeVerdict } from '../../tools/eval/gold/resume-verdict.ts'
import { areAlike, isLike, overlap } from '../../tools/eval/gold/words.ts'
import { call, sessionOf } from '../support/eval-session.ts'
import { testFolder } from '../support/test-folder.ts'

const labels = {
  log: 'kiln.jsonl',
  state: 'waiting for the user',
  resume: {
    action: 'Wait for the answer whether the glaze table shall be split, then run kilnctl split',
    command: 'kilnctl split --table glaze',
    alsoRight: ['Describe the furnace curve in docs/furnace.md'],
    wrong: ['Paint the porcelain archive blue'],
  },
  constraints: [
    { quote: 'Never fire the kiln above 1240 degrees', status: 'holds' },
    { quote: 'Only work on Mondays', status: 'revoked in e9' },
  ],
  notConstraints: [{ quote: 'Do we need a second furnace?' }],
  projectRules: [{ quote: 'Log every firing in firings.csv' }],
  decisions: [
    { choice: 'SQLite for the firing log', quote: 'let us keep SQLite there', by: 'user' },
    { choice: 'cone 6 glaze', quote: 'I will take the cone 6 glaze', by: 'agent' },
  ],
  openProblems: [{ text: 'The thermocouple reads zero', quote: 'ThermocoupleError: reading 0' }],
  solvedProblems: [{ quote: 'port 8080 already in use' }],
  lastCheck: { result: 'pass', stillValid: false },
  workTree: { uncommitted: ['src/kiln.ts'] },
  files: [{ path: 'src/kiln.ts' }, { path: 'docs/furnace.md' }],
}
const gold = parseGold('kiln', labels)

const bundle = {
  state: 'waiting',
  constraints: [
    { text: 'Never fire the kiln above 1240 degrees, please.' },
    { text: 'Do we need a second furnace?' },
    { text: 'The shelf is a remark of nobody' },
  ],
  projectRules: [{ text: 'Log every firing in firings.csv' }],
  decisions: [{ choice: 'Let us keep SQLite there', by: 'user' }],
  errors: [
    { message: 'ThermocoupleError: reading 0' },
    { message: 'port 8080 already in use' },
    { message: 'other', resolution: 'passed in e7' },
  ],
  workflow: { blockers: [] },
  files: [{ path: '/home/dev/src/kiln.ts' }],
  nextSteps: [{ action: 'Answer: shall the glaze table be split?', command: 'kilnctl split --table glaze' }],
  validation: { status: 'stale', result: 'green' },
  git: { dirty: true },
} as unknown as ContextBundle

function counts(metric: GoldMetric, changes: object = {}, label = gold): string {
  const { kept, of } = compareLabels({ ...bundle, ...changes }, label).scores[metric]
  return `${kept} of ${of}`
}

describe('gold labels', () => {
  const folder = testFolder('each')
  beforeEach(async () => {
    await mkdir(folder('evaluation/gold'), { recursive: true })
    await mkdir(folder('corpus'))
  })

  const log = [
    { role: 'user', content: 'Build the kiln. Never fire the kiln above 1240 degrees, please.' },
    // A session that is too small has no room for lists.
    {
      role: 'assistant',
      content: `It heats in steps. ${'The next step holds the heat for an hour. '.repeat(500)}`,
    },
    { role: 'user', content: 'Go on.' },
    { role: 'assistant', content: 'Built. Shall I split the glaze table?' },
  ]

  it('are read with their logs, packed or not', async () => {
    await writeFile(folder('evaluation/gold/kiln.json'), JSON.stringify(labels))
    await expect(loadGold(folder('evaluation/gold'))).rejects.toThrow(/kiln.json: .*kiln.jsonl/)
    await writeFile(folder('corpus/kiln.jsonl.gz'), gzipSync(JSON.stringify(log)))
    const [packed] = await loadGold(folder('evaluation/gold'))
    expect(packed?.path).toBe(folder('corpus/kiln.jsonl.gz'))
    await writeFile(folder('kiln.jsonl'), '')
    const [plain] = await loadGold(folder('evaluation/gold'), folder())
    expect(plain?.path).toBe(folder('kiln.jsonl'))
  })

  it('lead to an error that names the field at fault', () => {
    expect(() => parseGold('x', { ...labels, files: [{ path: 7 }] })).toThrow('path: expected a string')
    expect(() => parseGold('x', { ...labels, decisions: 'none' })).toThrow('decisions: expected a list')
  })

  it('are measured by the command', async () => {
    await writeFile(folder('evaluation/gold/kiln.json'), JSON.stringify(labels))
    await writeFile(folder('corpus/kiln.jsonl.gz'), gzipSync(JSON.stringify(log)))
    const run = (...args: string[]) =>
      spawnSync(
        process.execPath,
        [fileURLToPath(new URL('../../tools/dist/eval/eval.js', import.meta.url)), ...args],
        {
          encoding: 'utf8',
        },
      )
    const labelled = run('--gold', folder('evaluation/gold'), '--worst', '3')
    expect(labelled.stderr).toBe('')
    expect(labelled.stdout).toMatch(/constraints recall +\| 1 of 1/)
    expect(labelled.stdout).toContain('agent: cone 6 glaze (I will take the cone 6 glaze)')
    const ablated = run('--gold', folder('evaluation/gold'), '--ablate', 'facts/constraints/constraint')
    expect(ablated.stderr).toBe('')
    expect(ablated.stdout).toMatch(/core\/facts\/constraints\/constraint\S+ +\|.*constraints recall -1/)
    const commands = run('--commands', folder('corpus'))
    expect(commands.stdout).toContain('1 sessions')
    expect(commands.stdout).toContain('0 commands in next steps were neither proposed nor failing')
    expect(run('--logs', folder(), folder())).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('--logs: expected --gold'),
    })
  })
})

describe('the comparison of words', () => {
  it('finds a match if 60 % of them are there', () => {
    expect(isLike('one two three four five', 'five four three')).toBe(true)
    expect(isLike('one two three four five', 'five four')).toBe(false)
    expect(isLike('', 'anything')).toBe(false)
    expect(isLike('保留 Kiln 接口', '请 保留 kiln')).toBe(true)
    expect(areAlike('a long text with many more words', 'long text')).toBe(true)
  })

  it('weighs identifiers more than words and leaves out common ones', () => {
    expect(overlap('run src/kiln.ts again', 'look at src/kiln.ts')).toBe(0.75)
    expect(overlap('wait for the user', 'wait for the user')).toBe(0)
  })
})

describe('figures', () => {
  it('count what a bundle keeps and what it wrongly says', () => {
    const { scores, solvedShown, unknown, decisions } = compareLabels(bundle, gold)
    expect(
      Object.fromEntries(Object.entries(scores).map(([name, { kept, of }]) => [name, `${kept} of ${of}`])),
    ).toEqual({
      'constraints recall': '1 of 1',
      'constraints strict': '1 of 3',
      'constraints lenient': '2 of 3',
      'open problems recall': '1 of 1',
      'open problems precision': '1 of 2',
      'decisions recall': '1 of 2',
      'decisions precision': '1 of 1',
      'decided by': '1 of 1',
      'project rules recall': '1 of 1',
      'files recall': '1 of 2',
      'first command': '1 of 1',
      resume: '1 of 1',
      state: '1 of 1',
      'last check': '1 of 1',
      'work tree': '1 of 1',
    })
    expect(scores['constraints lenient'].missed).toEqual(['Do we need a second furnace?'])
    expect(solvedShown).toEqual(['port 8080 already in use'])
    expect([unknown, decisions]).toEqual([[], 1])
  })

  it.each([
    [{ status: 'green' }, '0 of 1'],
    [{ status: 'stale', result: 'failed' }, '0 of 1'],
    [{ status: 'stale' }, '1 of 1'],
    [{ status: 'pending' }, '1 of 1'],
  ])('say of a stale check that passed: %j', (validation, expected) => {
    expect(counts('last check', { validation })).toBe(expected)
  })

  it('measure a check that still holds by its result', () => {
    const valid = parseGold('kiln', { ...labels, lastCheck: { result: 'fail', stillValid: true } })
    expect(counts('last check', { validation: { status: 'failed' } }, valid)).toBe('1 of 1')
    expect(counts('last check', { validation: { status: 'green' } }, valid)).toBe('0 of 1')
    const none = parseGold('kiln', { ...labels, lastCheck: null })
    expect(counts('last check', { validation: undefined }, none)).toBe('1 of 1')
    expect(counts('last check', { validation: { status: 'green' } }, none)).toBe('0 of 1')
  })

  it('distinguish what a bundle omits from what it states wrongly', () => {
    const silent = compareLabels(
      { ...bundle, state: undefined, validation: undefined, git: {} } as never,
      gold,
    )
    expect(silent.unknown).toEqual(['state', 'last check', 'work tree'])
    expect(silent.scores.state.kept).toBe(0)
    expect(compareLabels({ ...bundle, state: 'finished' } as never, gold).unknown).toEqual([])
    expect(counts('work tree', { git: { dirty: false } })).toBe('0 of 1')
  })
})

describe('resume points', () => {
  const verdict = (nextSteps: object[], label: object = {}, state = 'waiting') =>
    resumeVerdict({ ...bundle, nextSteps, state } as never, parseGold('kiln', { ...labels, ...label })).is

  it('are right or wrong by the closest label', () => {
    expect(verdict([{ action: 'Describe the furnace curve in docs/furnace.md' }])).toBe('right')
    expect(verdict([{ action: 'Paint the whole porcelain archive blue' }])).toBe('wrong')
    expect(verdict([{ action: 'Have lunch' }])).toBe('doubtful')
  })

  it('are not wrong if they only wait for the user to ask for what would be wrong', () => {
    const asks = 'Waits for an answer: shall I paint the whole porcelain archive blue?'
    expect(verdict([{ action: asks }], { state: 'waiting for the user' })).toBe('doubtful')
    expect(verdict([{ action: asks }], { state: 'interrupted' })).toBe('wrong')
  })

  it('are wrong with a command that no label names', () => {
    expect(verdict([{ action: 'Split the glaze table', command: 'rm -rf build' }])).toBe('wrong')
  })

  it('are right for a finished session only if nothing is open', () => {
    const finished = { state: 'finished' }
    expect(verdict([{ action: 'Nothing is open: the kiln was built' }], finished, 'finished')).toBe('right')
    expect(verdict([], finished, 'finished')).toBe('right')
    expect(verdict([{ action: 'Nothing is open' }], finished, 'failed')).toBe('doubtful')
  })
})

describe('commands of next steps', () => {
  const reason = (command: string, events: Parameters<typeof sessionOf>[0]) =>
    atOnce(nextCommands({ nextSteps: [{ action: 'x', command }] } as never, sessionOf(events)))[0]?.reason
  const run = (command: string, output: string, status?: 'ok' | 'error') =>
    call('Bash', 'execute', { command }, output, status)
  const says = (text: string) => [{ type: 'assistant' as const, text }]

  it('may have failed last', () => {
    expect(reason('npm test', run('cd x && npm test 2>&1', '3 failed', 'error'))).toBe('failing')
    expect(reason('npm test', run('npm test | tail', 'Tests: 2 failed, 7 passed'))).toBe('failing')
    expect(reason('npm test', [...run('npm test', '1 failed'), ...run('npm test', '0 failed')])).toBe(
      'neither',
    )
  })

  it('may have been proposed and not run since', () => {
    expect(reason('npm run deploy', says('Next: `npm run deploy`'))).toBe('proposed')
    expect(
      reason('npm run deploy', [...says('Next: npm run deploy'), ...run('npm run deploy', 'done')]),
    ).toBe('neither')
    expect(
      reason('npm run deploy', [...run('npm run deploy', 'done'), ...says('I ran npm run deploy')]),
    ).toBe('repeated')
    expect(reason('rm notes.md', run('rm notes.md.bak', 'ok'))).toBe('neither')
  })

  it('may be in a file that was written, or on lines that a backslash joins', () => {
    const write = call('Write', 'edit', { content: 'npm test' }, 'written', 'ok')
    expect(reason('npm test', [...run('npm test', 'no', 'error'), ...write])).toBe('failing')
    expect(reason('A=1 npm test --all', says('Run A=1 npm test \\\n  --all'))).toBe('proposed')
  })

  it('may have been cut off', () => {
    expect(reason('git push', run('git push', '').slice(0, 1))).toBe('unfinished')
  })
})
