import { execFileSync } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { packTar } from 'modern-tar'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  exportDump,
  loadDump,
  openExportedDump,
  readDumpedFile,
  restoreDump,
  verifyDump,
} from '../../src/entries/halt.ts'
import { sha256Of } from '../../src/halt/files/found-file.ts'
import { resume } from '../../src/index.ts'
import { memoryStorage } from '../../src/storage/memory-storage.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { folderAt } from '../git/repository.ts'
import { dumpTo, treeOf } from './support.ts'

const turns = Array.from({ length: 200 }, (_, index) => ({ role: 'user', content: `turn ${index}` }))
const deep = `${'folder-with-a-long-name/'.repeat(12)}file.txt`
const folder = folderAt(realpathSync(mkdtempSync(join(tmpdir(), 'tenfold-export-'))))
const sandbox = folderAt(join(folder.path, 'sandbox'))
const storage = memoryStorage()
const archive = join(folder.path, 'T-1.tar.gz')
let haltId: string

async function bytesOf(blocks: Promise<AsyncIterable<Uint8Array>>): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  for await (const piece of await blocks) pieces.push(piece)
  return Buffer.concat(pieces)
}

/** Exports a dump and unpacks it with the system's tar; returns the folder of the dump. */
async function unpacked(from: Storage, id: string, name: string): Promise<string> {
  const file = join(folder.path, `${name}.tgz`)
  writeFileSync(file, await bytesOf(exportDump(from, id)))
  mkdirSync(join(folder.path, name))
  execFileSync('tar', ['-xzf', file, '-C', join(folder.path, name)])
  return join(folder.path, name, id)
}

beforeAll(async () => {
  mkdirSync(sandbox.path)
  sandbox.git('init', '--quiet', '--initial-branch=main')
  sandbox.commit({ 'a.txt': 'a\n', '.gitignore': '.env\n' })
  sandbox.write({ 'a.txt': 'b\n', '.env': 'MODE=test\n', 'copy.env': 'MODE=test\n', 'ünï code.txt': 'ü\n' })
  sandbox.write({ [deep]: 'deep\n' })
  writeFileSync(Buffer.concat([Buffer.from(`${sandbox.path}/latin-`), Buffer.from([0xff])]), 'latin\n')
  const halt = { taskId: 'T-1', sandboxRoot: sandbox.path, agent: { prompt: 'go', conversation: turns } }
  const options = { snapshots: ['**'] }
  haltId = (await dumpTo(storage, halt, { ...options, createdAt: new Date('2026-01-02') })).haltId
  writeFileSync(archive, await bytesOf(exportDump(storage, haltId)))
})

afterAll(() => rmSync(folder.path, { recursive: true, force: true }))

describe('an exported dump', () => {
  it('holds everything under one folder, with the paths of the files that are stored whole', () => {
    const names = execFileSync('tar', ['-tzf', archive, '--quoting-style=literal'], { encoding: 'utf8' })
    const inside = names
      .split('\n')
      .filter(Boolean)
      .map((name) => name.replace(`${haltId}/`, '').replace(/[0-9a-f]{64}$/, 'DIGEST'))
    expect(inside.toSorted()).toEqual(
      [
        'agent/conversation.jsonl',
        'agent/execution-context.json',
        'agent/tool-calls.json',
        'environment/env-vars.json',
        'environment/working-directory.txt',
        'filesystem/file-manifest.json',
        'filesystem/file-snapshots/.env',
        'filesystem/file-snapshots/.gitignore',
        'filesystem/file-snapshots/DIGEST',
        'filesystem/file-snapshots/a.txt',
        'filesystem/file-snapshots/copy.env',
        `filesystem/file-snapshots/${deep}`,
        'filesystem/file-snapshots/ünï code.txt',
        'filesystem/git-diff.patch',
        'manifest.json',
        'metadata.json',
      ].toSorted(),
    )
  })

  it('is verified, read, resumed from and restored alone, packed and unpacked', async () => {
    const directory = await unpacked(storage, haltId, 'unpacked')
    expect(readFileSync(join(directory, 'filesystem/file-snapshots/ünï code.txt'), 'utf8')).toBe('ü\n')
    for (const [index, path] of [archive, directory].entries()) {
      const opened = await openExportedDump(path)
      expect(opened.haltId).toBe(haltId)
      expect(await verifyDump(opened.storage, haltId)).toMatchObject({ ok: true, parts: 14, findings: [] })
      const dump = await loadDump(opened.storage, haltId)
      expect(dump).toMatchObject({ state: 'complete', metadata: { taskId: 'T-1' } })
      for (const name of ['.env', 'copy.env', 'filesystem/file-snapshots/.env'])
        expect(Buffer.from((await readDumpedFile(dump, name)) ?? []).toString()).toBe('MODE=test\n')
      expect(await readDumpedFile(dump, 'agent/conversation.jsonl')).toHaveLength(
        turns.map((turn) => `${JSON.stringify(turn)}\n`).join('').length,
      )
      expect(await readDumpedFile(dump, 'nothing.txt')).toBeUndefined()
      expect((await resume({ dump, maxTokens: 500 })).text).toContain('turn 199')
      const target = join(folder.path, `restored-${index}`)
      const restored = await restoreDump(opened.storage, haltId, target, { repository: sandbox.path })
      expect(restored).toMatchObject({ ok: true, findings: [] })
      expect(treeOf(target)).toEqual(treeOf(sandbox.path))
    }
  })

  it('has the same bytes each time, and cannot be changed', async () => {
    expect(await bytesOf(exportDump(storage, haltId))).toEqual(readFileSync(archive))
    const opened = await openExportedDump(archive)
    expect(await bytesOf(exportDump(opened.storage, haltId))).toEqual(readFileSync(archive))
    await expect(opened.storage.delete(`dumps/${haltId}/manifest.json`)).rejects.toThrow('cannot be changed')
  })

  it('reports parts that are gone or changed, and files of others', async () => {
    const directory = await unpacked(storage, haltId, 'changed')
    writeFileSync(join(directory, 'filesystem/file-snapshots/a.txt'), 'c\n')
    rmSync(join(directory, 'agent/conversation.jsonl'))
    writeFileSync(join(directory, 'agent/notes.txt'), 'mine')
    writeFileSync(join(directory, '.DS_Store'), '')
    const opened = await openExportedDump(directory)
    const { findings } = await verifyDump(opened.storage, haltId)
    expect(findings.map(({ code }) => code).toSorted()).toEqual(['extra', 'part-damaged', 'part-missing'])
  })

  it('reads nothing through a link in its folder', async () => {
    const directory = await unpacked(storage, haltId, 'linked')
    const part = join(directory, 'agent/execution-context.json')
    renameSync(part, join(folder.path, 'outside.json'))
    symlinkSync(join(folder.path, 'outside.json'), part)
    rmSync(join(directory, 'manifest.json'))
    const opened = await openExportedDump(directory)
    const dump = await loadDump(opened.storage, haltId)
    expect(dump.state).toBe('incomplete')
    expect(dump.paths).toContain('agent/conversation.jsonl')
    expect(await dump.read('agent/execution-context.json')).toBeUndefined()
  })

  it('of a dump that was cut off has what there is', async () => {
    const cut = memoryStorage()
    const dumped = await dumpTo(cut, { agent: { prompt: 'go' } })
    await cut.delete(dumped.key)
    const directory = await unpacked(cut, dumped.haltId, 'cut')
    const opened = await openExportedDump(directory)
    expect(await loadDump(opened.storage, dumped.haltId)).toMatchObject({
      state: 'incomplete',
      metadata: { reason: 'stopped' },
    })
  })
})

