import { createHash } from 'node:crypto'
import { type Redactor, secretRedactor } from '@tenfold/core'
import { seededRandom } from '../random.ts'
import { everydayCases, generatedCases, harmlessCases } from './generated-cases.ts'
import type { SecretCase } from './labelled-cases.ts'
import { comesOutRight, macroShare, shareOf, type Tally, tallyBy } from './score-secrets.ts'

export interface MeasureSecretsOptions {
  /** Selects the held-out families and the random values. */
  readonly seed: number
  /** Random values of each family in each syntax. */
  readonly values: number
  /** Sources to fit on; all cases of others are held out. @default all */
  readonly fit?: readonly string[] | undefined
  readonly redactor?: Redactor
  readonly progress?: (text: string) => void
}

/** Recall and specificity of some cases. */
interface SecretScore {
  readonly recall: Tally
  /** The mean over families. */
  readonly macroRecall: number
  readonly specificity: Tally
  readonly macroSpecificity: number
}

/** Cases of one family in one syntax, of our own random values. */
export interface GeneratedScore {
  readonly source: string
  readonly family: string
  readonly tally: Tally
  /** The syntax with the smallest share. */
  readonly worst: { readonly syntax: string; readonly tally: Tally; readonly text: string }
}

export interface SecretReport {
  readonly seed: number
  /** By part (`all`, `fit`, `held out`) and by source. */
  readonly scores: ReadonlyMap<string, SecretScore>
  /** Recall by tier other than `core`. */
  readonly tiers: ReadonlyMap<string, Tally>
  /** Families by recall, worst first. */
  readonly families: readonly { readonly family: string; readonly part: string; readonly tally: Tally }[]
  /** Cases of the families to fit on that came out wrong. Held-out cases are not shown, so that nobody fits to them. */
  readonly misses: readonly SecretCase[]
  readonly generated: readonly GeneratedScore[]
  readonly harmless: { readonly tally: Tally; readonly found: readonly string[] }
}

interface Result extends SecretCase {
  readonly right: boolean
  readonly part: 'fit' | 'held out'
}

/** Measures the redactor on labelled cases, half of whose families are held out, and on random values. */
export function measureSecrets(cases: readonly SecretCase[], options: MeasureSecretsOptions): SecretReport {
  const { seed, values, fit, redactor = secretRedactor(), progress = () => {} } = options
  const results: Result[] = cases.map((one) => ({
    ...one,
    right: comesOutRight(one, redactor),
    part: fit?.includes(one.source) === false || isHeldOut(one.family, seed) ? 'held out' : 'fit',
  }))
  const core = results.filter(({ tier }) => tier === 'core')
  const sources = [...new Set(core.map(({ source }) => source))].sort()
  const scores = new Map<string, SecretScore>([
    ['all', scoreOf(core)],
    ...(['fit', 'held out'] as const).map(
      (part) => [part, scoreOf(core.filter((one) => one.part === part))] as const,
    ),
    ...(fit === undefined
      ? []
      : [['other sources', scoreOf(core.filter(({ source }) => !fit.includes(source)))] as const]),
    ...sources.flatMap((source) => [
      [source, scoreOf(core.filter((one) => one.source === source))] as const,
      [
        `${source}, held out`,
        scoreOf(core.filter((one) => one.source === source && one.part === 'held out')),
      ] as const,
    ]),
  ])
  const positive = core.filter(({ secrets }) => secrets.length > 0)
  const parts = new Map(positive.map(({ family, part }) => [family, part]))
  const families = [...tallyBy(positive, ({ family }) => family)]
    .map(([family, tally]) => ({ family, tally, part: parts.get(family) ?? 'fit' }))
    .sort((a, b) => shareOf(a.tally) - shareOf(b.tally))
  return {
    seed,
    scores,
    tiers: tallyBy(results, ({ tier, secrets }) =>
      tier === 'core' || secrets.length === 0 ? undefined : tier,
    ),
    families,
    misses: core.filter(({ right, part }) => !right && part === 'fit'),
    generated: scoreGenerated(redactor, seed, values, progress),
    harmless: scoreHarmless(redactor, seed, values),
  }
}

function scoreOf(results: readonly Result[]): SecretScore {
  const positive = results.filter(({ secrets }) => secrets.length > 0)
  const negative = results.filter(({ secrets }) => secrets.length === 0)
  return {
    recall: tally(positive),
    macroRecall: macroShare(tallyBy(positive, ({ family }) => family).values()),
    specificity: tally(negative),
    macroSpecificity: macroShare(tallyBy(negative, ({ family }) => family).values()),
  }
}

function tally(results: readonly { readonly right: boolean }[]): Tally {
  return { right: results.filter(({ right }) => right).length, all: results.length }
}

/** Half of the families, by a hash: the same for all cases of a family. */
function isHeldOut(family: string, seed: number): boolean {
  return ((createHash('sha256').update(`${seed} ${family}`).digest()[0] ?? 0) & 1) === 1
}

export function scoreGenerated(
  redactor: Redactor,
  seed: number,
  values: number,
  progress: (text: string) => void,
): GeneratedScore[] {
  const families = new Map<string, { source: string; family: string; bySyntax: Map<string, Counted> }>()
  const random = seededRandom(seed)
  // In this order, new everyday families do not move the values of the others.
  for (const one of [...generatedCases(values, random), ...everydayCases(values, random)]) {
    const key = `${one.source} ${one.family}`
    if (!families.has(key)) progress(`random values: ${one.family}`)
    const { bySyntax } = families.get(key) ?? { bySyntax: new Map<string, Counted>() }
    families.set(key, { source: one.source, family: one.family, bySyntax })
    const counted = bySyntax.get(one.syntax) ?? { right: 0, all: 0, text: one.text }
    const right = comesOutRight(one, redactor)
    bySyntax.set(one.syntax, {
      right: counted.right + (right ? 1 : 0),
      all: counted.all + 1,
      text: right ? counted.text : one.text,
    })
  }
  return [...families.values()].flatMap(({ source, family, bySyntax }) => {
    const [worst] = [...bySyntax].sort(([, a], [, b]) => shareOf(a) - shareOf(b))
    if (worst === undefined) return []
    const all = [...bySyntax.values()]
    const total = { right: sum(all.map(({ right }) => right)), all: sum(all.map((one) => one.all)) }
    const { text, ...counted } = worst[1]
    return [{ source, family, tally: total, worst: { syntax: worst[0], tally: counted, text } }]
  })
}

interface Counted extends Tally {
  readonly text: string
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}

export function scoreHarmless(redactor: Redactor, seed: number, values: number): SecretReport['harmless'] {
  let all = 0
  const found: string[] = []
  for (const one of harmlessCases(values, seededRandom(seed))) {
    all += 1
    if (!comesOutRight(one, redactor)) found.push(one.text)
  }
  return { tally: { right: all - found.length, all }, found }
}
