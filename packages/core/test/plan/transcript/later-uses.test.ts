import { describe, expect, it } from 'vitest'
import { condenseTranscript } from '../../../src/plan/transcript/condense-transcript.ts'
import { laterUses } from '../../../src/plan/transcript/later-uses.ts'
import { prepareSession } from '../../../src/prepare-log.ts'
import { tiktokenCounter } from '../../../src/tokens/tiktoken-counter.ts'
import { assistant, makeSession, shell, toolCall, user } from '../../support/session.ts'

const counter = tiktokenCounter()
const names = ['Cone', 'Glaze', 'Shelf', 'Flue', 'Ash']

function source(prefix: string): string {
  return names
    .flatMap((name) => [
      `export function ${prefix}${name}(row) {`,
      ...Array.from({ length: 30 }, (_, at) => `  rows.push(lay(${at}, '${prefix} of ${name} ${at * 7}'))`),
      '}',
    ])
    .join('\n')
}

const read = (id: string, name: string, text: string) =>
  toolCall(id, 'Read', { file_path: `/w/src/${name}.ts` }, { text })

function shown(drafts: Parameters<typeof makeSession>[0], maxReadRatio = 0.35) {
  const session = makeSession(drafts, { cwd: '/w' })
  const { plan } = prepareSession(session, { counter, maxReadRatio })
  return new Map(condenseTranscript(plan).map(({ event, text }) => [event, text]))
}

describe('laterUses', () => {
  it('finds what is named after an event, and the parts of names', () => {
    const { events } = makeSession([
      user('Look at kilnHeat.'),
      assistant('It is in src/kiln.ts: state.coneTop.'),
    ])
    const uses = laterUses(events)
    expect(['kiln.ts', 'coneTop', 'kilnHeat'].map((name) => uses.isNamed(name, 'e1'))).toEqual([
      true,
      true,
      false,
    ])
    expect(uses.isNamed('coneTop', 'e2')).toBe(false)
  })
})

describe('a file that was read', () => {
  const drafts = [
    user('Mend the kiln.'),
    ...read('r1', 'kiln', source('kiln')),
    ...read('r2', 'oven', source('oven')),
    ...read('r3', 'barn', source('barn')),
    assistant('The fault is in kilnShelf of kiln.ts; ovenFlue of oven.ts is right.'),
    ...Array.from({ length: 5 }, (_, at) => shell(`c${at}`, `ls ${at}`, 'clay')).flat(),
    assistant('Done.'),
  ]

  it('is shown by the functions that are named later, with their bodies', () => {
    const text = shown(drafts).get('e2') ?? ''
    expect(text).toContain("'kiln of Shelf 14'")
    expect(text).not.toContain("'kiln of Ash 14'")
  })

  it('is hardly more than its path if nothing names it later', () => {
    const text = shown(drafts, 0.2).get('e2') ?? ''
    expect(text).toContain('src/barn.ts')
    expect(text.match(/barn of/g) ?? []).toEqual([])
  })
})

describe('a failure that repeats', () => {
  const rows = names.map(
    (name) => `  the ${name} of both rows should differ in this kiln, as it was\n\n- fired`,
  )
  const failure = `FAIL kiln\n${rows.join('\n')}\n1 failed`

  it('is whole at its last occurrence', () => {
    const drafts = [
      user('Test it.'),
      ...shell('t1', 'npm test', failure, { exitCode: 1 }),
      assistant('Again.'),
      ...shell('t2', 'npm test -- -v', failure, { exitCode: 1 }),
      assistant('It fails.'),
    ]
    const texts = shown(drafts, 0.95)
    expect(texts.get('e5')).toContain('the Flue of both rows should differ')
    expect(texts.get('e2')).toContain('as in e5')
  })
})
