import { describe, expect, it } from 'vitest'
import { withDoneSteps } from '../../src/assemble/step-progress.ts'
import type { Facts } from '../../src/facts/facts.ts'
import { emptyFacts } from '../../src/testing/empty-facts.ts'
import { assistant, makeSession } from '../support/session.ts'

const steps = (...texts: string[]) => texts.map((text) => ({ text, evidence: ['e1' as const] }))

function doneOf(texts: readonly string[], said: readonly string[], tasks: Facts['tasks'] = []): string[] {
  const session = makeSession([`- [x] ${texts.join('\n- [x] ')}`, ...said].map(assistant))
  const plan = { approach: '', steps: steps(...texts), risks: [] }
  const marked = withDoneSteps({ plan }, session, { ...emptyFacts, tasks })
  return marked.plan.steps.flatMap((step) => ('done' in step ? [step.text] : []))
}

describe('the steps of a plan', () => {
  const texts = ['1. Add dependencies', 'Create the service', 'Migrate sessions']

  it('are done if the task list says so, whatever was said', () => {
    const tasks: Facts['tasks'] = [
      { text: 'Add dependencies', status: 'completed', event: 'e2' },
      { text: 'Create the Service.', status: 'pending', event: 'e2' },
    ]
    expect(doneOf(texts, ['Step 2 is done.'], tasks)).toEqual(['1. Add dependencies'])
  })

  it('are done if the agent said so after the plan', () => {
    expect(doneOf(texts, ['Step 1 is done, step 2 is not done.'])).toEqual(['1. Add dependencies'])
    expect(doneOf(texts, ['Completed step 2.\n- [x] **Migrate sessions**\n- [ ] Add dependencies'])).toEqual([
      'Create the service',
      'Migrate sessions',
    ])
    expect(doneOf(texts, ['I will do step 3 now, and the done part comes later.'])).toEqual([])
  })
})
