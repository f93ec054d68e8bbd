import { StorageError } from '@tenfold/core'
import { describe, expect, it } from 'vitest'
import { type S3StorageOptions, s3Storage } from '../src/index.ts'
import { s3StandIn } from './stand-in-s3/index.ts'
import { directClient, standInStorage } from './support/storages.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

describe('options', () => {
  const refused: [Partial<S3StorageOptions>, RegExp][] = [
    [{ bucket: '' }, /name of a bucket/],
    [{ bucket: 'a/b' }, /name of a bucket/],
    [{ prefix: 'a//b' }, /empty segment/],
    [{ prefix: 'a/../b' }, /empty segment, "\." or/],
    [{ prefix: 'a\nb' }, /control character/],
    [{ prefix: '\ud800' }, /lone surrogate/],
    [{ prefix: 'x'.repeat(901) }, /longer than 900/],
    [{ endpoint: 's3.example.com' }, /such as https/],
    [{ endpoint: 'https://user:pass@s3.example.com' }, /contains a user or a password/],
    [{ endpoint: 'https://s3.example.com?x=1' }, /query/],
    [{ region: '' }, /region is empty/],
    [{ conditions: 'none' as 'full' }, /expected conditions to be one of/],
    [{ serverSideEncryption: 'rot13' as 'AES256' }, /expected the encryption/],
    [{ kmsKeyId: 'k' }, /needs the encryption aws:kms/],
    [{ client: directClient(s3StandIn()), region: 'x' }, /region cannot be set together with a client/],
  ]
  for (const [options, expected] of refused)
    it(`refuse ${Object.keys(options)}: ${expected.source}`, () => {
      expect(() => s3Storage({ bucket: 'bucket', ...options })).toThrow(expected)
      expect(() => s3Storage({ bucket: 'bucket', ...options })).toThrow(StorageError)
    })

  it('give the storage its name', () => {
    expect(standInStorage().storage.name).toBe('s3://bucket')
    expect(standInStorage({}, { prefix: '/a/b/' }).storage.name).toBe('s3://bucket/a/b')
  })

  it('leave no room for a key that is too long below the prefix', async () => {
    const { storage } = standInStorage({}, { prefix: 'x'.repeat(900) })
    const key = Array.from({ length: 3 }, () => 'y'.repeat(60)).join('/')
    await expect(storage.put(key, bytes('1'))).rejects.toThrow(/too long below the prefix/)
    await storage.put('y'.repeat(120), bytes('1'))
  })
})
