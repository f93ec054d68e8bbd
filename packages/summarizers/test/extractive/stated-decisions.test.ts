import type { TranscriptItem } from '@tenfold/core/summarizer'
import { describe, expect, it } from 'vitest'
import { listedDecisions } from '../../src/extractive/stated-decisions.ts'

const item = (label: string, text: string): TranscriptItem => ({
  event: 'e2',
  agent: 'main',
  turn: 1,
  type: label === 'assistant' ? 'assistant' : label === 'Read' ? 'tool_call' : 'user',
  label,
  text,
})
const plan = [
  '# Plan',
  '## Key Design Decisions',
  '- **Queue**: one per tenant, not one for all',
  '- Retries stay in the worker',
  '```',
  '- not a decision',
  '```',
  '## Steps',
  '- write the worker',
].join('\n')
const choices = (each: TranscriptItem) => listedDecisions(each).map(({ decision }) => decision.choice)

describe('decisions in a list', () => {
  it('are the items below a heading that calls them so, up to the next heading', () => {
    expect(choices(item('plan', plan))).toEqual([
      'Queue: one per tenant, not one for all',
      'Retries stay in the worker',
    ])
  })

  it('are by whoever wrote them', () => {
    expect(listedDecisions(item('plan', plan))[0]?.decision.by).toBe('agent')
    expect(listedDecisions(item('user', plan))[0]?.decision.by).toBe('user')
  })

  it.each(['**Decisions made:**', '### Decisions (from the user)', '## 3. Architectural decisions'])(
    'stand below %s',
    (heading) => {
      expect(choices(item('assistant', `${heading}\n1. keep SQLite for the tests`))).toHaveLength(1)
    },
  )

  it.each(['## Open decisions', '## Decisions to make', '## How decisions are stored', 'Decisions'])(
    'do not stand below %s',
    (heading) => {
      expect(choices(item('assistant', `${heading}\n- keep SQLite for the tests`))).toEqual([])
    },
  )

  it('do not come from what a tool printed', () => {
    expect(choices(item('Read', plan))).toEqual([])
  })
})
