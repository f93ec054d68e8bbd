import { StorageError } from '@tenfold/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { keysOf } from '../../core/test/support/stored.ts'
import { type S3StorageOptions, s3Storage } from '../src/index.ts'
import {
  errorReply,
  type Reply,
  type StandInOptions,
  type StandInServer,
  s3StandIn,
  serveStandIn,
  standInKeys,
} from './stand-in-s3/index.ts'

const retry = { attempts: 3, firstDelayMs: 1, maxDelayMs: 2, idleMs: 3_000 }
const warnings: Error[] = []
const note = (warning: Error): void => void warnings.push(warning)
let answer: Reply | 'silence' | undefined
let server: StandInServer
let asked = 0

beforeAll(async () => {
  process.on('warning', note)
  server = await serveStandIn(s3StandIn(), {
    plan: { given: new Map(), pick: () => 0, next: () => (answer === 'silence' ? 'time-out' : undefined) },
    answer() {
      asked += 1
      return answer === 'silence' ? undefined : answer
    },
  })
})
afterAll(async () => {
  process.off('warning', note)
  await server.close()
})

async function failureOf(options: Partial<S3StorageOptions> = {}): Promise<StorageError> {
  const storage = s3Storage({
    ...{ bucket: 'bucket', endpoint: server.endpoint, credentials: standInKeys, retry },
    ...options,
  })
  try {
    await storage.get('a/b')
  } catch (error) {
    if (error instanceof StorageError) return error
    throw error
  } finally {
    storage.close()
  }
  throw new Error('expected a failure')
}

