import { describe, expect, it } from 'vitest'
import { renderBrief } from '../../src/brief/brief.ts'
import { briefTrail } from '../../src/brief/brief-trail.ts'
import type { TrailEntry } from '../../src/bundle/schema.ts'
import { sampleBundle } from '../../src/testing/sample-bundle.ts'
import { tiktokenCounter } from '../../src/tokens/tiktoken-counter.ts'

const counter = tiktokenCounter()
const filler = (count: number) => 'It then looked around a little more. '.repeat(count).trim()

/** A session of many turns: everything that matters is in the first ones, and the last ones are small talk. */
const trail: TrailEntry[] = Array.from({ length: 60 }, (_, index): TrailEntry[] => {
  const entry = (offset: number, label: string, text: string): TrailEntry => ({
    event: `e${index * 3 + offset}`,
    agent: 'main',
    label,
    text,
  })
  return [
    entry(
      1,
      'user',
      index === 2 ? 'Bind the gateway to port 40961, please.' : `Please go on with part ${index}.`,
    ),
    entry(2, 'Read', `src/part-${index}.ts`),
    entry(
      3,
      'assistant',
      index === 4 ? `${filler(6)} We chose RETRY_LIMIT=7 for the gateway. ${filler(6)}` : filler(12),
    ),
  ]
}).flat()

describe('briefTrail', () => {
  const bundle = sampleBundle({ trail })
  const lines = briefTrail(bundle, 1800, counter)
  const text = lines.join('\n')

  it('has the best of the first half and the newest events, oldest first', () => {
    expect(text).toContain('- e7 user: Bind the gateway to port 40961, please.')
    expect(text).toContain('We chose RETRY_LIMIT=7 for the gateway.')
    expect(text).toContain('- e180 assistant: It then looked')
    const events = [...text.matchAll(/^- e(\d+)/gm)].map(([, event]) => Number(event))
    expect(events).toEqual(events.toSorted((a, b) => a - b))
  })

  it('stays within its room, and grows with it', () => {
    const sizes = [30, 200, 600, 1800, 100_000].map((room) => {
      const found = briefTrail(bundle, room, counter)
      const size = found.length === 0 ? 0 : counter.count(`${found.join('\n')}\n`)
      expect(size).toBeLessThanOrEqual(room)
      return size
    })
    expect(sizes[0]).toBe(0)
    expect(sizes).toEqual(sizes.toSorted((a, b) => a - b))
  })

  it('leaves the last words of the user to their own block', () => {
    expect(text).not.toContain('Please go on with part 59.')
    expect(renderBrief(bundle, { maxTokens: 3000, counter })).toContain(
      '## Last words of the user\n- e178 user: Please go on with part 59.',
    )
  })

  it('adds earlier omissions to its own', () => {
    const cut = `Opening words. […700] ${filler(40)}`
    const long = sampleBundle({ trail: [{ event: 'e1', agent: 'main', label: 'assistant', text: cut }] })
    const marks = [
      ...briefTrail(long, 90, counter)
        .join('\n')
        .matchAll(/\[…(\d+)\]/g),
    ].map(([, gone]) => Number(gone))
    expect(marks.reduce((sum, gone) => sum + gone, 0)).toBeGreaterThan(700)
  })
})

it('a brief with long lists leaves room for the trail', () => {
  const lists = {
    decisions: Array.from({ length: 80 }, (_, index) => ({
      choice: `Decision ${index}: ${filler(2)}`,
      alternatives: [],
      by: 'agent' as const,
      evidence: [],
    })),
    findings: Array.from({ length: 80 }, (_, index) => ({
      text: `Finding ${index}: ${filler(2)}`,
      evidence: [],
    })),
    commands: Array.from({ length: 80 }, (_, index) => ({
      command: `node scripts/step-${index}.js --with-a-long-option=${index}`,
      status: 'ok' as const,
      evidence: [],
    })),
  }
  const brief = renderBrief(sampleBundle({ ...lists, trail }), { maxTokens: 3000, counter })
  const [, happened = ''] = brief.split('## What happened, oldest first')
  expect(counter.count(happened)).toBeGreaterThan(600)
  expect(happened).toContain('port 40961')
})
