import { cleanLine } from '@tenfold/core'
import type { Failure } from '../terminal/failure.ts'
import { formatNumberOf } from '../terminal/numbers.ts'
import type { Style } from '../terminal/style.ts'
import type { Imported } from './import-item.ts'

/** What importing a path comes to, as `--json` prints it. */
export interface ImportReport {
  readonly imported: readonly Imported[]
  readonly failed: readonly { readonly path: string; readonly error: Failure }[]
  readonly passedOver: readonly { readonly path: string; readonly message: string }[]
}

const names: Readonly<Record<Imported['what'], string>> = {
  bundle: 'bundle',
  'own-bundle': 'bundle of Tenfold',
  checkpoint: 'checkpoint',
  'own-checkpoint': 'checkpoint of Tenfold',
  dump: 'halt dump',
  log: 'log',
}

/** One line for an item, and one for each note about it. */
export function importedLines(
  item: Imported,
  { dryRun, style }: { dryRun: boolean; style: Style },
): string[] {
  const { path, what, outcome, id, track, task, notes } = item
  const where = [track && `track ${track}`, task && `task ${task}`, id].filter(Boolean).join(', ')
  const did = outcome === 'known' ? 'is there already' : dryRun ? 'would be imported' : 'imported'
  const line = `${cleanLine(path)}: ${names[what]} ${did}${where === '' ? '' : `: ${cleanLine(where)}`}`
  return [line, ...(outcome === 'known' ? [] : notes.map((note) => style.dim(`  ${cleanLine(note)}`)))]
}

export function failedLine({ path, error }: ImportReport['failed'][number]): string {
  return `error: ${cleanLine(path)}: ${cleanLine(error.message)}`
}

export function passedOverLines(passedOver: ImportReport['passedOver']): string[] {
  return passedOver.map(({ path, message }) => `${cleanLine(path)}: not imported: it ${cleanLine(message)}`)
}

export function summaryLine(
  { imported, failed, passedOver }: ImportReport,
  { dryRun, path }: { dryRun: boolean; path: string },
): string {
  if (imported.length === 0 && failed.length === 0)
    return `There is nothing to import at ${cleanLine(path)}: no bundle, checkpoint, halt dump or log of a known form.`
  const fresh = imported.filter(({ outcome }) => outcome === 'new')
  const counts = Object.entries(names).flatMap(([what, name]) => {
    const number = fresh.filter((item) => item.what === what).length
    return number === 0 ? [] : [formatNumberOf(number, name)]
  })
  const known = imported.length - fresh.length
  const parts = [
    `${dryRun ? 'Would import' : 'Imported'} ${counts.length === 0 ? 'nothing new' : counts.join(', ')}`,
    ...(known > 0 ? [`${known} there already`] : []),
    ...(failed.length > 0 ? [`${failed.length} failed`] : []),
    ...(passedOver.length > 0 ? [`${formatNumberOf(passedOver.length, 'file')} not imported`] : []),
  ]
  return `${parts.join('; ')}.`
}
