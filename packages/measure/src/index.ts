// The public surface of @tenfold/measure: anything not listed here is internal.

// Measure a bundle against its session.

export {
  type BundleMeasure,
  meanShare,
  measureBundle,
  type RetentionClass,
  retentionClasses,
} from './measure-bundle.ts'
export { type Precision, type PrecisionClass, precisionClasses } from './precision.ts'
export { type Score, scoreOf, shareOf } from './score.ts'

// The same measures for any text about a session, such as another tool's summary.

export { deriveFacts } from './facts/derive-facts.ts'
export { parseReferenceFacts, type ReferenceFacts } from './facts/reference-facts.ts'
export { identifiersOf } from './identifiers.ts'
export {
  isKnownCommand,
  type MetricName,
  measureText,
  metricNames,
  type Scores,
  type Yardstick,
  yardstickOf,
} from './measure-text.ts'
export { type CommandReason, type NextCommand, nextCommands } from './next-commands.ts'
export { eventLines } from './session-text.ts'

// Reports over many bundles.

export { percent, type ReportLimits } from './report/check-limits.ts'
export type { ComparedReport } from './report/compare-reports.ts'
export { markdownTable } from './report/markdown-table.ts'
export { type ReportOptions, report } from './report/report.ts'
export {
  groupCells,
  groupHead,
  kindCells,
  kindHead,
  rowCells,
  rowHead,
  totalSentences,
} from './report/report-figures.ts'
export { type Measured, reportRow } from './report/report-row.ts'
export {
  type BundleReport,
  type GroupKey,
  groupKeys,
  parseReport,
  type ReportBreach,
  type ReportComparison,
  type ReportFailure,
  type ReportGroup,
  type ReportRow,
  reportJsonSchema,
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
export { decisionText, historyTitle, openText, partCells, partHead } from './history/history-figures.ts'
export { historyToMarkdown } from './history/history-to-markdown.ts'
