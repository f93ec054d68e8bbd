import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { packTar } from 'modern-tar'
import { beforeAll, describe, expect, it } from 'vitest'
import { testFolder } from '../../../../test/support/test-folder.ts'
import {
  exportDump,
  type HaltDump,
  loadDump,
  openExportedDump,
  readDumpedFile,
  restoreDump,
  verifyDump,
} from '../../src/entries/halt.ts'
import { resume } from '../../src/index.ts'
import { memoryStorage } from '../../src/storage/memory-storage.ts'
import { folderAt } from '../git/repository.ts'
import { dumpTo, treeOf } from './support.ts'

const at = testFolder('all')
const turns = Array.from({ length: 200 }, (_, index) => ({ role: 'user', content: `turn ${index}` }))
const deep = `${'folder-with-a-long-name/'.repeat(12)}file.txt`
let dump: HaltDump

beforeAll(async () => {
  mkdirSync(at('sandbox'))
  const sandbox = folderAt(at('sandbox'))
  sandbox.git('init', '--quiet', '--initial-branch=main')
  sandbox.commit({ 'a.txt': 'a\n', '.gitignore': '.env\n' })
  sandbox.write({ 'a.txt': 'b\n', '.env': 'MODE=test\n', 'copy.env': 'MODE=test\n', 'ünï code.txt': 'ü\n' })
  sandbox.write({ [deep]: 'deep\n' })
  const halt = { taskId: 'T-1', sandboxRoot: sandbox.path, agent: { prompt: 'go', conversation: turns } }
  const storage = memoryStorage()
  const { haltId, key } = await dumpTo(storage, halt, { snapshots: ['**'] })
  dump = await loadDump(storage, haltId)
  writeFileSync(at('T-1.tar.gz'), await exportDump(dump))
  expect(Buffer.from((await storage.get(key))?.bytes ?? [])).toEqual(readFileSync(at('T-1.tar.gz')))
})

describe('an exported dump', () => {
  it('holds everything under one folder, with the paths of the files that are stored whole', () => {
    const args = ['-tzf', at('T-1.tar.gz'), '--quoting-style=literal']
    const names = execFileSync('tar', args, { encoding: 'utf8' }).split('\n').filter(Boolean)
    expect(names.map((name) => name.replace(`${dump.haltId}/`, '')).toSorted()).toEqual(
      [
        ...[
          'metadata.json',
          'agent/conversation.jsonl',
          'agent/execution-context.json',
          'agent/tool-calls.json',
        ],
        ...['environment/env-vars.json', 'environment/working-directory.txt'],
        ...['filesystem/file-manifest.json', 'filesystem/git-diff.patch'],
        ...['.env', '.gitignore', 'a.txt', 'copy.env', deep, 'ünï code.txt'].map(
          (name) => `filesystem/file-snapshots/${name}`,
        ),
      ].toSorted(),
    )
    mkdirSync(at('unpacked'))
    execFileSync('tar', ['-xzf', at('T-1.tar.gz'), '-C', at('unpacked')])
    const file = join(at('unpacked'), dump.haltId, 'filesystem/file-snapshots/ünï code.txt')
    expect(readFileSync(file, 'utf8')).toBe('ü\n')
  })

  it('is verified, read, resumed from and restored alone', async () => {
    const opened = await openExportedDump(at('T-1.tar.gz'))
    expect(await verifyDump(opened)).toMatchObject({ haltId: dump.haltId, ok: true, parts: 14, findings: [] })
    for (const name of ['.env', 'copy.env', 'filesystem/file-snapshots/.env'])
      expect(Buffer.from((await readDumpedFile(opened, name)) ?? []).toString()).toBe('MODE=test\n')
    expect(await readDumpedFile(opened, 'nothing.txt')).toBeUndefined()
    expect((await resume({ dump: opened, maxTokens: 500 })).text).toContain('turn 199')
    const restored = await restoreDump(opened, at('restored'), { repository: at('sandbox') })
    expect(restored).toMatchObject({ ok: true, findings: [] })
    expect(treeOf(at('restored'))).toEqual(treeOf(at('sandbox')))
    expect(Buffer.from(await exportDump(opened))).toEqual(readFileSync(at('T-1.tar.gz')))
  })

  it('is refused for a damaged dump', async () => {
    const cut = { ...dump, state: 'damaged' as const, parts: new Map() }
    await expect(exportDump(cut)).rejects.toMatchObject({ code: 'no-dump' })
  })
})

describe('openExportedDump', () => {
  const file = (name: string, body = '{}') => ({ header: { name, size: body.length }, body })
  const pack = async (...entries: ReturnType<typeof file>[]) => gzipSync(await packTar(entries))

  it.each<[string, () => Promise<Uint8Array> | Uint8Array, RegExp]>([
    ['text', () => Buffer.from('no archive'), /is not an exported halt dump: it is not a \.tar\.gz file/],
    ['a cut archive', () => readFileSync(at('T-1.tar.gz')).subarray(0, 2000), /it is cut off/],
    ['a packed text', () => gzipSync('x'.repeat(5000)), /is not an exported/],
    ['no dump', () => pack(file('x/readme.md')), /it has no metadata.json/],
    [
      'a dump of another tool',
      () => pack(file('x/metadata.json', '{"halt_id":"h1"}')),
      /its metadata\.json names no haltId\. If another tool wrote it, import it with importDump/,
    ],
  ])('refuses %s', async (_, make, message) => {
    writeFileSync(at('refused.tar.gz'), await make())
    await expect(openExportedDump(at('refused.tar.gz'))).rejects.toMatchObject({
      code: 'no-dump',
      message: expect.stringMatching(message),
    })
  })

  it('refuses a path without a dump', async () => {
    for (const path of [at('nowhere'), at('sandbox')])
      await expect(openExportedDump(path)).rejects.toMatchObject({ code: 'no-dump' })
  })
})
