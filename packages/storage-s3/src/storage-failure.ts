import { StorageError, TenfoldError } from '@tenfold/core/storage'
import { answerOf, BrokenAnswerError, DamagedObjectError, isPassing } from './retry.ts'

export interface FailedStep {
  readonly action: 'read' | 'write' | 'list' | 'delete'
  readonly key: string
  readonly bucket: string
  /** For messages: the name of the storage. */
  readonly name: string
}

const rights = {
  read: 's3:GetObject',
  write: 's3:PutObject',
  list: 's3:ListBucket',
  delete: 's3:DeleteObject',
}
const credentialsHelp = 'check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or the profile'

// https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html
const reasons = new Map<string, string>([
  ['InvalidAccessKeyId', `the store does not know the access key; ${credentialsHelp}, and the endpoint`],
  ['SignatureDoesNotMatch', `the secret key does not match the access key; ${credentialsHelp}`],
  ['ExpiredToken', 'the credentials have expired; sign in again, or renew them'],
  ['InvalidToken', 'the session token is not valid; sign in again, or renew it'],
  ['RequestTimeTooSkewed', 'the clock of this machine is wrong by more than 15 minutes; set it'],
  ['EntityTooLarge', 'the object is larger than the store accepts in one put'],
  ['QuotaExceeded', 'the quota of the bucket or the user is used up; free some space, or raise it'],
  ['InvalidObjectState', 'the object was moved to an archive class; restore it first'],
  ['KeyTooLongError', 'the key is too long; use a shorter prefix'],
  ['InvalidBucketName', 'the store does not accept this bucket name; check it'],
  [
    'MissingContentLength',
    'the store does not accept streamed bodies; pass a client that signs whole bodies',
  ],
])
const systemReasons = new Map<string, string>([
  ['ECONNREFUSED', 'nothing answers there; check the endpoint, and that the store runs'],
  ['ENOTFOUND', 'the host name is unknown; check the endpoint, the region, and path-style'],
  ['EAI_AGAIN', 'the host name could not be looked up; check the network'],
  ['ECONNRESET', 'the connection was cut again and again; check the network'],
  ['ETIMEDOUT', 'the store did not answer in time; check the endpoint and the network'],
])

export function storageFailure(step: FailedStep, cause: unknown): TenfoldError {
  if (TenfoldError.isInstance(cause)) return cause
  const place = step.key === '' ? step.name : `${step.key} in ${step.name}`
  return new StorageError(step.key, `cannot ${step.action} ${place}: ${reasonOf(step, cause)}.`, {
    cause,
    retryable: isPassing(cause) && !(cause instanceof DamagedObjectError),
  })
}

function reasonOf(step: FailedStep, cause: unknown): string {
  const { name, message, status, code } = answerOf(cause)
  const said =
    name === '' || /^\d+$|^(?:Unknown|Error|UnknownError)$/.test(name)
      ? status
        ? `HTTP ${status}`
        : ''
      : name
  const shown = said === '' ? '' : ` (${said})`
  if (cause instanceof BrokenAnswerError) return message
  const region = rightRegion(cause)
  if (
    region !== undefined ||
    name === 'PermanentRedirect' ||
    name === 'AuthorizationHeaderMalformed' ||
    status === 301
  )
    return `the bucket is in ${region === undefined ? 'another region' : `region ${region}`}; set that region${shown}`
  const known = reasons.get(name)
  if (known !== undefined) return `${known}${shown}`
  if (name === 'NoSuchBucket')
    return `there is no bucket ${JSON.stringify(step.bucket)}; create it, or check its name and the endpoint${shown}`
  if (status === 403)
    return `permission was denied; ${rights[step.action]} on the prefix and s3:ListBucket on the bucket are needed${shown}`
  if (status === 401) return `the store requires credentials; ${credentialsHelp}${shown}`
  if (name === 'CredentialsProviderError' || /could not load credentials/i.test(message))
    return `no credentials were found; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE (${oneLine(message)})`
  if (/^region is missing$/i.test(message)) return 'no region is set; set `region`, "?region=" or AWS_REGION'
  if (name === 'SlowDown' || status === 503 || status === 429)
    return `the store asks for fewer requests, after several tries; try again later${shown}`
  if (status !== undefined && status >= 500 && status !== 501)
    return `the store failed, after several tries; try again later${shown}`
  if (name === 'ConditionalRequestConflict' || name === 'OperationAborted')
    return `other writers kept changing it; try again${shown}`
  const system =
    systemReasons.get(code ?? '') ?? (name === 'TimeoutError' ? systemReasons.get('ETIMEDOUT') : undefined)
  if (system !== undefined) return `${system} (${code ?? name})`
  if (code !== undefined && /CERT|SELF_SIGNED|TLS|SSL/.test(code))
    return `the certificate of the endpoint cannot be trusted; give its authority by NODE_EXTRA_CA_CERTS (${code})`
  return `${oneLine(message) || 'it failed without a reason'}${shown}`
}

/** The bucket's region, which S3 reports in a header, a field or the message. */
function rightRegion(cause: unknown): string | undefined {
  if (typeof cause !== 'object' || cause === null) return undefined
  const { Region, $response, message } = cause as Record<string, unknown>
  if (typeof Region === 'string' && Region !== '') return Region
  const headers = ($response as { headers?: Record<string, unknown> } | undefined)?.headers
  const status = answerOf(cause).status ?? 0
  const header = headers?.['x-amz-bucket-region']
  if (status >= 300 && status < 400 && typeof header === 'string') return header
  return /expecting '([a-z0-9-]{1,40})'/.exec(String(message))?.[1]
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, 300).replace(/\.$/, '')
}
