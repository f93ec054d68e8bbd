import { pick, seededRandom } from './random.ts'

/** The value of one case; cases of one repository are similar. */
export interface Sample {
  readonly repo: string
  readonly value: number
}

export interface Summary {
  readonly n: number
  readonly mean: number
  /** Mean of the means by repository. */
  readonly macro: number
  /** 95 % interval of the mean: bootstrap over repositories, then over their cases. */
  readonly low: number
  readonly high: number
  /** Mean of the worst tenth of the cases, of at least one. */
  readonly worst: number
}

/** Mean, interval and worst tenth of some cases; undefined if there are none. The same cases give the same numbers. */
export function summarize(samples: readonly Sample[], draws = 2000): Summary | undefined {
  if (samples.length === 0) return undefined
  const byRepo = [...groupByRepo(samples).values()]
  const random = seededRandom(7)
  const means = Array.from({ length: draws }, () => meanOf(resample(byRepo, random))).sort((a, b) => a - b)
  const sorted = samples.map((sample) => sample.value).sort((a, b) => a - b)
  return {
    n: samples.length,
    mean: meanOf(sorted),
    macro: meanOf(byRepo.map(meanOf)),
    low: means[Math.floor(draws * 0.025)] ?? 0,
    high: means[Math.ceil(draws * 0.975) - 1] ?? 0,
    worst: meanOf(sorted.slice(0, Math.max(1, Math.round(sorted.length / 10)))),
  }
}

function groupByRepo(samples: readonly Sample[]): Map<string, number[]> {
  const groups = new Map<string, number[]>()
  for (const { repo, value } of samples) groups.set(repo, [...(groups.get(repo) ?? []), value])
  return groups
}

function resample(groups: readonly (readonly number[])[], random: () => number): number[] {
  return groups.flatMap(() => {
    const group = pick(groups, random)
    return group.map(() => pick(group, random))
  })
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
