// The public surface of @tenfold/measure: anything not listed here is internal.

// Measure a bundle against its session.

export {
  type BundleMeasure,
  type MeasureOptions,
  meanShare,
  measureBundle,
  type RetentionClass,
} from './measure-bundle.ts'
export type { Precision, PrecisionClass } from './precision.ts'
export { type Score, shareOf } from './score.ts'

// Reports over many bundles.

export type { ComparedReport, ReportLimits } from './report/limits.ts'
export { type ReportOptions, report } from './report/report.ts'
export { type Measured, reportRow } from './report/report-row.ts'
export {
  type BundleReport,
  parseReport,
  type ReportBreach,
  type ReportComparison,
  type ReportFailure,
  type ReportGroup,
  type ReportRow,
} from './report/report-schema.ts'
export { reportToJunit } from './report/report-to-junit.ts'
export { type ReportMarkdownOptions, reportToMarkdown } from './report/report-to-markdown.ts'

// What happened over weeks, by project.

export {
  type History,
  type HistoryDecision,
  type HistoryItem,
  type HistoryOptions,
  type HistoryPart,
  historyOf,
  type OpenItem,
} from './history/history.ts'
export { historyToMarkdown } from './history/history-blocks.ts'
