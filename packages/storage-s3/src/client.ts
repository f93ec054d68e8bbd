import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3'
import type { S3StorageOptions } from './options.ts'
import type { RetryTimes } from './retry.ts'

const silence = 'AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'

/**
 * A client for these options that sends each request once. The storage itself retries the requests that are repeatable.
 */
export function makeClient(options: S3StorageOptions, times: RetryTimes): S3Client {
  const { endpoint, region, credentials } = options
  const config: S3ClientConfig = {
    maxAttempts: 1,
    requestHandler: { connectionTimeout: times.idleMs, socketTimeout: times.idleMs },
    ...(region !== undefined && { region }),
    ...(credentials !== undefined && { credentials }),
    ...(endpoint !== undefined && {
      endpoint,
      region: region ?? process.env.AWS_REGION ?? 'us-east-1',
      // Many stores do not support the new SDKs' checksums. The signature covers the body, and reads check a digest.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
    }),
    forcePathStyle: options.forcePathStyle ?? endpoint !== undefined,
  }
  return withoutNodeNotice(() => new S3Client(config))
}

/**
 * Creates a client without the SDK's notice about future Node versions, by setting the SDK's own switch meanwhile. The
 * notice concerns later SDK releases than the one that this package pins.
 */
export function withoutNodeNotice<T>(make: () => T): T {
  const before = process.env[silence]
  process.env[silence] = 'true'
  try {
    return make()
  } finally {
    if (before === undefined) delete process.env[silence]
    else process.env[silence] = before
  }
}
