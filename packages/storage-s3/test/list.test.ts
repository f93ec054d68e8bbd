import { describe, expect, it } from 'vitest'
import { keysOf } from '../../core/test/support/stored.ts'
import { type Reply, s3StandIn } from './stand-in-s3/index.ts'
import { overHttp, standInStorage } from './support/storages.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

describe('list', () => {
  for (const [pageSize, pages] of [
    [100, 23],
    [999, 3],
    [1000, 3],
  ] as const)
    it(`returns 2,300 keys in pages of ${pageSize}`, async () => {
      const { storage, standIn } = standInStorage({ pageSize }, { prefix: 'pre fix+1' })
      const keys = Array.from({ length: 2_300 }, (_, index) => `log/${String(index).padStart(6, '0')}.json`)
      for (const key of [...keys].reverse())
        standIn.objects.set(`pre fix+1/${key}`, {
          bytes: Buffer.from('1'),
          etag: 'e',
          metadata: {},
          since: 0,
        })
      standIn.objects.set('pre fix+10/log/other', {
        bytes: Buffer.from(''),
        etag: 'e',
        metadata: {},
        since: 0,
      })
      expect(await keysOf(storage, 'log/')).toEqual(keys)
      expect(standIn.counts.get('GET')).toBe(pages)
      expect(await keysOf(storage, 'log/0022')).toEqual(keys.slice(2_200))
    })

  it('leaves out objects of others whose names are not keys', async () => {
    const { storage, standIn } = standInStorage({ pageSize: 2 }, { prefix: 'p' })
    await storage.put('good', bytes('1'))
    for (const name of [
      'p/a b',
      'p/caf\u00e9',
      'p/line\u0001\n',
      'p/.hidden',
      'p/a//b',
      'p/folder/',
      'p/%',
      'p/a+b&<>',
    ])
      standIn.objects.set(name, { bytes: Buffer.from('x'), etag: 'e', metadata: {}, since: 0 })
    expect(await keysOf(storage)).toEqual(['good'])
    for (const prefix of ['a b', 'caf\u00e9', '\u0001', '\ud800'])
      expect(await keysOf(storage, prefix)).toEqual([])
  })

  const page = (keys: readonly string[], more = ''): Reply => ({
    status: 200,
    headers: { 'content-type': 'application/xml' },
    body: Buffer.from(
      `<ListBucketResult>${more}${keys.map((key) => `<Contents><Key>${key}</Key><Size>1</Size></Contents>`).join('')}</ListBucketResult>`,
    ),
  })
  const wrong: [string, Reply, RegExp][] = [
    ['is out of order', page(['b', 'a']), /not in byte order/],
    ['gives a key twice', page(['a', 'a']), /not in byte order/],
    [
      'gives no place to go on from',
      page(['a'], '<IsTruncated>true</IsTruncated>'),
      /has no continuation token/,
    ],
  ]
  for (const [what, reply, expected] of wrong)
    it(`throws if a listing ${what}`, async () => {
      const storage = await overHttp(s3StandIn(), () => reply)
      await expect(keysOf(storage)).rejects.toThrow(expected)
    })

  it('throws if a listing has keys outside the requested ones', async () => {
    const storage = await overHttp(s3StandIn(), () => page(['other/a']))
    await expect(keysOf(storage, 'log/')).rejects.toThrow(/does not begin with the prefix/)
  })
})
