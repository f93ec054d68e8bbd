import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { decodeLog } from '../../src/readers/log/decode-log.ts'
import { plainZstd } from '../../src/readers/log/plain-zstd.ts'
import { openLog } from '../../src/readers/open-log.ts'
import { readSession } from '../../src/readers/read-session.ts'
import { expectCpuBelow } from '../support/cpu-time.ts'
import { gzipOf, zstdRaw, zstdRuns, zstdSteps } from '../support/packed-bombs.ts'
import { jsonl, log } from './claude-code-log.ts'

const a = log()
const bytes = Buffer.from(
  jsonl([
    a.user('go'),
    a.call('c1', 'Read', { file_path: '/srv/app/a.ts' }),
    a.result('c1', Array.from({ length: 300 }, (_, index) => `line ${index * 7919}`).join('\n')),
    a.assistant({ type: 'text', text: 'done' }),
  ]),
)
const text = bytes.toString()

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tenfold-unpack-'))
})
afterAll(() => rm(folder, { recursive: true }))

function fileOf(content: Uint8Array, blockBytes = content.length, maxBytes?: number) {
  const seen = { bytes: 0 }
  return {
    seen,
    name: 'log.zst',
    ...(maxBytes !== undefined && { maxBytes }),
    async *blocks() {
      for (let start = 0; start < content.length; start += blockBytes) {
        const block = content.subarray(start, start + blockBytes)
        seen.bytes += block.length
        yield block
      }
    },
  }
}

/** Unpacks a log; `most` is the size of the largest block. */
async function unpacked(content: Uint8Array, blockBytes?: number) {
  const notes: string[] = []
  const blocks: Uint8Array[] = []
  for await (const block of decodeLog(fileOf(content, blockBytes), (code) => notes.push(code)))
    blocks.push(Buffer.from(block))
  return { bytes: Buffer.concat(blocks), notes, most: Math.max(0, ...blocks.map(({ length }) => length)) }
}

async function outcome(content: Uint8Array, maxBytes?: number) {
  let made = 0
  const file = fileOf(content, 1024 * 1024, maxBytes)
  try {
    for await (const block of decodeLog(file, () => {})) made += block.length
  } catch (error) {
    return { made, error }
  }
  return { made, error: undefined }
}

describe('unpacking', () => {
  it('refuses zstd that grows beyond measure, having unpacked little of it', async () => {
    const { made, error } = await outcome(zstdRuns(8192))
    expect(error).toMatchObject({
      code: 'log-too-large',
      message: expect.stringContaining('more than 250 times its size'),
    })
    expect(made).toBeLessThan(70_000_000)
  })

  it('refuses gzip that grows beyond measure', async () => {
    const { made, error } = await outcome(await gzipOf('A', 150_000_000))
    expect(error).toMatchObject({ code: 'log-too-large' })
    expect(made).toBeLessThan(80_000_000)
  })

  it('ends a zstd block that takes far longer than its text explains', async () => {
    const before = zstdRaw(bytes, 4000)
    // A frame of the same header follows, whose only block would run for ten seconds or more.
    const source = fileOf(Buffer.concat([before, zstdSteps()]))
    await expectCpuBelow(5000, async () => {
      const made: Uint8Array[] = []
      const reading = (async () => {
        for await (const block of plainZstd(source.blocks(), { reserveMs: 200 })) made.push(block)
      })()
      await expect(reading).rejects.toThrow('far too long for the size of its text; unpack it with zstd -d')
      expect(Buffer.concat(made).equals(bytes)).toBe(true)
    })
  })

  it('ends zstd whose many blocks together take too long', async () => {
    // Each block moves a window of 128 MiB.
    const source = fileOf(zstdRuns(10_000, 0x41, 17 << 3, 1))
    let made = 0
    const reading = (async () => {
      for await (const block of plainZstd(source.blocks(), { reserveMs: 300 })) made += block.length
    })()
    await expect(reading).rejects.toThrow('far too long')
    expect(made).toBeLessThan(5000)
  })

  it('allows any repetition in a small text', async () => {
    expect(await outcome(zstdRuns(300))).toEqual({ made: 300 * 128 * 1024, error: undefined })
    expect(await outcome(gzipSync(Buffer.alloc(30_000_000)))).toEqual({ made: 30_000_000, error: undefined })
  })

  it('refuses a window over 128 MiB before it is allocated', async () => {
    // 2^(10 + 18) bytes, and a single segment of 4 GB.
    const single = Buffer.concat([
      Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0xe0]),
      Buffer.from([0, 0, 0, 0, 1, 0, 0, 0]),
      Buffer.from([1, 0, 0]),
    ])
    for (const content of [zstdRuns(1, 0x41, 18 << 3), single, zstdRuns(1, 0x41, 0xff)])
      await expect(readSession(content)).rejects.toMatchObject({ code: 'log-unreadable' })
    expect((await unpacked(zstdRuns(1, 0x41, 17 << 3))).bytes.length).toBe(128 * 1024)
  })

  it('unpacks frames, skippable frames and blocks of any size', async () => {
    const skippable = Buffer.from([0x5a, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3])
    const packed = Buffer.concat([zstdRaw(bytes, 100), skippable, zstdRaw(bytes)])
    for (const blockBytes of [5, 7, 1000, packed.length]) {
      const read = await unpacked(packed, blockBytes)
      expect(read.notes).toEqual([])
      expect(read.bytes.equals(Buffer.concat([bytes, bytes]))).toBe(true)
    }
  })

  it('unpacks what the zstd tool packed, at every level', async (context) => {
    if (spawnSync('zstd', ['--version']).status !== 0) return context.skip()
    const large = Buffer.from(text.repeat(150))
    for (const options of [['-1'], ['-9'], ['-19', '--check'], ['--ultra', '-22'], ['--long=27']]) {
      const packed = execFileSync('zstd', [...options, '-q', '-c'], { input: large, maxBuffer: 1e9 })
      const read = await unpacked(packed, 4096)
      expect([options, read.notes, read.bytes.equals(large)]).toEqual([options, [], true])
    }
  })

  it('keeps everything before the place where zstd breaks off', async () => {
    const packed = zstdRaw(bytes, 100)
    for (const cut of [packed.length - 1, packed.length - 50, packed.length - 102, 120]) {
      const { bytes: kept, notes } = await unpacked(packed.subarray(0, cut))
      expect(notes).toEqual(['broken-archive'])
      expect(kept.length).toBeGreaterThan(0)
      expect(kept.equals(bytes.subarray(0, kept.length))).toBe(true)
    }
    const junk = await unpacked(Buffer.concat([packed, Buffer.from('no zstd at all')]))
    expect(junk.notes).toEqual(['broken-archive'])
    expect(junk.bytes.equals(bytes)).toBe(true)
  })
})

