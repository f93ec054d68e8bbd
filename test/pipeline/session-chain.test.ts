import {
  type BundleStore,
  bundleStore,
  type ContextBundle,
  compressLog,
  memoryStorage,
  resume,
  tiktokenCounter,
} from '@tenfold/core'
import { extractiveSummarizer } from '@tenfold/summarizers/extractive'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Line, logOf, look, write } from '../support/claude-log.ts'
import { repeats } from '../support/repeats.ts'

const counter = tiktokenCounter()
const sizes = [400, 1500, 3600]
const last = repeats({ few: 8, all: 30 })

const run = (command: string, result: string): Line => ({ call: 'Bash', input: { command }, result })

/** One module a session: its check fails now and then, and the answer names the next step. */
function session(at: number): Line[] {
  const fails = at % 3 === 0
  return [
    { user: at === 1 ? `${rules} ${asked(at)}` : asked(at) },
    look(`src/m${at}.mjs`),
    run(`npm run migrate -- m${at}`, `module ${at} migrated`),
    write(`src/m${at}.mjs`),
    run(
      `npm test -- m${at}`,
      fails ? `Exit code 1\n1 failing: module ${at} rounds wrongly` : `1 passing: module ${at}`,
    ),
    {
      agent: `Module ${at} is migrated${fails ? ', but its test fails' : ' and its tests pass'}.\n\nNext step: ${step(at)}`,
    },
  ]
}

const rules = 'Never change src/legacy.mjs. Always run the linter before a commit.'
const asked = (at: number) => `Migrate module ${at} of the shop to the new price format.`
const step = (at: number) => `migrate module ${at + 1} with \`npm run migrate -- m${at + 1}\`.`

describe(`${last} sessions in a row`, () => {
  const briefs = new Map<number, string[]>()
  const bundles: ContextBundle[] = []

  beforeAll(async () => {
    const store: BundleStore = bundleStore(memoryStorage())
    let given: string | undefined
    for (let at = 1; at <= last; at++) {
      const log = logOf(`s${at}`, at, given, session(at))
      const { bundle } = await compressLog(log, { store, summarizer: extractiveSummarizer() })
      bundles.push(bundle)
      const texts: string[] = []
      for (const maxTokens of sizes) {
        const { text, tokens } = await resume({ store, maxTokens, counter })
        expect(tokens).toBeLessThanOrEqual(maxTokens)
        texts.push(text)
      }
      briefs.set(at, texts)
      given = texts[1]
    }
  }, 120_000)

  it('give the step, the last words, the check and the rules in that order, at every size', () => {
    for (const [at, texts] of briefs)
      for (const [index, text] of texts.entries()) {
        const places = [
          step(at),
          asked(at),
          ...(at % 3 === 0 ? [`- failed: npm test -- m${at}`] : []),
          '- Never change src/legacy.mjs.',
        ].map((words) => text.indexOf(words))
        const of = `brief of session ${at}, ${sizes[index]} tokens\n${text}`
        expect(Math.min(...places), of).toBeGreaterThan(0)
        expect(places, of).toEqual(places.toSorted((a, b) => a - b))
        expect(text, of).toContain('Always run the linter before a commit.')
      }
  })

  it('offer nothing that a session did', () => {
    for (const [at, texts] of briefs)
      for (const text of texts) {
        const offered = [...text.matchAll(/(?<!Next step: )\bmigrate module (\d+) with/g)].map(([, of]) =>
          Number(of),
        )
        expect(offered.length, text).toBeGreaterThan(0)
        expect(new Set(offered), `brief of session ${at}\n${text}`).toEqual(new Set([at + 1]))
      }
    for (const [index, { nextSteps, carried = [] }] of bundles.entries()) {
      const at = index + 1
      const failed = at % 3 === 0 ? [`npm test -- m${at}`] : []
      expect(nextSteps[0]?.action).toBe(step(at))
      expect(nextSteps.map(({ command }) => command)).toEqual([`npm run migrate -- m${at + 1}`, ...failed])
      expect(carried.map(({ text }) => text).join()).not.toContain('migrate module')
    }
  })

  it('name the bundles of the work in a small part of a brief', () => {
    for (const text of briefs.get(last) ?? []) {
      const others = text.split('\n## Other bundles of this work\n')[1]?.split('\n\n')[0] ?? ''
      expect(others.split('\n').length).toBeLessThanOrEqual(3)
    }
  })
})
