import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openLog } from '../../src/readers/open-log.ts'
import { readSession } from '../../src/readers/read-session.ts'
import { jsonl, log } from './claude-code-log.ts'

let folder: string
const { user, assistant } = log()
const records = [
  user('hello'),
  ...Array.from({ length: 400 }, (_, i) => assistant({ type: 'text', text: `${i} ${'x'.repeat(9000)}` })),
]
const bytes = jsonl(records)

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'open-log-'))
  await writeFile(join(folder, 's.jsonl'), bytes)
})
afterAll(() => rm(folder, { recursive: true }))

async function all(blocks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const list: Uint8Array[] = []
  for await (const block of blocks) list.push(block)
  return Buffer.concat(list)
}

describe('openLog', () => {
  it('gives equal sessions for a path, a URL, bytes and streams', async () => {
    const path = join(folder, 's.jsonl')
    const fromPath = await readSession(path)
    expect(fromPath.events).toHaveLength(401)
    expect(fromPath.source).toMatchObject({
      bytes: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      files: [{ name: 's.jsonl', lines: 401 }],
    })
    const named = { name: 's.jsonl' }
    const text = Buffer.from(bytes).toString()
    expect(await readSession(pathToFileURL(path))).toEqual(fromPath)
    expect(await readSession(await openLog(bytes, named))).toEqual(fromPath)
    expect(await readSession(await openLog(createReadStream(path, { highWaterMark: 999 }), named))).toEqual(
      fromPath,
    )
    expect(
      await readSession(await openLog(Readable.from([text.slice(0, 70_000), text.slice(70_000)]), named)),
    ).toEqual(fromPath)
  })

  it('replays a stream that can be read only once, also for parallel readers', async () => {
    const { files } = await openLog(createReadStream(join(folder, 's.jsonl')))
    const [file] = files
    if (file === undefined) throw new Error('no file')
    const [first, second] = await Promise.all([all(file.blocks()), all(file.blocks())])
    expect(first.equals(bytes)).toBe(true)
    expect(second.equals(bytes)).toBe(true)
    expect((await all(file.blocks())).equals(bytes)).toBe(true)
  })

  it('hashes the bytes as stored, and unpacks gzip', async () => {
    const packed = gzipSync(bytes)
    const session = await readSession(packed)
    expect(session.events).toHaveLength(401)
    expect(session.source.sha256).toBe(createHash('sha256').update(packed).digest('hex'))
    expect(session.source.bytes).toBe(packed.length)
  })

  it('advises what to do if there is no log', async () => {
    await expect(openLog(join(folder, 'none.jsonl'))).rejects.toMatchObject({ code: 'log-missing' })
    await expect(openLog(folder)).rejects.toMatchObject({ code: 'log-unreadable' })
    await expect(openLog(new URL('https://example.com/log.jsonl'))).rejects.toMatchObject({
      code: 'log-unreadable',
    })
    await expect(openLog(3 as unknown as string)).rejects.toThrow(TypeError)
  })

  it('passes on the error of a stream', async () => {
    const broken = Readable.from(
      (async function* () {
        yield bytes
        throw new Error('socket closed')
      })(),
    )
    await expect(readSession(broken)).rejects.toThrow('socket closed')
  })

  it('stops at an abort and reports progress', async () => {
    const seen: number[] = []
    await readSession(bytes, {
      onProgress(read, total) {
        expect(total).toBe(bytes.length)
        expect(read - (seen.at(-1) ?? 0)).toBeGreaterThan(0)
        expect(read - (seen.at(-1) ?? 0)).toBeLessThanOrEqual(1024 * 1024)
        seen.push(read)
      },
    })
    expect(seen.at(-1)).toBe(bytes.length)
    const controller = new AbortController()
    const reading = readSession(join(folder, 's.jsonl'), {
      signal: controller.signal,
      onProgress: () => controller.abort(new Error('enough')),
    })
    await expect(reading).rejects.toThrow('enough')
  })
})