const answers: [Reply, RegExp, boolean][] = [
  [errorReply(404, 'NoSuchBucket', 'x'), /there is no bucket "bucket"; create it/, false],
  [errorReply(403, 'AccessDenied', 'x'), /permission was denied; s3:GetObject .* s3:ListBucket/, false],
  [errorReply(403, 'InvalidAccessKeyId', 'x'), /does not know the access key/, false],
  [errorReply(403, 'SignatureDoesNotMatch', 'x'), /secret key does not match/, false],
  [errorReply(400, 'ExpiredToken', 'x'), /credentials have expired/, false],
  [
    errorReply(301, 'PermanentRedirect', 'x', {}, { 'x-amz-bucket-region': 'eu-west-1' }),
    /in region eu-west-1/,
    false,
  ],
  [errorReply(301, 'PermanentRedirect', 'x'), /in another region/, false],
  [
    errorReply(
      400,
      'AuthorizationHeaderMalformed',
      "the region 'us-east-1' is wrong; expecting 'eu-south-2'",
    ),
    /in region eu-south-2; set that region/,
    false,
  ],
  [errorReply(503, 'SlowDown', 'x'), /asks for fewer requests, after several tries.*SlowDown/, true],
  [errorReply(503, 'ServiceUnavailable', 'x'), /fewer requests/, true],
  [errorReply(500, 'InternalError', 'x'), /the store failed, after several tries/, true],
  [errorReply(501, 'NotImplemented', 'The store cannot'), /The store cannot \(NotImplemented\)/, false],
  [errorReply(403, 'QuotaExceeded', 'x'), /quota/, false],
  [errorReply(400, 'KMS.DisabledException', 'the key is\n disabled.'), /the key is disabled \(KMS/, false],
  [
    {
      status: 200,
      headers: { 'content-length': '10', 'x-amz-meta-tenfold-sha256': 'a'.repeat(64) },
      body: Buffer.alloc(10),
    },
    /the bytes differ from those that were put/,
    false,
  ],
  [
    { status: 404, headers: { 'content-type': 'text/html' }, body: Buffer.from('<html>no</html>') },
    /HTTP 404|NotFound|html/i,
    false,
  ],
]

describe('an answer of the store', () => {
  for (const [reply, expected, retryable] of answers)
    it(`is reported as ${expected.source}`, async () => {
      answer = reply
      asked = 0
      const error = await failureOf()
      answer = undefined
      expect(error.message).toMatch(expected)
      expect(error.message).toMatch(/^cannot read a\/b in s3:\/\/bucket: [^\n]*[^.]\.$/)
      expect(error).toMatchObject({ retryable, key: 'a/b' })
      expect(error.cause).toBeDefined()
      const repeated = retryable || /the bytes differ/.test(error.message)
      expect(asked).toBe(repeated ? retry.attempts : 1)
    })

  it('is awaited no longer than the idle time', async () => {
    answer = 'silence'
    const start = performance.now()
    const error = await failureOf({ retry: { ...retry, idleMs: 500 } })
    answer = undefined
    expect(error).toMatchObject({ retryable: true, message: /did not answer in time/ })
    expect(performance.now() - start).toBeLessThan(60_000)
  })
})

describe('assertWritable', () => {
  it('throws what a put would, before anything is stored', async () => {
    for (const conditions of ['probe', 'full', 'create-only'] as const) {
      const storage = s3Storage({
        ...{ bucket: 'bucket', endpoint: server.endpoint, credentials: standInKeys, retry, conditions },
      })
      await storage.assertWritable?.('a/b')
      const keys = await keysOf(storage)
      expect(keys).toEqual([])
      answer = errorReply(403, 'AccessDenied', 'x')
      await expect(storage.assertWritable?.('a/b')).rejects.toThrow(
        /^cannot write a\/b in s3:\/\/bucket: permission was denied/,
      )
      answer = undefined
      storage.close()
    }
  })
})

describe('settings that do not fit the store', () => {
  async function failureAt(behaviour: StandInOptions, options: Partial<S3StorageOptions>): Promise<string> {
    const other = await serveStandIn(s3StandIn(behaviour))
    try {
      return (await failureOf({ endpoint: other.endpoint, ...options })).message
    } finally {
      await other.close()
    }
  }

  it('are reported: bucket, access key, region', async () => {
    expect(await failureAt({ bucket: 'other' }, {})).toMatch(/there is no bucket/)
    expect(await failureAt({ accessKey: 'AKOTHER' }, {})).toMatch(/does not know the access key/)
    expect(await failureAt({ region: 'eu-central-1' }, { region: 'us-west-2' })).toMatch(
      /in region eu-central-1/,
    )
  })

  it('do not show the secret', async () => {
    const credentials = { accessKeyId: 'AKNOBODY', secretAccessKey: 'very-secret-value' }
    expect(await failureAt({}, { credentials })).not.toMatch(/very-secret|AKNOBODY/)
  })

  it('are reported if no server listens, and if there is no such host', async () => {
    const gone = await serveStandIn(s3StandIn())
    await gone.close()
    const refused = await failureOf({ endpoint: gone.endpoint })
    expect(refused).toMatchObject({ retryable: true, message: /nothing answers there.*ECONNREFUSED/ })
    const unknown = await failureOf({ endpoint: 'http://no-such-host.invalid' })
    expect(unknown.message).toMatch(/host name is unknown|could not be looked up/)
  })

  it('are reported if there are no credentials, and no region', async () => {
    const before = { ...process.env }
    for (const name of Object.keys(process.env)) if (name.startsWith('AWS_')) delete process.env[name]
    process.env.AWS_EC2_METADATA_DISABLED = 'true'
    process.env.AWS_CONFIG_FILE = process.env.AWS_SHARED_CREDENTIALS_FILE = '/nonexistent/aws'
    try {
      const storage = s3Storage({ bucket: 'bucket', endpoint: server.endpoint, retry })
      await expect(storage.get('a')).rejects.toThrow(/no credentials were found; set AWS_ACCESS_KEY_ID/)
      const nowhere = s3Storage({ bucket: 'bucket', credentials: standInKeys, retry })
      await expect(nowhere.get('a')).rejects.toThrow(/no region is set/)
    } finally {
      process.env = before
    }
  })
})

describe('a wrong clock', () => {
  it('is corrected by the answer of the store', async () => {
    for (const clockOffsetMs of [-3_600_000, 3_600_000]) {
      const other = await serveStandIn(s3StandIn({ clockOffsetMs }))
      const storage = s3Storage({
        bucket: 'bucket',
        endpoint: other.endpoint,
        credentials: standInKeys,
        retry,
      })
      expect(await storage.get('a')).toBeUndefined()
      storage.close()
      await other.close()
    }
  })

  it('is reported if the correction does not help', async () => {
    answer = errorReply(403, 'RequestTimeTooSkewed', 'x')
    const error = await failureOf()
    answer = undefined
    expect(error.message).toMatch(/clock of this machine is wrong/)
  })
})

it('no notice of the SDK about Node versions is printed by any of this', () => {
  expect(warnings.map(String)).toEqual([])
  expect(process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED).toBeUndefined()
})
