// The public surface of @tenfold/storage-s3. Everything else is internal.

export type { Conditions, Encryption, S3StorageOptions } from './options.ts'
export type { RetryTimes } from './retry.ts'
export { type S3Storage, s3Storage } from './s3-storage.ts'
export { parseS3Url, s3StorageFromUrl } from './s3-url.ts'
