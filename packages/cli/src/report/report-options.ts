import type { Reader } from '@tenfold/core'
import type { RedactOptions } from '../options/redact-options.ts'

export const reportFormats = ['text', 'md', 'json', 'html', 'junit'] as const
export type ReportFormat = (typeof reportFormats)[number]

/** Options of `tenfold report`, parsed and checked. */
export interface ReportCommandOptions extends RedactOptions {
  readonly store: string
  readonly format: ReportFormat
  /** Files to write, each in the format of its name, otherwise in `format`. */
  readonly output?: readonly string[] | undefined
  /** Folder for a page of each session. */
  readonly pages?: string | undefined
  readonly maxRatio?: number | undefined
  readonly minRetention?: number | undefined
  readonly minFaithfulness?: number | undefined
  readonly maxCost?: number | undefined
  readonly maxFailures?: number | undefined
  /** File of an earlier report. */
  readonly baseline?: string | undefined
  readonly tolerance: number
  /** Shows the weeks and projects since then instead. */
  readonly since?: Date | undefined
  /** File of the price table that a history uses. */
  readonly prices?: string | undefined
}

/** Options of a report that measures bundles. */
export type MeasureOptions = ReportCommandOptions & { readonly readers: readonly Reader[] }

/** The format of an output file, by the end of its name. */
export function formatOf(path: string, otherwise: ReportFormat): ReportFormat {
  const ends: Readonly<Record<string, ReportFormat>> = {
    html: 'html',
    htm: 'html',
    json: 'json',
    md: 'md',
    xml: 'junit',
    txt: 'text',
  }
  return ends[/\.([a-z]+)$/i.exec(path)?.[1]?.toLowerCase() ?? ''] ?? otherwise
}
