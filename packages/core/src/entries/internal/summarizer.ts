// Exports for Tenfold's own summarizers.

export { emptySummary, itemForm, type WrittenForm } from '../../bundle/section-contents.ts'
export type { StatementKey } from '../../bundle/sections.ts'
export { checkHint, rerunHint, toRun } from '../../bundle/session-summary.ts'
export { isErrand, isRemark, onlyGoesOn, wantsToKnow } from '../../facts/answers/errands.ts'
export { failingCheck, mayComeNext } from '../../facts/commands/next-command.ts'
export { isReview } from '../../facts/constraints/quoted-lines.ts'
export { sentencesOfLine, splitSentences } from '../../facts/constraints/sentences.ts'
export { isOpenError } from '../../facts/facts.ts'
export { splitPasted } from '../../facts/pasted.ts'
export { planTitle, withListInline, withoutMarkup, withShortNames } from '../../facts/session-title.ts'
export { askingPart, asksNothing } from '../../facts/state/last-turn.ts'
export { isUnfinished, othersFault, titlesUnfinished } from '../../facts/state/unfinished.ts'
export { sumsUp } from '../../plan/condense.ts'
export { isDecisive } from '../../plan/decisive-lines.ts'
export { cleanLine, cleanText } from '../../session/clean-text.ts'
export { cutHead } from '../../session/cut-text.ts'
export { eventIndex } from '../../session/event.ts'
export { fields as fieldsOf, list as listOf, parse, text as stringOf } from '../../session/json.ts'
export { known } from '../../session/known.ts'
export { atOnce, pausing, type Steps } from '../../session/pauses.ts'
export { type Entry, mapLists } from '../../summarize/summary-lists.ts'
export {
  numberStatements,
  type Statement,
  type SummaryDelta,
  updateSummary,
} from '../../summarize/update-summary.ts'
export { textsOfJson, titlesOfJson } from '../../text/json-texts.ts'
export { type CueFinder, cueFinder } from '../../text/read-cues.ts'
export { tiktokenCounter } from '../../tokens/tiktoken-counter.ts'
