// The public surface of @tenfold/core/testing: laws of the contracts, as cases for any test runner.

export { type StorageCase, storageCases } from './storage-cases.ts'
