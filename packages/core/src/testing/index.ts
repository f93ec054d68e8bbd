// The public surface of @tenfold/core/testing: laws of the contracts, as cases for any test runner.

export { type CounterCase, counterCases } from './counter-cases.ts'
export { type ReaderCase, type ReaderHarness, readerCases, type SampleLog } from './reader-cases.ts'
export { type StorageCase, storageCases } from './storage-cases.ts'
export { type SummarizerCase, type SummarizerHarness, summarizerCases } from './summarizer-cases.ts'