describe('maxLogBytes', () => {
  it('limits the text of a log, packed or not, and names the option', async () => {
    const path = join(folder, 'log.jsonl')
    await writeFile(path, bytes)
    await writeFile(`${path}.gz`, gzipSync(bytes))
    const maxLogBytes = bytes.length
    for (const input of [path, `${path}.gz`, bytes, gzipSync(bytes), zstdRaw(bytes)]) {
      expect((await readSession(input, { maxLogBytes })).events.length).toBeGreaterThan(1)
      await expect(readSession(input, { maxLogBytes: maxLogBytes - 1 })).rejects.toMatchObject({
        code: 'log-too-large',
        message: expect.stringMatching(/larger than \d+ bytes.*option maxLogBytes/),
      })
    }
  })

  it('accepts many small packed files, whose texts are small', async () => {
    const many = await mkdtemp(join(folder, 'many-'))
    const path = join(many, 'main.jsonl.gz')
    await writeFile(path, gzipSync(bytes))
    const line = JSON.stringify(a.user('sub', { isSidechain: true, agentId: 'a' }))
    for (let agent = 0; agent < 12; agent++)
      await writeFile(join(many, `agent-a${agent}.jsonl.gz`), gzipSync(line))
    expect((await readSession(path)).source.files).toHaveLength(13)
  })

  it('counts the files of subagents as well', async () => {
    const path = join(folder, 'main.jsonl')
    const agent = { isSidechain: true, agentId: 'a1' }
    await writeFile(path, bytes)
    await writeFile(
      join(folder, 'agent-a1.jsonl'),
      text
        .split('\n')
        .map((line) => (line === '' ? '' : JSON.stringify({ ...JSON.parse(line), ...agent })))
        .join('\n'),
    )
    const open = (maxLogBytes: number) => openLog(path, { maxLogBytes }).then((log) => readSession(log))
    expect((await openLog(path)).files).toHaveLength(2)
    await expect(open(bytes.length + 10)).rejects.toMatchObject({ code: 'log-too-large' })
    expect((await open(4 * bytes.length)).source.files).toHaveLength(2)
  })

  it('refuses a large packed file before any record of it is read', async () => {
    const path = join(folder, 'large.jsonl.gz')
    await writeFile(path, await gzipOf(text, 90_000_000))
    const seen: number[] = []
    const open = await openLog(path, { maxLogBytes: 80_000_000 })
    await expect(readSession(open, { onProgress: (read) => seen.push(read) })).rejects.toMatchObject({
      code: 'log-too-large',
    })
    expect(seen).toEqual([])
  })
})
