import { existsSync } from 'node:fs'
import type { Storage } from '@tenfold/core'
import { loadDump, verifyDump } from '@tenfold/core/halt'
import { cleanText, haltIds, verifyLedger } from '@tenfold/core/internal'
import { verifyCheckpoints, verifyStore } from '@tenfold/core/store'
import { option } from '../options/option.ts'
import { noStore, storeOption } from '../options/options.ts'
import { isRemoteStore } from '../state/trust.ts'
import { openStorage } from '../store/open-store.ts'
import { countProgress } from '../terminal/progress.ts'
import type { Style } from '../terminal/terminal.ts'
import { formatCount, formatNumberOf, textOfCounts } from '../terminal/text.ts'
import { defineCommand } from './define-command.ts'

export const addCommand = defineCommand({
  name: 'verify',
  description:
    'Check a store: bundles and their Markdown, history, LATEST, checkpoints, archived logs, halt dumps and the ledger.',
  options: [
    storeOption,
    option('--repair', 'rewrite LATEST and missing Markdown; nothing is deleted'),
    option('--no-archives', 'check that archived logs exist, but do not decompress them'),
  ],
  json: 'one JSON object',
  help: `
Examples:
  tenfold verify
  tenfold verify --repair
  tenfold verify --store s3://bucket/bundles --no-archives --json | jq '.findings'

Exit codes: 0 no faults (there may be warnings), 1 faults, 130 interrupted.`,
  async run({ store, archives, repair = false }, { terminal, signal }) {
    if (!isRemoteStore(store) && !existsSync(store)) throw noStore(store)
    const storage = await openStorage(store)
    const progress = countProgress(terminal)
    const ofCheckpoints = await verifyCheckpoints(storage, { repair })
    const stored = await verifyStore(storage, {
      deep: archives,
      repair,
      signal,
      report: ({ step, done, of }) => progress(`checking ${step}`, done, of),
    })
    const ledger = await verifyLedger(storage, { signal })
    const dumps = await haltIds(storage)
    const ofDumps = await verifyDumps(storage, dumps, signal, (done) =>
      progress('checking dumps', done, dumps.length),
    )
    const others = [...ofCheckpoints.findings, ...ledger, ...ofDumps]
    const findings = [...stored.findings, ...others]
    const report = {
      ok: stored.ok && others.every(({ level, repaired }) => level === 'warning' || repaired),
      checked: { ...stored.checked, checkpoints: ofCheckpoints.checkpoints, dumps: dumps.length },
      findings,
    }
    return {
      json: report,
      lines: findings.map((each) => `${labelOf(each, terminal.style)} ${cleanText(each.message)}`),
      said: [
        summaryOf(report.checked, findings),
        !repair &&
          findings.some(({ code }) => repairable.has(code)) &&
          'To repair LATEST and what is missing: tenfold verify --repair',
      ],
      failed: !report.ok,
    }
  },
})

interface Finding {
  readonly level: 'fault' | 'warning'
  readonly repaired: boolean
}

export function labelOf({ level, repaired }: Finding, style: Style): string {
  if (repaired) return style.green('repaired:')
  return level === 'fault' ? style.red('fault:') : style.yellow('warning:')
}

const repairable: ReadonlySet<string> = new Set([
  ...['latest-behind', 'markdown-missing', 'bundle-without-entry', 'archive-moved', 'half-pruned'],
  ...['checkpoint-latest', 'checkpoint-unlisted'],
])

type Checked = Awaited<ReturnType<typeof verifyStore>>['checked'] & { checkpoints: number; dumps: number }

function summaryOf(checked: Checked, findings: readonly Finding[]): string {
  const left = findings.filter(({ repaired }) => !repaired)
  const faults = left.filter(({ level }) => level === 'fault').length
  const decompressed = checked.archivedFiles > 0 ? ', decompressed' : ''
  const parts = textOfCounts(
    [1, `${formatNumberOf(checked.bundles, 'bundle')} on ${formatNumberOf(checked.tracks, 'track')}`],
    [checked.pruned, `${formatCount(checked.pruned)} pruned`],
    [checked.checkpoints, formatNumberOf(checked.checkpoints, 'checkpoint')],
    [checked.dumps, formatNumberOf(checked.dumps, 'halt dump')],
    [1, `${formatNumberOf(checked.archives, 'archived log')}${decompressed}`],
    [checked.notHere, `${formatNumberOf(checked.notHere, 'archived log')} not in this store`],
  )
  return `${parts}: ${faultsText(faults, left.length - faults, findings.length - left.length)}.`
}

/** Such as `2 faults, 1 warning`. */
export function faultsText(faults: number, warnings: number, repaired = 0): string {
  return textOfCounts(
    [1, faults === 0 ? 'no faults' : formatNumberOf(faults, 'fault')],
    [warnings, formatNumberOf(warnings, 'warning')],
    [repaired, `${formatCount(repaired)} repaired`],
  )
}

async function verifyDumps(
  storage: Storage,
  ids: readonly string[],
  signal: AbortSignal,
  onDone: (done: number) => void,
) {
  const findings = []
  for (const [index, id] of ids.entries()) {
    signal.throwIfAborted()
    // A fault of a halt dump cannot be repaired.
    for (const found of (await verifyDump(await loadDump(storage, id))).findings)
      findings.push({ ...found, repaired: false as const })
    onDone(index + 1)
  }
  return findings
}
