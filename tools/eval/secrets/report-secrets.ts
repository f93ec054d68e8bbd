import type { GeneratedScore, SecretReport } from './measure-secrets.ts'
import { shareOf, type Tally } from './score-secrets.ts'

/** Families of random values below this share are listed. */
const enough = 0.98

/** The report as text; `worst` is how many misses and weak families it lists at most. */
export function renderSecrets(report: SecretReport, worst: number): string {
  const { seed, scores, tiers, generated, harmless } = report
  const rows = [...scores].map(([name, { recall, macroRecall, specificity, macroSpecificity }]) =>
    [
      name.padEnd(26),
      ratio(recall),
      share(macroRecall),
      ratio(specificity),
      specificity.all === 0 ? '      ' : share(macroSpecificity),
    ].join('  '),
  )
  const head = `${'labelled cases (core)'.padEnd(26)}  recall                by family  specificity           by family`
  const parts = [`Seed ${seed}: half of the families are held out by it.`, [head, ...rows].join('\n')]
  if (tiers.size > 0)
    parts.push(
      [
        'other tiers, recall',
        ...[...tiers].map(([tier, tally]) => `${tier.padEnd(26)}  ${ratio(tally)}`),
      ].join('\n'),
    )
  parts.push(worstFamilies(report, Math.max(worst, 10)))
  if (generated.length > 0) parts.push(renderGenerated(generated, harmless.tally))
  if (worst > 0) parts.push(missList(report, worst))
  return parts.join('\n\n')
}

/** The report as a JSON value. */
export function secretsJson(report: SecretReport): unknown {
  return { ...report, scores: Object.fromEntries(report.scores), tiers: Object.fromEntries(report.tiers) }
}

function worstFamilies({ families }: SecretReport, most: number): string {
  const weak = families.filter(({ tally }) => tally.right < tally.all).slice(0, most)
  const rows = weak.map(({ family, part, tally }) => `${ratio(tally)}  ${family} (${part})`)
  return ['worst families', ...(rows.length > 0 ? rows : ['none below 1'])].join('\n')
}

function renderGenerated(generated: readonly GeneratedScore[], harmless: Tally): string {
  const sources = [...new Set(generated.map(({ source }) => source))]
  const rows = sources.map((source) => {
    const families = generated.filter((one) => one.source === source)
    const weak = families.filter(({ tally }) => shareOf(tally) < enough)
    const right = families.reduce((sum, { tally }) => sum + tally.right, 0)
    const all = families.reduce((sum, { tally }) => sum + tally.all, 0)
    return `${source.padEnd(26)}  ${ratio({ right, all })}  ${families.length - weak.length} of ${families.length} families at ${enough} or above`
  })
  const weak = generated
    .filter(({ tally }) => shareOf(tally) < enough)
    .map(
      ({ family, tally, worst }) =>
        `  ${ratio(tally)}  ${family}; worst: ${worst.syntax} ${ratio(worst.tally)} ${quoted(worst.text)}`,
    )
  return [
    'random values, recall',
    ...rows,
    ...weak,
    `${'random harmless texts'.padEnd(26)}  ${ratio(harmless)}`,
  ].join('\n')
}

function missList({ misses, harmless }: SecretReport, most: number): string {
  const rows = misses
    .slice(0, most)
    .map(
      ({ source, family, secrets, text }) =>
        `${secrets.length > 0 ? 'missed' : 'false '}  ${source} ${family}: ${quoted(text)}`,
    )
  const found = harmless.found.slice(0, most).map((text) => `false   random: ${quoted(text)}`)
  return ['misses of the families to fit on', ...rows, ...found].join('\n')
}

function quoted(text: string): string {
  return JSON.stringify(text.length > 160 ? `${text.slice(0, 160)}…` : text)
}

function ratio(tally: Tally): string {
  return `${share(shareOf(tally))} ${`(${tally.right} of ${tally.all})`.padEnd(16)}`
}

function share(value: number): string {
  return value.toFixed(4)
}
