import { describe, expect, it } from 'vitest'
import { faultPlan, type Request, s3StandIn } from './stand-in-s3/index.ts'

const day = new Date().toISOString().replace(/[-:]|\.\d+/g, '')
const empty = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

function signed(changes: Partial<Request> = {}, headers: Record<string, string | undefined> = {}): Request {
  const scope = `AKSTANDIN/${day.slice(0, 8)}/us-east-1/s3/aws4_request`
  const authorization = `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host;x-amz-content-sha256;x-amz-date, Signature=${'0'.repeat(64)}`
  const all = {
    host: 'x',
    authorization,
    'x-amz-date': day,
    'x-amz-content-sha256': empty,
    'content-length': '0',
  }
  return {
    method: 'PUT',
    path: '/bucket/key',
    query: '',
    body: Buffer.alloc(0),
    headers: { ...all, ...headers },
    ...changes,
  }
}

describe('the strict stand-in', () => {
  const refused: [string, Request, RegExp][] = [
    ['no signature', signed({}, { authorization: undefined }), /AccessDenied/],
    [
      'a broken signature',
      signed({}, { authorization: 'AWS4-HMAC-SHA256 x' }),
      /AuthorizationHeaderMalformed/,
    ],
    ['a header that is not signed', signed({}, { 'x-amz-meta-a': '1' }), /not signed/],
    ['another body', signed({ body: Buffer.from('x') }), /ContentSHA256Mismatch/],
    [
      'a streamed body',
      signed({}, { 'x-amz-content-sha256': 'STREAMING-UNSIGNED-PAYLOAD-TRAILER' }),
      /MissingContentLength/,
    ],
    ['a chunked body', signed({}, { 'content-encoding': 'aws-chunked' }), /MissingContentLength/],
    ['a wrong length', signed({}, { 'content-length': '5' }), /IncompleteBody/],
    ['another bucket', signed({ path: '/other/key' }), /NoSuchBucket/],
    ['a key that is too long', signed({ path: `/bucket/${'a'.repeat(1025)}` }), /KeyTooLong/],
    ['an If-Match of nothing', signed({}, { 'if-match': 'x' }), /NoSuchKey/],
  ]
  for (const [what, request, expected] of refused)
    it(`refuses ${what}`, () => {
      const reply = s3StandIn().respond(request)
      expect(reply.body.toString()).toMatch(expected)
    })

  it('accepts a correct request, and refuses a second If-None-Match', () => {
    const standIn = s3StandIn()
    expect(standIn.respond(signed({}, { 'if-none-match': '*' })).status).toBe(200)
    expect(standIn.respond(signed({}, { 'if-none-match': '*' })).status).toBe(412)
  })

  it('refuses clocks that differ by more than 15 minutes', () => {
    const standIn = s3StandIn({ clockOffsetMs: 16 * 60_000 })
    expect(standIn.respond(signed()).body.toString()).toMatch(/RequestTimeTooSkewed/)
    expect(s3StandIn({ clockOffsetMs: 14 * 60_000 }).respond(signed()).status).toBe(200)
  })
})

describe('a fault plan', () => {
  const drawn = (seed: number): unknown[] => {
    const plan = faultPlan(seed, 0.5)
    return Array.from({ length: 40 }, () => plan.next(signed()))
  }

  it('is the same for the same seed, and different for another', () => {
    expect(drawn(3)).toEqual(drawn(3))
    expect(drawn(3)).not.toEqual(drawn(4))
  })
})
