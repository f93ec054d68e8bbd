import { StorageError } from '@tenfold/core'
import { describe, expect, it } from 'vitest'
import { parseS3Url, s3StorageFromUrl } from '../src/index.ts'

describe('parseS3Url', () => {
  it('reads bucket, prefix and settings', () => {
    expect(parseS3Url('s3://bucket')).toEqual({ bucket: 'bucket', prefix: '' })
    expect(parseS3Url('S3://bucket/')).toEqual({ bucket: 'bucket', prefix: '' })
    expect(parseS3Url('s3://my.bucket-1/a%20b/50%25+%C3%BC/c?')).toEqual({
      bucket: 'my.bucket-1',
      prefix: 'a b/50%+\u00fc/c',
    })
    expect(
      parseS3Url(
        's3://b/p?endpoint=https%3A%2F%2Fs3.example.com%3A9000&region=eu-west-1&path-style=0&sse=aws:kms&kms-key-id=k&conditions=full',
      ),
    ).toEqual({
      bucket: 'b',
      prefix: 'p',
      endpoint: 'https://s3.example.com:9000',
      region: 'eu-west-1',
      forcePathStyle: false,
      serverSideEncryption: 'aws:kms',
      kmsKeyId: 'k',
      conditions: 'full',
    })
    expect(parseS3Url('s3://b?path-style=1&endpoint=http://127.0.0.1:9000')).toMatchObject({
      forcePathStyle: true,
      endpoint: 'http://127.0.0.1:9000',
    })
  })

  const wrong: [string, RegExp][] = [
    ['', /expected a URL of the form s3:/],
    ['https://bucket.s3.amazonaws.com/x', /expected a URL of the form s3:/],
    ['s3:///prefix', /of the form/],
    ['s3://bucket/a#b', /%23/],
    ['s3://AKIA:hidden@bucket/prefix', /contains credentials; pass them by AWS_ACCESS_KEY_ID/],
    ['s3://bucket?regoin=x', /sets "regoin"; known are endpoint, region/],
    ['s3://bucket?region=a&region=b', /"region" twice/],
    ['s3://bucket?region=', /"region" to an empty value/],
    ['s3://bucket?path-style=yes', /path-style to be 1 or 0/],
    ['s3://bucket/100%', /write "%" as %25/],
  ]
  for (const [url, expected] of wrong)
    it(`refuses ${url}`, () => {
      expect(() => parseS3Url(url)).toThrow(expected)
      expect(() => parseS3Url(url)).toThrow(StorageError)
      expect(() => parseS3Url(url)).not.toThrow(/hidden/)
    })
})

describe('s3StorageFromUrl', () => {
  it('makes a storage, and refuses settings that s3Storage refuses', () => {
    const storage = s3StorageFromUrl('s3://bucket/a%20b?endpoint=http://127.0.0.1:1&region=r')
    expect(storage.name).toBe('s3://bucket/a b')
    storage.close()
    expect(() => s3StorageFromUrl('s3://bucket/a/%2e%2e/b')).toThrow(/"\.\."/)
    expect(() => s3StorageFromUrl('s3://bucket?sse=none')).toThrow(/expected the encryption/)
    expect(() => s3StorageFromUrl('s3://bucket?conditions=maybe')).toThrow(/expected conditions/)
    expect(() => s3StorageFromUrl('s3://bucket?endpoint=ftp://x')).toThrow(/endpoint to be a URL/)
  })
})
