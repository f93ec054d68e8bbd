import { createHash } from 'node:crypto'
import { checkSignature } from './check-signature.ts'
import { listReply } from './list-reply.ts'
import { errorReply, type Reply, type Request } from './message.ts'

/** How the stand-in behaves; all stores differ in these. */
export interface StandInOptions {
  readonly bucket?: string
  readonly region?: string
  readonly accessKey?: string
  /** `no-if-match` and `no-conditions` answer 501 to unsupported conditions, `ignores-…` 200. @default 'full' */
  readonly conditions?: 'full' | 'no-if-match' | 'ignores-if-match' | 'no-conditions' | 'ignores-conditions'
  /** Spelling of the etag that an `If-Match` must have: Ceph 16 accepts only the bare one. @default 'either' */
  readonly etags?: 'either' | 'bare' | 'quoted'
  readonly pageSize?: number
  /** Number of changes after which a new key appears in a listing: S3 itself has no such delay. @default 0 */
  readonly listLag?: number
  /** How far its clock is ahead of this one. */
  readonly clockOffsetMs?: number
}

interface Held {
  readonly bytes: Buffer
  readonly etag: string
  readonly metadata: Readonly<Record<string, string>>
  readonly since: number
}

/** A bucket in memory that answers requests like S3. Each request takes effect at once. */
export interface S3StandIn {
  readonly options: StandInOptions
  respond(request: Request): Reply
  /** Keys and bytes, for tests that look behind the protocol. */
  readonly objects: Map<string, Held>
  /** Answered requests, by method and first condition: `PUT if-match`. */
  readonly counts: Map<string, number>
}

export const standInKeys = { accessKeyId: 'AKSTANDIN', secretAccessKey: 'SKSTANDIN' }

export function s3StandIn(options: StandInOptions = {}): S3StandIn {
  const { bucket = 'bucket', region = 'us-east-1', accessKey = standInKeys.accessKeyId } = options
  const objects = new Map<string, Held>()
  const counts = new Map<string, number>()
  let changes = 0

  function checkConditions(request: Request, held: Held | undefined): Reply | undefined {
    const { 'if-none-match': absent, 'if-match': match } = request.headers
    const mode = options.conditions ?? 'full'
    const unknown = errorReply(
      501,
      'NotImplemented',
      'A header you provided implies functionality that is not implemented.',
    )
    if ((absent ?? match) === undefined || mode === 'ignores-conditions') return undefined
    if (mode === 'no-conditions' || (match !== undefined && mode === 'no-if-match')) return unknown
    if (absent !== undefined && absent !== '*') return unknown
    const failed = (condition: string): Reply =>
      errorReply(412, 'PreconditionFailed', 'At least one of the pre-conditions you specified did not hold', {
        Condition: condition,
      })
    if (absent !== undefined && held !== undefined) return failed('If-None-Match')
    if (match === undefined || mode === 'ignores-if-match') return undefined
    if (held === undefined) return errorReply(404, 'NoSuchKey', 'The specified key does not exist.')
    const spellings = { either: [held.etag, `"${held.etag}"`], bare: [held.etag], quoted: [`"${held.etag}"`] }
    return spellings[options.etags ?? 'either'].includes(match) ? undefined : failed('If-Match')
  }

  function put(request: Request, key: string): Reply {
    const { headers, body } = request
    if (
      headers['content-encoding']?.includes('aws-chunked') ||
      headers['x-amz-decoded-content-length'] !== undefined
    )
      return errorReply(411, 'MissingContentLength', 'You must provide the Content-Length HTTP header.')
    if (Number(headers['content-length']) !== body.byteLength)
      return errorReply(400, 'IncompleteBody', 'The request body is shorter than its length says.')
    const refused = checkConditions(request, objects.get(key))
    if (refused !== undefined) return refused
    const metadata = Object.fromEntries(
      Object.entries(headers).filter((entry): entry is [string, string] =>
        entry[0].startsWith('x-amz-meta-'),
      ),
    )
    const size = Object.entries(metadata).reduce(
      (sum, [name, value]) => sum + name.length - 11 + value.length,
      0,
    )
    if (size > 2048)
      return errorReply(400, 'MetadataTooLarge', 'Your metadata headers exceed the maximum allowed size.')
    const etag = createHash('md5').update(body).digest('hex')
    changes += 1
    objects.set(key, { bytes: Buffer.from(body), etag, metadata, since: objects.get(key)?.since ?? changes })
    return { status: 200, headers: { etag: `"${etag}"` }, body: Buffer.alloc(0) }
  }

  function get(key: string, head: boolean): Reply {
    const held = objects.get(key)
    if (held === undefined)
      return head
        ? { status: 404, headers: {}, body: Buffer.alloc(0) }
        : errorReply(404, 'NoSuchKey', 'The specified key does not exist.', { Key: key })
    const headers = {
      etag: `"${held.etag}"`,
      'content-length': String(held.bytes.byteLength),
      ...held.metadata,
    }
    return { status: 200, headers, body: head ? Buffer.alloc(0) : held.bytes }
  }

  function list(query: string): Reply {
    const shown = [...objects]
      .filter(([, held]) => held.since <= changes - (options.listLag ?? 0))
      .map(([key, { bytes, etag }]) => ({ key, etag, size: bytes.byteLength }))
    return listReply(bucket, new URLSearchParams(query), shown, options.pageSize ?? 1000)
  }

  function respond(request: Request): Reply {
    const { method, path, query, headers } = request
    const condition = headers['if-match'] ? ' if-match' : headers['if-none-match'] ? ' if-none-match' : ''
    counts.set(`${method}${condition}`, (counts.get(`${method}${condition}`) ?? 0) + 1)
    const now = Date.now() + (options.clockOffsetMs ?? 0)
    const refused = checkSignature(request, { accessKey, region, now })
    if (refused !== undefined) return refused
    const [, name, rest] = /^\/([^/]+)\/?(.*)$/s.exec(path) ?? []
    if (name === undefined || decodeURIComponent(name) !== bucket)
      return errorReply(404, 'NoSuchBucket', 'The specified bucket does not exist', {
        BucketName: name ?? '',
      })
    if (rest === undefined || rest === '')
      return method === 'GET'
        ? list(query)
        : errorReply(501, 'NotImplemented', 'The stand-in knows one bucket.')
    const key = decodeURIComponent(rest)
    if (Buffer.byteLength(key) > 1024) return errorReply(400, 'KeyTooLongError', 'Your key is too long')
    if (method === 'GET' || method === 'HEAD') return get(key, method === 'HEAD')
    if (method === 'PUT') return put(request, key)
    if (method !== 'DELETE') return errorReply(405, 'MethodNotAllowed', 'The specified method is not allowed')
    if (objects.delete(key)) changes += 1
    return { status: 204, headers: {}, body: Buffer.alloc(0) }
  }

  return {
    options,
    objects,
    counts,
    respond(request) {
      const reply = respond(request)
      const date = new Date(Date.now() + (options.clockOffsetMs ?? 0)).toUTCString()
      return { ...reply, headers: { 'x-amz-request-id': 'stand-in', date, ...reply.headers } }
    },
  }
}
