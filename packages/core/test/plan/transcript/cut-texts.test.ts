import { describe, expect, it } from 'vitest'
import { condenseTranscript } from '../../../src/plan/transcript/condense-transcript.ts'
import { isFragment, pickLines } from '../../../src/plan/transcript/cut-texts.ts'
import { prepareSession } from '../../../src/prepare-log.ts'
import { tiktokenCounter } from '../../../src/tokens/tiktoken-counter.ts'
import { assistant, makeSession, toolCall, user } from '../../support/session.ts'

const counter = tiktokenCounter()

describe('pickLines', () => {
  const score = (line: string) => (line.includes('function') ? 5 : 0)
  const file = ['import x', 'function fire() {', '}', 'function cool() {', '}', 'function fire() {'].join(
    '\n',
  )

  it('shows the best lines, each once, below their count', () => {
    expect(pickLines(file, 60, counter, score)).toBe('(2 of 6 lines)\nfunction fire() {\nfunction cool() {')
  })

  it('is empty if hardly a line fits', () => {
    expect(pickLines(file, 14, counter, score)).toBe('')
  })
})

describe('isFragment', () => {
  it('finds a text of which more than a third are marks', () => {
    expect(isFragment('a\n[…3]\nb\n[…9]\nc')).toBe(true)
    expect(isFragment('a\n\n[…3]\nb\nc')).toBe(false)
  })
})

describe('a file that was only read', () => {
  const lineOf = (at: number): string => {
    if (at % 60 === 0) return `export function layRow${at}(bricks) {`
    if (at % 6 === 0) return `  mortar.push(${at}, bricks[${at * 3}])`
    return '  the bricks of the row are laid as they come to hand, one beside the other'
  }
  const file = Array.from({ length: 600 }, (_, at) => lineOf(at)).join('\n')
  const read = toolCall('r', 'Read', { file_path: '/w/src/kiln.ts' }, { text: file })

  it('is shown by its path and what it defines', () => {
    const session = makeSession([user('Look.'), ...read, assistant('Seen.')], { cwd: '/w' })
    const { plan } = prepareSession(session, { counter, maxReadRatio: 0.1 })
    const text = condenseTranscript(plan).find(({ event }) => event === 'e2')?.text ?? ''
    expect(text).toContain('src/kiln.ts\n')
    expect(text.match(/export function layRow\d+/g)).toHaveLength(10)
  })
})
