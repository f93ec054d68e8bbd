import { describe, expect, it } from 'vitest'
import { leanedNames } from '../../tools/eval/brief/leaned-names.ts'
import { literalsIn } from '../../tools/eval/brief/literals.ts'
import { labelScorer } from '../../tools/eval/brief/measure-labels.ts'
import { parseGold } from '../../tools/eval/gold/load-gold.ts'
import { call, sessionOf } from '../support/eval-session.ts'

describe('exact values of a label', () => {
  it('are commands, settings, versions, counts and names, each once', () => {
    const found = literalsIn(
      'Run `KILN_PORT=40961 npm test -- --shard 3`; LOG_LEVEL=debug, 512 MB, 20.19.0, see src/kiln.ts and src/kiln.ts',
    )
    expect(found).toEqual([
      { sort: 'command', text: 'KILN_PORT=40961 npm test -- --shard 3' },
      { sort: 'value', text: 'LOG_LEVEL=debug' },
      { sort: 'value', text: '20.19.0' },
      { sort: 'value', text: '512 MB' },
      { sort: 'value', text: '512' },
      { sort: 'name', text: 'src/kiln.ts' },
    ])
  })
})

describe('names that later work leans on', () => {
  it('were brought up by words or calls of one half, and used twice in the last third', () => {
    const say = (text: string) => ({ type: 'assistant', text }) as const
    const session = sessionOf([
      { type: 'user', text: 'Use src/early.ts and src/unused.ts', origin: 'typed' },
      ...call('Read', 'read', { file_path: 'src/early.ts' }, 'mentions src/output.ts'),
      ...Array.from({ length: 6 }, () => say('going on')),
      say('now src/late.ts'),
      ...Array.from({ length: 2 }, () => say('src/early.ts and src/late.ts and src/output.ts')),
    ])
    expect(leanedNames(session)).toEqual({ first: ['src/early.ts'], second: ['src/late.ts'] })
  })
})

describe('labels in a text', () => {
  const gold = parseGold('kiln', {
    log: 'kiln.jsonl',
    state: 'waiting',
    resume: { action: 'Fire the kiln again', command: 'kilnctl fire --cone 6', alsoRight: [], wrong: [] },
    constraints: [{ quote: 'Never fire the kiln above 1240 degrees', status: 'holds' }],
    decisions: [{ choice: 'SQLite for the firing log', quote: 'let us keep SQLite there', by: 'user' }],
    openProblems: [{ text: 'The sensor reads zero', quote: 'SensorError: reading 0' }],
  })
  const session = sessionOf([
    { type: 'user', text: 'Never fire the kiln above 1240 degrees', origin: 'typed' },
    { type: 'assistant', text: 'let us keep SQLite there' },
    ...call('Bash', 'execute', { command: 'kilnctl fire --cone 6' }, 'SensorError: reading 0', 'error'),
  ])
  const score = labelScorer(gold, session)
  const counts = (text: string) => {
    const { labels, literals } = score(text)
    const all = { ...labels, command: literals.command, value: literals.value, error: literals.error }
    return Object.fromEntries(Object.entries(all).map(([name, { kept, of }]) => [name, `${kept}/${of}`]))
  }

  it('count by kind and by half of the session', () => {
    expect(counts('- never fire the kiln above 1240 degrees\n- SensorError: reading 0')).toMatchObject({
      constraints: '1/1',
      decisions: '0/1',
      'open problems': '1/1',
      'first half': '1/2',
      'second half': '1/1',
      value: '1/1',
      error: '1/1',
    })
  })

  it('hold an exact value only as a whole', () => {
    expect(counts('kilnctl fire --cone 6').command).toBe('1/1')
    expect(counts('kilnctl fire --cone 60').command).toBe('0/1')
    expect(counts('kilnctl fire […4] 6').command).toBe('0/1')
  })
})
