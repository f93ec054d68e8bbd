import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { repeats } from '../../../../test/support/repeats.ts'
import { completeForeign } from '../../src/import/foreign-bundle.ts'
import { readGivenBundle, recognizeFile } from '../../src/import/recognize.ts'

const contextBundle = {
  session_id: 'abc123',
  created_at: '2024-11-27T10:00:00Z',
  workflow_state: {
    phase: 'implementation',
    currentTask: 'TASK-003',
    tasksCompleted: ['TASK-001'],
    tasksRemaining: ['TASK-003', 'TASK-004'],
    blockers: [],
  },
  files_read: [
    { path: 'specs/PRD.md', summary: 'E-commerce app' },
    { path: 'specs/auth.md', sections: ['Login'], reason: 'the feature' },
  ],
  decisions: [
    { topic: 'Database', choice: 'PostgreSQL', rationale: 'ACID needs', timestamp: '2024-11-27T09:00:00Z' },
  ],
  token_usage: { total: 45000, by_agent: { coder: 20000 } },
  resume_instructions: 'Continue with TASK-003.',
  mood: 'good',
}

const research = `# Research Bundle: Authentication Redesign

## Summary
JWT with refresh token rotation selected.

## Key Findings
1. Sessions time out after 30 minutes
2. Users complain
   every day

## Decision
Implement JWT.

## Files Identified
- src/auth/middleware.ts (main changes)
- \`src/auth/routes.ts\`: new endpoints

## Next Steps
1. Design token structure
2. Plan migration

## Weather
Sunny.
`

const plan = `# Plan Bundle: JWT

## Approved Approach
JWT

## Implementation Steps
1. [x] Add dependencies
2. [ ] Create token service

## Files to Modify
| File | Change |
|------|--------|
| auth/middleware.ts | JWT validation |

## Risk Assessment
- Medium risk: production

## Session Resume Point
Ready to start Step 1
`

const progress = `---
timestamp: 2026-03-04T05:06:07Z
task: AUTH-9
---
# Progress Bundle: JWT

## Status
3 of 5 steps complete

## Completed
- [x] Add dependencies

## In Progress
- [ ] Add endpoint (50% done)

## Remaining
- [ ] Migrate

## Current State
- Working on: routes.ts
- Next action: Complete error handling
`

const bundleOf = (name: string, text: string) => {
  const recognized = recognizeFile(name, text)
  if (recognized?.type !== 'bundle') throw new Error(`expected a bundle, got ${recognized?.type}`)
  return recognized.bundle
}

describe('a context bundle in JSON', () => {
  const json = JSON.stringify(contextBundle)

  it('returns its fields, and notes for content without a field', () => {
    const { fields, notes } = bundleOf('abc123.json', json)
    expect(fields).toMatchObject({
      createdAt: '2024-11-27T10:00:00.000Z',
      sessionId: 'abc123',
      task: 'TASK-003',
      phase: 'implementation',
      currentTask: 'TASK-003',
      tasksRemaining: ['TASK-003', 'TASK-004'],
      files: [
        { path: 'specs/PRD.md', status: 'read', reason: 'E-commerce app' },
        { path: 'specs/auth.md', status: 'read', reason: 'the feature', sections: ['Login'] },
      ],
      decisions: [
        { topic: 'Database', choice: 'PostgreSQL', rationale: 'ACID needs', at: '2024-11-27T09:00:00.000Z' },
      ],
      resumeInstructions: 'Continue with TASK-003.',
    })
    expect(notes.map(({ message }) => message)).toEqual([
      'token usage: {"total":45000,"by_agent":{"coder":20000}}',
      'mood: good',
    ])
  })

  it('is read in camel case with the state of the work', () => {
    const work = {
      type: 'implement',
      target: 'FTR-001',
      progress: 'half way',
      pendingDecisions: ['which db'],
      pace: 3,
    }
    const { fields, notes } = bundleOf('x.json', JSON.stringify({ session_id: 'x', currentWork: work }))
    expect(fields).toMatchObject({
      phase: 'implement',
      task: 'FTR-001',
      summary: 'half way',
      openQuestions: ['which db'],
    })
    expect(notes).toEqual([{ code: 'no-field', message: 'currentWork.pace: 3' }])
  })

  it('becomes the same bundle each time, with its own time', () => {
    const options = { document: Buffer.from(json), changed: new Date(0) }
    const bundle = completeForeign(bundleOf('abc123.json', json), options)
    expect(bundle.createdAt).toBe('2024-11-27T10:00:00.000Z')
    expect(completeForeign(bundleOf('abc123.json', json), options)).toEqual(bundle)
    const other = { document: Buffer.from(`${json} `), changed: new Date(0) }
    expect(completeForeign(bundleOf('abc123.json', json), other).id).not.toBe(bundle.id)
  })
})

