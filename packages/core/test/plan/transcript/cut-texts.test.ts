import { describe, expect, it } from 'vitest'
import { condenseHunks } from '../../../src/plan/transcript/condense-hunks.ts'
import { condenseTranscript } from '../../../src/plan/transcript/condense-transcript.ts'
import { isDiff } from '../../../src/plan/transcript/edit-diff.ts'
import { isFragment, pickLines } from '../../../src/plan/transcript/pick-lines.ts'
import { prepareSession } from '../../../src/prepare-log.ts'
import { tiktokenCounter } from '../../../src/tokens/tiktoken-counter.ts'
import { assistant, makeSession, toolCall, user } from '../../support/session.ts'

const counter = tiktokenCounter()

describe('condenseHunks', () => {
  const comments = ['-// The kiln is fired once a day.', '+// The kiln is fired twice a day.'].join('\n')
  const code = ['-const firings = 1', '+const firings = 2', '+const pause = 40'].join('\n')
  const diff = `${comments}\n${code}`

  it('keeps a hunk with code before one with only comments', () => {
    const cut = condenseHunks(diff, 40, counter)
    expect(cut).toContain(code)
    expect(cut).not.toContain('twice a day')
    expect(cut).toMatch(/^\[…\d+\]\n/)
  })

  it('shows the beginning of the code that was added if the whole hunk does not fit', () => {
    const added = ['// Why the kiln stops:', ...Array.from({ length: 40 }, (_, row) => `layBricks(${row})`)]
    const cut = condenseHunks(added.map((line) => `+${line}`).join('\n'), 40, counter)
    expect(cut).toMatch(/^\+layBricks\(0\)\n\+layBricks\(1\)\n\+layBricks\(2\)\n(?:[\s\S]*\n)?\[…\d+\]$/)
    expect(counter.count(cut)).toBeLessThanOrEqual(40)
  })

  it('says nothing rather than a line or two', () => {
    expect(condenseHunks(diff, 12, counter)).toBe('')
  })

  it('keeps to its tokens, whatever they are', () => {
    const long = Array.from({ length: 20 }, (_, row) => `-lay(${row})\n+lay(${row + 1})\n+dry(${row})`).join(
      '\n',
    )
    for (let most = 0; most < 200; most += 7)
      expect(counter.count(condenseHunks(long, most, counter))).toBeLessThanOrEqual(most)
  })
})

describe('isDiff', () => {
  it('knows a diff from a file that is written whole', () => {
    expect(isDiff('-a\n+b\n+c')).toBe(true)
    expect(isDiff('# Kiln\n- fire it\nand let it cool\nfor a day')).toBe(false)
  })
})

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
  const read = toolCall('r', 'Read', { file_path: '/w/src/kiln.ts', offset: 20, limit: 600 }, { text: file })

  it('is shown by its path, its range and what it defines', () => {
    const session = makeSession([user('Look.'), ...read, assistant('Seen.')], { cwd: '/w' })
    const { plan } = prepareSession(session, { counter, maxReadRatio: 0.1 })
    const text = condenseTranscript(plan).find(({ event }) => event === 'e2')?.text ?? ''
    expect(text).toContain('src/kiln.ts lines 20-619')
    expect(text).toMatch(/\(\d+ of 600 lines\)\nexport function layRow0/)
    expect(text.match(/export function layRow\d+/g)).toHaveLength(10)
    expect(text).not.toMatch(/as they come to hand|\[…/)
  })
})