describe('exportDump', () => {
  it('ends with an error if a part is damaged', async () => {
    const broken = memoryStorage()
    const dumped = await dumpTo(broken, { agent: { prompt: 'go' } })
    await broken.put(`dumps/${dumped.haltId}/agent/execution-context.json`, Buffer.from('{}'))
    await expect(bytesOf(exportDump(broken, dumped.haltId))).rejects.toThrow(
      /execution-context.json is damaged/,
    )
    await expect(exportDump(broken, haltId)).rejects.toMatchObject({ code: 'no-dump' })
  })

  it('leaves names that lead elsewhere out of the archive', async () => {
    const odd = memoryStorage()
    const dumped = await dumpTo(odd, { sandboxRoot: sandbox.path }, { snapshots: ['a.txt'] })
    const dump = await loadDump(odd, dumped.haltId)
    const files = JSON.parse(Buffer.from((await dump.read('filesystem/file-manifest.json')) ?? []).toString())
    files.snapshots[0].path = '../../evil.txt'
    const bytes = Buffer.from(JSON.stringify(files))
    await odd.put(`dumps/${dumped.haltId}/filesystem/file-manifest.json`, bytes)
    const manifest = JSON.parse(Buffer.from((await odd.get(dumped.key))?.bytes ?? []).toString())
    for (const part of manifest.parts)
      if (part.path === 'filesystem/file-manifest.json')
        Object.assign(part, {
          size: bytes.length,
          sha256: sha256Of(bytes),
        })
    await odd.put(dumped.key, Buffer.from(JSON.stringify(manifest)))
    const directory = await unpacked(odd, dumped.haltId, 'odd')
    expect(Object.keys(treeOf(dirname(dirname(directory))))).not.toContain('evil.txt')
    const opened = await openExportedDump(directory)
    expect(await verifyDump(opened.storage, dumped.haltId)).toMatchObject({ ok: true, findings: [] })
  })
})

describe('openExportedDump', () => {
  const file = (name: string, body = '{}') => ({ header: { name, size: body.length }, body })
  const pack = async (...entries: ReturnType<typeof file>[]) => gzipSync(await packTar(entries))

  it.each<[string, () => Promise<Uint8Array> | Uint8Array, RegExp]>([
    [
      'text',
      () => Buffer.from('no archive'),
      /cannot be read as an exported halt dump: it is not a \.tar\.gz file/,
    ],
    ['a cut archive', () => readFileSync(archive).subarray(0, 2000), /cannot be read as an exported/],
    ['a packed text', () => gzipSync('x'.repeat(5000)), /cannot be read as an exported/],
    ['no dump', () => pack(file('x/readme.md')), /is not a halt dump: it has no manifest.json/],
    ['another manifest', () => pack(file('x/manifest.json')), /is not a halt dump/],
    [
      'a dump of another tool',
      () => pack(file('x/metadata.json', '{"halt_id":"h1"}')),
      /its metadata\.json names no haltId\. If another tool wrote it, import it with importDump/,
    ],
    [
      'several dumps',
      () => pack(file('a/manifest.json'), file('b/manifest.json')),
      /holds 2 halt dumps\. Unpack it/,
    ],
    [
      'far more than it seems',
      () => gzipSync(Buffer.alloc(70 * 2 ** 20)),
      /too large to be unpacked in memory/,
    ],
  ])('refuses %s', async (_, make, message) => {
    const path = join(folder.path, 'refused.tar.gz')
    writeFileSync(path, await make())
    await expect(openExportedDump(path)).rejects.toMatchObject({
      code: 'no-dump',
      message: expect.stringMatching(message),
    })
  })

  it('refuses a path without a dump', async () => {
    for (const path of [join(folder.path, 'nowhere'), sandbox.path])
      await expect(openExportedDump(path)).rejects.toMatchObject({ code: 'no-dump' })
  })
})
