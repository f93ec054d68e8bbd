import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { constants, createBrotliCompress } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { archivedFileFault } from '../../src/store/archive/read-archive.ts'

const mebibyte = Buffer.alloc(2 ** 20, 'a')

/** So many mebibytes of one letter, packed, and their digest. */
async function packed(mebibytes: number): Promise<{ bytes: Uint8Array; sha256: string }> {
  const hash = createHash('sha256')
  const blocks = function* () {
    for (let block = 0; block < mebibytes; block++) {
      hash.update(mebibyte)
      yield mebibyte
    }
  }
  const packer = createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })
  const bytes = await buffer(Readable.from(blocks()).pipe(packer))
  return { bytes, sha256: hash.digest('hex') }
}

describe('archivedFileFault', () => {
  it('finds none in a dense log that was read whole', async () => {
    const { bytes, sha256 } = await packed(100)
    expect(await archivedFileFault('archive/a.br', bytes, sha256)).toBeUndefined()
  })

  it('ends the unpacking of a bomb', async () => {
    const { bytes, sha256 } = await packed(600)
    expect(bytes.byteLength).toBeLessThan(200_000)
    expect(await archivedFileFault('archive/a.br', bytes, sha256)).toMatch(/decompression bomb/)
  })
})
