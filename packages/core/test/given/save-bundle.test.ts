import { describe, expect, it } from 'vitest'
import { bundleFromMarkdown, bundleToMarkdown } from '../../src/bundle/markdown.ts'
import { InvalidBundleError } from '../../src/errors.ts'
import type { BundleFields } from '../../src/given/bundle-fields.ts'
import { completeBundle, saveBundle } from '../../src/given/complete-bundle.ts'
import { resume } from '../../src/resume/resume.ts'
import { memoryStorage } from '../../src/storage/memory-storage.ts'
import { bundleStore } from '../../src/store/bundle-store.ts'
import { tiktokenCounter } from '../../src/tokens/tiktoken-counter.ts'
import { makeRepository } from '../git/repository.ts'

const fields: BundleFields = {
  task: 'AUTH-7',
  summary: 'JWT chosen.\nSessions expire too soon.',
  decisions: ['15 minutes', { topic: 'Database', choice: 'PostgreSQL', rationale: 'ACID', by: 'user' }],
  nextSteps: ['plan the migration', { action: 'test', command: 'npm test' }],
  files: ['src/a.ts', { path: 'spec.md', sections: ['Login'], reason: 'the spec' }],
}

describe('a bundle that is given by hand', () => {
  it('is resumed by its next step, its instructions, its first open task, or a text that none is recorded', async () => {
    const pointOf = async (
      given: BundleFields,
    ): Promise<[title: string | undefined, point: string | undefined]> => {
      const bundle = completeBundle(
        { task: 'AUTH-7', ...given },
        { now: new Date('2026-03-04T05:06:07.089Z') },
      )
      const store = bundleStore(memoryStorage())
      await store.save(bundle)
      const { text } = await resume({ store })
      // The point is not said twice.
      expect(text).not.toMatch(/^## Resume$/m)
      return [/^# Resume: (.*)/.exec(text)?.[1], /^## Resume point\n- (.*)/m.exec(text)?.[1]]
    }
    const resumeInstructions = 'Open src/a.ts at line 145,\nthen finish refreshToken.'
    const tasksRemaining = ['TASK-003', 'TASK-004']
    expect(await pointOf({ nextSteps: ['plan it'], tasksRemaining })).toEqual(['task AUTH-7', 'plan it'])
    expect(await pointOf({ resumeInstructions, tasksRemaining, currentTask: 'TASK-003' })).toEqual([
      'TASK-003',
      'Open src/a.ts at line 145, then finish refreshToken.',
    ])
    expect((await pointOf({ tasksRemaining }))[1]).toBe('TASK-003')
    expect((await pointOf({ summary: 'JWT chosen.' }))[1]).toBe('no next step is recorded')
  })

  it('is completed, counts itself, and converts both ways', () => {
    const bundle = completeBundle(fields, { now: new Date('2026-03-04T05:06:07.089Z') })
    expect(bundle).toMatchObject({
      kind: 'context',
      track: 'main',
      createdAt: '2026-03-04T05:06:07.089Z',
      decisions: [
        { choice: '15 minutes', by: 'agent' },
        { choice: 'PostgreSQL', topic: 'Database', by: 'user' },
      ],
      nextSteps: [{ action: 'plan the migration' }, { action: 'test', command: 'npm test' }],
      files: [
        { path: 'src/a.ts', status: 'read' },
        { path: 'spec.md', sections: ['Login'], reason: 'the spec' },
      ],
      compression: { sourceTokens: 0, ratio: 0, summarizer: 'none' },
    })
    const markdown = bundleToMarkdown(bundle)
    expect(bundleFromMarkdown(markdown)).toEqual(bundle)
    expect(tiktokenCounter().count(markdown)).toBeLessThanOrEqual(bundle.compression.bundleTokens)
  })

  it('has the kind of its own section, and no section of another kind', () => {
    const steps = [{ text: 'a', done: true }, 'b']
    expect(completeBundle({ plan: { steps } }).plan?.steps).toMatchObject([
      { text: 'a', done: true },
      { text: 'b' },
    ])
    const lists = { completed: ['a'], remaining: ['b', 'c'] }
    expect(completeBundle({ progress: lists }).progress?.steps).toEqual({ done: 1, total: 3 })
    expect(() => completeBundle({ kind: 'research', plan: { steps } })).toThrow('plan only with kind plan')
  })

  it.each<[string, unknown, string]>([
    ['nothing to say', { task: 'T-1' }, 'a summary or a next step'],
    ['an unknown field', { summary: 'x', colour: 'red' }, 'colour'],
    ['a bad time', { summary: 'x', createdAt: 'yesterday' }, 'createdAt'],
  ])('is refused for %s', (_, given, words) => {
    expect(() => completeBundle(given as BundleFields)).toThrow(InvalidBundleError)
    expect(() => completeBundle(given as BundleFields)).toThrow(words)
  })

  it('holds no secret', () => {
    const secret = `ghp_${'Zq8wE5rT2yU7iO4pA9sD1fG6hJ3k'.padEnd(36, 'L0')}`
    const bundle = completeBundle({ summary: `use ${secret}`, nextSteps: [`push with ${secret}`] })
    expect(JSON.stringify(bundle)).not.toContain(secret)
    expect(completeBundle({ summary: `use ${secret}` }, { redactors: [] }).summary).toContain(secret)
  })

  it('is saved with the state of the repository, after the newest of its track', async () => {
    const repository = makeRepository()
    repository.commit({ 'a.ts': '1' })
    const store = bundleStore(memoryStorage())
    const ahead = completeBundle(fields, { now: new Date(Date.now() + 3_600_000) })
    await store.save(ahead)
    const saved = await saveBundle(store, fields, { cwd: repository.path })
    expect(saved.bundle.git).toMatchObject({ branch: 'main', dirty: false })
    expect(saved.id > ahead.id).toBe(true)
    expect((await store.latest('main'))?.bundle.id).toBe(saved.id)
    await expect(saveBundle(store, { task: 'T' })).rejects.toThrow(InvalidBundleError)
  })
})
