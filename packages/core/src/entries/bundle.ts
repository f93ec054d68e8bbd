// Bundles and briefs alone. Loads no module of Node, so that pages and edge functions can use it.

export { type CountedBriefOptions as BriefOptions, countedBrief as renderBrief } from '../brief/brief.ts'
export { type BundleKind, bundleKinds, type SessionState } from '../bundle/bundle-names.ts'
export type { BundleCost, BundleUsage } from '../bundle/compression-schema.ts'
export { bundleFromMarkdown, bundleToMarkdown } from '../bundle/markdown.ts'
export { parseBundle } from '../bundle/parse-bundle.ts'
export type {
  BundleCommand,
  BundleCompression,
  BundleError,
  BundleFile,
  BundleGit,
  BundleNote,
  BundleProjectRule,
  BundleSource,
  BundleValidation,
} from '../bundle/schema.ts'
export { bundleJsonSchema, bundleSchema, type ContextBundle, type TrailEntry } from '../bundle/schema.ts'
export type { Decision, NextStep } from '../bundle/session-summary.ts'
export { type ErrorCode, InvalidBundleError, TenfoldError } from '../errors.ts'
export type { TokenCounter } from '../tokens/token-counter.ts'
