import { describe, expect, it } from 'vitest'
import { trimRules } from '../../src/assemble/trim-rules.ts'
import { bundleKinds } from '../../src/bundle/bundle-names.ts'
import { bundleFromMarkdown, bundleToMarkdown } from '../../src/bundle/markdown.ts'
import { bundleJsonSchema } from '../../src/bundle/schema.ts'
import { emptySummary, withEmptySections } from '../../src/bundle/section-contents.ts'
import { kindOf, sectionEntries, statements } from '../../src/bundle/sections.ts'
import { InvalidBundleError } from '../../src/errors.ts'
import { sampleBundle } from '../../src/testing/sample-bundle.ts'

type JsonSchema = { readonly type?: string; readonly properties?: Readonly<Record<string, JsonSchema>> }

/** Paths of all lists in a schema that are not inside a list. */
function listsIn(schema: JsonSchema, path: readonly string[] = []): string[] {
  if (schema.type === 'array') return [path.join('.')]
  return Object.entries(schema.properties ?? {}).flatMap(([key, inner]) => listsIn(inner, [...path, key]))
}

describe('the sections of a bundle', () => {
  const paths = sectionEntries.map(([, { path }]) => path.join('.'))

  it('include every list of the schema', () => {
    const lists = listsIn(bundleJsonSchema() as JsonSchema)
    expect(lists).toContain('workflow.blockers')
    // The models of the source are front matter; the evidence of the validation is in its line.
    const elsewhere = ['source.models', 'validation.evidence', 'shown.without']
    expect(lists.filter((list) => !paths.includes(list) && !elsewhere.includes(list))).toEqual([])
  })

  it('have unique titles, places, statement ids and ranks', () => {
    const all = sectionEntries.map(([, section]) => section)
    const values: unknown[][] = [
      all.map(({ title }) => title),
      paths,
      Object.values(statements).map(([id]) => id),
      Object.values(trimRules).flatMap((rules) => rules.map(({ rank }) => rank)),
    ]
    for (const list of values) {
      expect(list.length).toBeGreaterThan(5)
      expect(new Set(list).size).toBe(list.length)
    }
  })

  it('can all be trimmed, except the calls, which are summed', () => {
    const lists = sectionEntries.filter(([, { type }]) => type === 'list').map(([key]) => key)
    expect(lists.filter((key) => trimRules[key] === undefined)).toEqual(['calls'])
  })

  it.each(bundleKinds)('of kind %s can be added empty, without those of other kinds', (kind) => {
    const filled = withEmptySections({}, (section) => (kindOf(section) ?? kind) === kind)
    expect(Object.keys(filled).filter((key) => bundleKinds.some((other) => other === key))).toEqual(
      kind === 'context' ? [] : [kind],
    )
  })

  it('keep what a value already has when the others are added', () => {
    const steps = [{ text: 'first', evidence: [] }]
    const filled = withEmptySections({ plan: { steps } }, (section) => kindOf(section) === 'plan')
    expect(filled).toEqual({ plan: { approach: '', steps, risks: [] } })
  })

  it('make an empty summary', () => {
    expect(emptySummary()).toEqual({
      overview: '',
      workflow: { tasksCompleted: [], tasksRemaining: [], blockers: [] },
      findings: [],
      decisions: [],
      constraints: [],
      openQuestions: [],
      nextSteps: [],
      resumeInstructions: '',
      fileReasons: [],
    })
  })

  it('are rejected by name in a bundle of another kind', () => {
    const markdown = `${bundleToMarkdown(sampleBundle({ kind: 'context' }))}\n## Risks\n- time\n`
    expect(() => bundleFromMarkdown(markdown)).toThrow(InvalidBundleError)
    expect(() => bundleFromMarkdown(markdown)).toThrow('plan.approach')
  })
})
