// The public surface of @tenfold/integrations.
export { type Compacted, type CompactOptions, compact } from './compact.ts'
export { type CompactWhenOptions, compactWhen } from './compact-when.ts'
