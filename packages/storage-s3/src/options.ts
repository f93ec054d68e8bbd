import type { S3Client, S3ClientConfig } from '@aws-sdk/client-s3'
import { StorageError } from '@tenfold/core/storage'
import type { RetryTimes } from './retry.ts'

/** Which conditional puts a store supports; see {@link S3StorageOptions.conditions}. */
export type Conditions = 'full' | 'create-only'

/** How objects are encrypted in the store. */
export type Encryption = 'AES256' | 'aws:kms' | 'aws:kms:dsse'

/** Options of {@link s3Storage}. */
export interface S3StorageOptions {
  /** Name of the bucket. */
  readonly bucket: string
  /** Folder in the bucket, without slashes at its ends. @default the whole bucket */
  readonly prefix?: string
  /** URL of a store other than AWS: `https://s3.example.com`. @default AWS, or AWS_ENDPOINT_URL_S3 */
  readonly endpoint?: string
  /** @default from the environment or the AWS configuration; `us-east-1` with an endpoint */
  readonly region?: string
  /** Put the bucket into the path instead of the host name. @default true with an endpoint */
  readonly forcePathStyle?: boolean
  /** @default what the AWS SDK finds in the environment, configuration files or the machine's role */
  readonly credentials?: NonNullable<S3ClientConfig['credentials']>
  /** A client to use instead of a new one. `close` leaves it open; options that configure a client are not allowed. */
  readonly client?: S3Client
  /** @default the bucket's setting */
  readonly serverSideEncryption?: Encryption
  /** Key for `aws:kms` and `aws:kms:dsse`. @default the AWS-managed key */
  readonly kmsKeyId?: string
  /**
   * Which conditional puts the store supports: `probe` tests this before the first put that replaces an object, `full`
   * assumes `If-None-Match: *` and `If-Match`, `create-only` assumes only the first. @default 'probe'
   */
  readonly conditions?: 'probe' | Conditions
  /** @default 6 attempts, from 100 ms to 5 s between them, 30 s of silence on a connection */
  readonly retry?: Partial<RetryTimes>
}

const conditionModes = ['probe', 'full', 'create-only']
const encryptions = ['AES256', 'aws:kms', 'aws:kms:dsse']
const maxPrefixBytes = 900

/** Checks the options and returns the prefix of keys, `''` or `a/b/`. Throws StorageError for an invalid option. */
export function checkOptions(options: S3StorageOptions): string {
  const { bucket, endpoint, region, conditions, serverSideEncryption, kmsKeyId, client } = options
  if (typeof bucket !== 'string' || !/^[^\s/\\?#]{1,255}$/.test(bucket))
    throw bad(`expected the name of a bucket, got ${JSON.stringify(bucket)}`)
  if (endpoint !== undefined) checkEndpoint(endpoint)
  if (region === '') throw bad('the region is empty; leave it out or give one')
  if (conditions !== undefined && !conditionModes.includes(conditions))
    throw bad(
      `expected conditions to be one of ${conditionModes.join(', ')}, got ${JSON.stringify(conditions)}`,
    )
  if (serverSideEncryption !== undefined && !encryptions.includes(serverSideEncryption))
    throw bad(
      `expected the encryption to be one of ${encryptions.join(', ')}, got ${JSON.stringify(serverSideEncryption)}`,
    )
  if (kmsKeyId !== undefined && !serverSideEncryption?.startsWith('aws:kms'))
    throw bad('a KMS key needs the encryption aws:kms or aws:kms:dsse')
  const settings = ['endpoint', 'region', 'forcePathStyle', 'credentials'] as const
  const unused = settings.filter((name) => options[name] !== undefined)
  if (client !== undefined && unused.length > 0)
    throw bad(`${unused.join(', ')} cannot be set together with a client; set it in the client`)
  return checkPrefix(options.prefix ?? '')
}

function checkEndpoint(endpoint: string): void {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined
  if (url === undefined || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    throw bad('expected the endpoint to be a URL such as https://s3.example.com')
  if (url.username !== '' || url.password !== '')
    throw bad(
      'the endpoint contains a user or a password; pass credentials by the environment or by `credentials`',
    )
  if (url.search !== '' || url.hash !== '') throw bad('the endpoint has a query or a fragment; leave it out')
}

/** Refuses segments that a proxy or the SDK could interpret, so that no object gets outside the given folder. */
function checkPrefix(prefix: string): string {
  const trimmed = prefix.replace(/^\/|\/$/g, '')
  if (trimmed === '') return ''
  const shown = JSON.stringify(prefix.slice(0, 100))
  if (!trimmed.isWellFormed() || /[\u0000-\u001f\u007f\\]/.test(trimmed))
    throw bad(`the prefix ${shown} contains a control character, a backslash or a lone surrogate`)
  if (trimmed.split('/').some((part) => part === '' || part === '.' || part === '..'))
    throw bad(`the prefix ${shown} has an empty segment, "." or ".."`)
  if (Buffer.byteLength(trimmed) > maxPrefixBytes)
    throw bad(`the prefix is longer than ${maxPrefixBytes} bytes`)
  return `${trimmed}/`
}

export function bad(reason: string): StorageError {
  return new StorageError('', `bad S3 settings: ${reason}.`)
}
