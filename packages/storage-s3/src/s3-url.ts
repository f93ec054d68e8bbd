import { bad, type Encryption, type S3StorageOptions } from './options.ts'
import { type S3Storage, s3Storage } from './s3-storage.ts'

const form = 's3://bucket/prefix?endpoint=https://s3.example.com&region=eu-west-1'
const parameters = ['endpoint', 'region', 'path-style', 'sse', 'kms-key-id', 'conditions']

/**
 * A storage for `s3://bucket/prefix?endpoint=…&region=…&path-style=1&sse=aws:kms&kms-key-id=…&conditions=full`. The
 * prefix is percent-decoded. `options` add what a URL must not contain. Throws StorageError if the URL is invalid.
 */
export function s3StorageFromUrl(
  url: string,
  options: Pick<S3StorageOptions, 'credentials' | 'retry'> = {},
): S3Storage {
  return s3Storage({ ...parseS3Url(url), ...options })
}

/** Parses the options in an `s3://` URL. Throws StorageError, whose message never repeats credentials. */
export function parseS3Url(url: string): S3StorageOptions {
  // Not `new URL`, which would resolve ".." in the prefix.
  const [, bucket, prefix = '', query = ''] =
    /^s3:\/\/([^/?#]+)(?:\/([^?#]*))?(?:\?([^#]*))?$/i.exec(url) ?? []
  if (bucket === undefined)
    throw bad(`expected a URL of the form ${form}${url.includes('#') ? ' (write "#" as %23)' : ''}`)
  if (bucket.includes('@'))
    throw bad(
      'the URL contains credentials; pass them by AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or a profile',
    )
  const values = readQuery(query)
  const [endpoint, region, kmsKeyId] = ['endpoint', 'region', 'kms-key-id'].map((name) => values.get(name))
  const sse = values.get('sse')
  const conditions = values.get('conditions')
  const forcePathStyle = readSwitch(values.get('path-style'))
  return {
    bucket,
    prefix: decodePrefix(prefix),
    ...(endpoint !== undefined && { endpoint }),
    ...(region !== undefined && { region }),
    ...(forcePathStyle !== undefined && { forcePathStyle }),
    // Checked later, with the other options.
    ...(sse !== undefined && { serverSideEncryption: sse as Encryption }),
    ...(kmsKeyId !== undefined && { kmsKeyId }),
    ...(conditions !== undefined && {
      conditions: conditions as NonNullable<S3StorageOptions['conditions']>,
    }),
  }
}

function readQuery(query: string): Map<string, string> {
  const values = new Map<string, string>()
  for (const [name, value] of new URLSearchParams(query)) {
    const shown = JSON.stringify(name.slice(0, 40))
    if (!parameters.includes(name)) throw bad(`the URL sets ${shown}; known are ${parameters.join(', ')}`)
    if (values.has(name)) throw bad(`the URL sets ${shown} twice`)
    if (value === '') throw bad(`the URL sets ${shown} to an empty value`)
    values.set(name, value)
  }
  return values
}

function readSwitch(value: string | undefined): boolean | undefined {
  if (value === undefined) return undefined
  if (value === '1' || value === 'true') return true
  if (value === '0' || value === 'false') return false
  throw bad(`expected path-style to be 1 or 0, got ${JSON.stringify(value.slice(0, 40))}`)
}

function decodePrefix(prefix: string): string {
  try {
    return decodeURIComponent(prefix)
  } catch (cause) {
    if (cause instanceof URIError)
      throw bad('the prefix in the URL has a "%" that does not begin an escape; write "%" as %25')
    throw cause
  }
}
