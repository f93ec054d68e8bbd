import { createHash } from 'node:crypto'
import { errorReply, type Reply, type Request } from './message.ts'

const fifteenMinutes = 15 * 60 * 1000
const shape =
  /^AWS4-HMAC-SHA256 Credential=([^/,]+)\/(\d{8})\/([^/,]+)\/s3\/aws4_request, ?SignedHeaders=([a-z0-9;-]+), ?Signature=[0-9a-f]{64}$/

/** Checks all of SigV4 except the signature itself: who, where, when, which headers, and the digest of the body. */
export function checkSignature(
  request: Request,
  expected: { readonly accessKey: string; readonly region: string; readonly now: number },
): Reply | undefined {
  const { authorization, 'x-amz-date': date, 'x-amz-content-sha256': digest } = request.headers
  if (authorization === undefined) return errorReply(403, 'AccessDenied', 'Access Denied')
  const [, accessKey, day, region, signed = ''] = shape.exec(authorization) ?? []
  if (accessKey === undefined)
    return errorReply(400, 'AuthorizationHeaderMalformed', 'The authorization header is malformed')
  if (accessKey !== expected.accessKey)
    return errorReply(
      403,
      'InvalidAccessKeyId',
      'The access key Id you provided does not exist in our records.',
    )
  if (region !== expected.region)
    return errorReply(
      400,
      'AuthorizationHeaderMalformed',
      `The authorization header is malformed; the region '${region}' is wrong; expecting '${expected.region}'`,
      { Region: expected.region },
    )
  const time = readDate(date)
  if (time === undefined || !date?.startsWith(day ?? ''))
    return errorReply(403, 'AccessDenied', 'AWS authentication requires a valid Date or x-amz-date header')
  if (Math.abs(time - expected.now) > fifteenMinutes)
    return errorReply(
      403,
      'RequestTimeTooSkewed',
      'The difference between the request time and the current time is too large.',
    )
  const unsigned = Object.keys(request.headers).filter(
    (name) => (name === 'host' || name.startsWith('x-amz-')) && !signed.split(';').includes(name),
  )
  if (unsigned.length > 0)
    return errorReply(
      403,
      'AccessDenied',
      `There were headers present in the request which were not signed: ${unsigned}`,
    )
  if (digest === undefined)
    return errorReply(400, 'InvalidRequest', 'Missing required header x-amz-content-sha256')
  if (digest.startsWith('STREAMING-'))
    return errorReply(411, 'MissingContentLength', 'You must provide the Content-Length HTTP header.')
  if (digest !== 'UNSIGNED-PAYLOAD' && digest !== createHash('sha256').update(request.body).digest('hex'))
    return errorReply(
      400,
      'XAmzContentSHA256Mismatch',
      'The provided x-amz-content-sha256 header does not match what was computed.',
    )
  return undefined
}

function readDate(date: string | undefined): number | undefined {
  const [, ...parts] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(date ?? '') ?? []
  const [year = 0, month = 0, day = 0, hours = 0, minutes = 0, seconds = 0] = parts.map(Number)
  return parts.length === 0 ? undefined : Date.UTC(year, month - 1, day, hours, minutes, seconds)
}
