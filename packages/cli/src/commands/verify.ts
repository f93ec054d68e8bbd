import { existsSync } from 'node:fs'
import type { Storage } from '@tenfold/core'
import { type DumpFinding, verifyDump } from '@tenfold/core/halt'
import { cleanText, haltIds, verifyLedger } from '@tenfold/core/internal'
import { type StoreFinding, type VerifyReport, verifyCheckpoints, verifyStore } from '@tenfold/core/store'
import { option, type ValuesOf } from '../options/option.ts'
import { noStore, storeOption } from '../options/options.ts'
import { isRemoteStore } from '../state/trust.ts'
import { openStorage } from '../store/open-store.ts'
import { type ExitCode, exitCodes } from '../terminal/exit-codes.ts'
import { formatCount, formatNumberOf, textOfCounts } from '../terminal/numbers.ts'
import { progressLine } from '../terminal/progress.ts'
import type { CommandContext } from '../terminal/terminal.ts'
import { defineCommand } from './define-command.ts'

const verifyOptions = [
  storeOption,
  option('--repair', 'rewrite LATEST and missing Markdown; nothing is deleted'),
  option('--no-archives', 'check that archived logs exist, but do not unpack them'),
  option('--json', 'print one JSON object'),
] as const

interface CheckedStore extends Omit<VerifyReport, 'checked' | 'findings'> {
  readonly checked: VerifyReport['checked'] & { readonly checkpoints: number; readonly dumps: number }
  readonly findings: readonly (StoreFinding | DumpsFinding)[]
}

/** A finding about a halt dump, in the form of findings about bundles. It cannot be repaired. */
type DumpsFinding = DumpFinding & { readonly repaired: false }

export const addCommand = defineCommand({
  name: 'verify',
  description:
    'Check a store: every bundle and its Markdown, the history, every LATEST, checkpoint, archived log and halt dump, and what says which logs are done.',
  options: verifyOptions,
  help: `
Examples:
  tenfold verify
  tenfold verify --repair
  tenfold verify --store s3://bucket/bundles --no-archives --json | jq '.findings'

Exit codes: 0 no faults (there may be warnings), 1 faults, 130 interrupted.`,
  run: verify,
})

async function verify(
  options: ValuesOf<typeof verifyOptions>,
  { terminal, signal }: CommandContext,
): Promise<ExitCode> {
  const progress = progressLine(terminal)
  if (!isRemoteStore(options.store) && !existsSync(options.store)) throw noStore(options.store)
  const storage = await openStorage(options.store)
  const { checkpoints, findings } = await verifyCheckpoints(storage, { repair: options.repair ?? false })
  const stored = await verifyStore(storage, {
    deep: options.archives,
    repair: options.repair ?? false,
    signal,
    report: ({ step, done, of }) =>
      progress.show(step, () => `checking ${step}: ${formatCount(done)} of ${formatCount(of)}`),
  })
  const ledger = await verifyLedger(storage, { signal })
  const dumped = await verifyDumps(storage, {
    signal,
    report: (done, of) =>
      progress.show('dumps', () => `checking dumps: ${formatCount(done)} of ${formatCount(of)}`),
  })
  progress.clear()
  const others = [...findings, ...ledger, ...dumped.findings]
  const report: CheckedStore = {
    ok: stored.ok && others.every(({ level, repaired }) => level === 'warning' || repaired),
    checked: { ...stored.checked, checkpoints, dumps: dumped.dumps },
    findings: [...stored.findings, ...others],
  }
  if (options.json) terminal.printJson(report, 2)
  else {
    for (const finding of report.findings)
      terminal.print(`${labelOf(finding, terminal.style)} ${cleanText(finding.message)}`)
    terminal.say(summaryOf(report))
    if (options.repair !== true && report.findings.some(({ code }) => repairable.has(code)))
      terminal.say('To repair LATEST and what is missing: tenfold verify --repair')
  }
  return report.ok ? exitCodes.done : exitCodes.failed
}

function labelOf(
  { level, repaired }: CheckedStore['findings'][number],
  style: CommandContext['terminal']['style'],
): string {
  if (repaired) return style.green('repaired:')
  return level === 'fault' ? style.red('fault:') : style.yellow('warning:')
}

const repairable: ReadonlySet<string> = new Set([
  ...['latest-behind', 'markdown-missing', 'bundle-without-entry', 'archive-moved', 'half-pruned'],
  ...['checkpoint-latest', 'checkpoint-unlisted'],
])

function summaryOf({ checked, findings }: CheckedStore): string {
  const left = findings.filter(({ repaired }) => !repaired)
  const faults = left.filter(({ level }) => level === 'fault').length
  const unpacked = checked.archivedFiles > 0 ? ', unpacked' : ''
  const parts = textOfCounts(
    [1, `${formatNumberOf(checked.bundles, 'bundle')} on ${formatNumberOf(checked.tracks, 'track')}`],
    [checked.pruned, `${formatCount(checked.pruned)} pruned`],
    [checked.checkpoints, formatNumberOf(checked.checkpoints, 'checkpoint')],
    [checked.dumps, formatNumberOf(checked.dumps, 'halt dump')],
    [1, `${formatNumberOf(checked.archives, 'archived log')}${unpacked}`],
    [checked.notHere, `${formatNumberOf(checked.notHere, 'archived log')} not here`],
  )
  const warnings = left.length - faults
  const repaired = findings.length - left.length
  const found = textOfCounts(
    [1, faults === 0 ? 'no faults' : formatNumberOf(faults, 'fault')],
    [warnings, formatNumberOf(warnings, 'warning')],
    [repaired, `${formatCount(repaired)} repaired`],
  )
  return `${parts}: ${found}.`
}

interface VerifyDumpsOptions {
  readonly signal: AbortSignal
  report(done: number, of: number): void
}

async function verifyDumps(
  storage: Storage,
  { signal, report }: VerifyDumpsOptions,
): Promise<{ readonly dumps: number; readonly findings: readonly DumpsFinding[] }> {
  const ids = await haltIds(storage)
  const findings: DumpsFinding[] = []
  for (const [index, id] of ids.entries()) {
    signal.throwIfAborted()
    const found = await verifyDump(storage, id)
    findings.push(...found.findings.map((finding) => ({ ...finding, repaired: false as const })))
    report(index + 1, ids.length)
  }
  return { dumps: ids.length, findings }
}
