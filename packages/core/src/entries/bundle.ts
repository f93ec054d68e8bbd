// Bundles and briefs without the rest: loads no module of Node, so pages and edge functions can use it.

export { type BriefOptions, renderBrief } from '../brief/brief.ts'
export { newBundleId } from '../bundle/bundle-id.ts'
export { type BundleKind, bundleKinds, type SessionState } from '../bundle/bundle-names.ts'
export { type BundleCost, usageSchema } from '../bundle/compression-schema.ts'
export { bundleFromMarkdown, bundleToMarkdown } from '../bundle/markdown.ts'
export { parseBundle } from '../bundle/parse-bundle.ts'
export { bundleJsonSchema, bundleSchema, type ContextBundle, type TrailEntry } from '../bundle/schema.ts'
export { emptySummary, type SummarySection, summarySections } from '../bundle/section-contents.ts'
export {
  type Decision,
  type NextStep,
  type SessionSummary,
  type SummaryItem,
  sessionSummarySchema,
} from '../bundle/session-summary.ts'
export { type ErrorCode, errorCodes, InvalidBundleError, TenfoldError } from '../errors.ts'
export { cleanLine, cleanText } from '../session/clean-text.ts'
export type { TokenCounter } from '../tokens/token-counter.ts'
