import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createRedaction, type Redactor, TenfoldError } from '@tenfold/core'
import { measureBundle, type ReportFailure, type ReportRow, reportRow } from '@tenfold/measure'
import type { CommandContext } from '../terminal/command-context.ts'
import { progressLine } from '../terminal/progress.ts'
import { replaceFile } from '../terminal/replace-file.ts'
import { messageOf } from '../terminal/thrown.ts'
import { failureOfSource, type ReportSource, type SourcedBundle } from './report-sources.ts'

export interface MadeRows {
  readonly rows: readonly ReportRow[]
  readonly failures: readonly ReportFailure[]
}

export interface RowOptions extends CommandContext {
  readonly redactors: readonly Redactor[]
  readonly pages?: string | undefined
}

/** Measures one source after the other, so that only one session is in memory. Throws if it is interrupted. */
export async function makeRows(sources: readonly ReportSource[], options: RowOptions): Promise<MadeRows> {
  const { terminal, signal, redactors, pages } = options
  const progress = progressLine(terminal, true)
  const redaction = createRedaction(redactors)
  const rows: ReportRow[] = []
  const failures: ReportFailure[] = []
  for (const [at, source] of sources.entries()) {
    signal.throwIfAborted()
    progress.show('measure', () => `measured ${at} of ${sources.length}`)
    try {
      const sourced = await source.load()
      const page = pages === undefined ? undefined : await writePage(sourced, pages, redactors)
      const row = redaction.redactValue(rowOf(sourced))
      rows.push({ ...row, ...(page !== undefined && { page }) })
    } catch (error) {
      if (signal.aborted || isOutFailed(error)) throw error
      const { code, message } = failureOfSource(source.name, error)
      failures.push({ log: source.name, code, message })
    }
  }
  progress.clear()
  return { rows, failures }
}

function rowOf({ bundle, session, earlier, from, reason, log }: SourcedBundle): ReportRow {
  if (session === undefined || from === 'bundle')
    return reportRow(bundle, { from: 'bundle', reason: reason ?? 'its log is not here' }, log)
  return reportRow(bundle, { from, measure: measureBundle(session, bundle, earlier) }, log)
}

/** Writes the session's page and returns its path. */
async function writePage(
  { bundle, session }: SourcedBundle,
  folder: string,
  redactors: readonly Redactor[],
): Promise<string | undefined> {
  if (session === undefined) return undefined
  const { renderPage } = await import('@tenfold/view')
  const path = join(folder, `${bundle.id}.html`)
  try {
    await mkdir(folder, { recursive: true })
    await replaceFile(path, [renderPage(session, { bundle, redactors })])
  } catch (cause) {
    if (TenfoldError.isInstance(cause)) return undefined
    throw new TenfoldError('out-failed', `The page cannot be written: ${messageOf(cause)}.`, { cause })
  }
  return path
}

function isOutFailed(error: unknown): boolean {
  return TenfoldError.isInstance(error) && error.code === 'out-failed'
}
