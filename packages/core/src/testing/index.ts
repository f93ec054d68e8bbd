// The public surface of @tenfold/core/testing: the laws of the contracts, as cases for any test runner, and samples.

export { type CounterCase, counterCases } from './counter-cases.ts'
export { emptyFacts } from './empty-facts.ts'
export type { ReaderCase, ReaderHarness, SampleLog } from './reader-cases.ts'
export { readerCases } from './reader-cases.ts'
export { sampleBundle } from './sample-bundle.ts'
export { type StorageCase, storageCases } from './storage-cases.ts'
export { type SummarizerCase, type SummarizerHarness, summarizerCases } from './summarizer-cases.ts'