describe('a bundle in Markdown', () => {
  it('of research', () => {
    const { fields, notes } = bundleOf('AUTH-5.md', research)
    expect(fields).toMatchObject({
      kind: 'research',
      title: 'Authentication Redesign',
      summary: 'JWT with refresh token rotation selected.',
      findings: ['Sessions time out after 30 minutes', 'Users complain every day'],
      research: { decision: 'Implement JWT.' },
      files: [
        { path: 'src/auth/middleware.ts', status: 'named', reason: 'main changes' },
        { path: 'src/auth/routes.ts', status: 'named', reason: 'new endpoints' },
      ],
      nextSteps: ['Design token structure', 'Plan migration'],
    })
    expect(notes.map(({ message }) => message)).toEqual(['Weather: Sunny.'])
  })

  it('of a plan, whose first open step is the next one', () => {
    const { fields } = bundleOf('AUTH-6.md', plan)
    expect(fields).toMatchObject({
      kind: 'plan',
      plan: {
        approach: 'JWT',
        steps: [
          { text: 'Add dependencies', done: true },
          { text: 'Create token service', done: false },
        ],
        risks: ['Medium risk: production'],
      },
      files: [{ path: 'auth/middleware.ts', status: 'named', reason: 'JWT validation' }],
      nextSteps: ['Create token service'],
      resumeInstructions: 'Ready to start Step 1',
    })
  })

  it('of progress, with time and task of its front matter', () => {
    const foreign = bundleOf('AUTH-7.md', progress.replaceAll('\n', '\r\n'))
    expect(foreign.fields).toMatchObject({
      kind: 'progress',
      createdAt: '2026-03-04T05:06:07.000Z',
      progress: {
        ...{
          completed: ['Add dependencies'],
          inProgress: ['Add endpoint (50% done)'],
          remaining: ['Migrate'],
        },
        steps: { done: 3, total: 5 },
      },
      nextSteps: ['Complete error handling'],
    })
    const options = { document: Buffer.from(progress), changed: new Date(), task: 'AUTH-7', track: 'auth' }
    expect(completeForeign(foreign, options)).toMatchObject({
      task: 'AUTH-9',
      track: 'auth',
      kind: 'progress',
    })
  })
})

describe('what a file is', () => {
  it.each<[string, string]>([
    ['README.md', '# Hello\n\n## Summary\nA program.\n\n## Next steps\nInstall it.\n'],
    ['package.json', '{"name":"x","version":"1.0.0","files":["dist"]}'],
    ['broken.json', '{"session_id": "x", "created_at'],
    ['list.json', '[1]'],
    ['log.jsonl', '{"type":"user"}\n{"type":"assistant"}\n'],
    ['notes.txt', research],
  ])('is not known of %s', (name, text) => {
    expect(recognizeFile(name, text)).toBeUndefined()
  })

  it('nothing is too deep to be read', () => {
    const deep = `{"session_id":"x","workflow_state":{"phase":"a"},"y":${'['.repeat(50_000)}${']'.repeat(50_000)}}`
    expect(recognizeFile('a.json', deep)).toMatchObject({ type: 'bundle' })
    expect(JSON.stringify(readGivenBundle(deep).notes)).toContain('nested too deep')
  })

  it('any text and any JSON is read or refused, never a crash', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json(), fc.constant(research)), fc.string(), (text, more) => {
        for (const name of ['a.md', 'context_checkpoint_x.md', 'a.json'])
          recognizeFile(name, `${text}${more}`)
      }),
      { numRuns: repeats({ few: 100, all: 300 }), seed: 5 },
    )
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...Object.keys(contextBundle)), fc.jsonValue()), (value) => {
        const { fields, notes } = readGivenBundle(JSON.stringify({ summary: 'x', ...value }))
        const document = Buffer.from('x')
        expect(
          completeForeign({ format: 'context-bundle', fields, notes }, { document, changed: new Date() })
            .kind,
        ).toBe('context')
      }),
      { numRuns: repeats({ few: 70, all: 200 }), seed: 6 },
    )
  })
})
