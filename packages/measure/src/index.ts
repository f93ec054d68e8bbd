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
