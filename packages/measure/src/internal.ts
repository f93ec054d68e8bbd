// Only for Tenfold's other packages. May change in any version.

export { deriveFacts, type ReferenceFacts } from './facts/derive-facts.ts'
export { identifiersOf } from './faithfulness.ts'
export { retentionClasses } from './measure-bundle.ts'
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
export { precisionClasses } from './precision.ts'
export { markdownTable } from './report/blocks.ts'
export { reportJsonSchema } from './report/report-schema.ts'
export { scoreOf } from './score.ts'
export { eventLines } from './session-text.ts'
