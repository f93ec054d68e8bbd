import { createHash } from 'node:crypto'
import {
  chmodSync,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import {
  type DumpHaltOptions,
  dumpHalt,
  type Halt,
  type HaltDump,
  loadDump,
  type WrittenDump,
} from '../../src/entries/halt.ts'
import { unpackDump } from '../../src/halt/dump-keys.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { type Folder, makeRepository } from '../git/repository.ts'

/** Dumps without the variables of this machine, and fails if dumps are switched off. */
export async function dumpTo(
  storage: Storage,
  halt: Partial<Halt> = {},
  options: Partial<DumpHaltOptions> = {},
): Promise<WrittenDump> {
  const dumped = await dumpHalt({ reason: 'stopped', ...halt }, { storage, env: {}, ...options })
  if (dumped.state === 'disabled') throw new Error('expected a dump')
  return dumped
}

/** All texts of a storage by key; of an archive those of its parts. */
export async function textsOf(storage: Storage): Promise<Map<string, string>> {
  const texts = new Map<string, string>()
  for await (const { key } of storage.list('')) {
    const bytes = (await storage.get(key))?.bytes ?? new Uint8Array()
    const folder = key.replace(/\.tar\.gz$/, '/')
    const held = folder === key ? [['', bytes] as const] : await unpackDump(bytes)
    for (const [path, part] of held) texts.set(folder + path, Buffer.from(part).toString('latin1'))
  }
  return texts
}

/** Text of a part. */
async function partOf(storage: Storage, haltId: string, path: string): Promise<string> {
  return Buffer.from((await loadDump(storage, haltId)).parts.get(path) ?? []).toString()
}

/** JSON of a part. */
export async function jsonOf(storage: Storage, haltId: string, path: string) {
  return JSON.parse(await partOf(storage, haltId, path))
}

/** The dump with a part replaced, as anyone with write access to the storage could. */
export function withPart(dump: HaltDump, path: string, text: string): HaltDump {
  return { ...dump, parts: new Map([...dump.parts, [path, Buffer.from(text)]]) }
}

/** Every file and link below a folder, without `.git`: mode, and digest of content or target, by path. */
export function treeOf(folder: string): Record<string, string> {
  const tree: Record<string, string> = {}
  const walk = (at: Buffer): void => {
    for (const name of readdirSync(at, { encoding: 'buffer' })) {
      const path = Buffer.concat([at, Buffer.from('/'), name])
      if (name.toString() === '.git') continue
      const found = lstatSync(path)
      const key = path.toString('latin1').slice(folder.length + 1)
      if (found.isDirectory()) walk(path)
      else if (found.isSymbolicLink()) tree[key] = `link ${readlinkSync(path)}`
      else tree[key] = `${(found.mode & 0o100) === 0 ? 'file' : 'program'} ${digest(readFileSync(path))}`
    }
  }
  walk(Buffer.from(folder))
  return tree
}

function digest(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/** A repository with every kind of change that git knows: staged, unstaged, untracked. */
export function changedRepository(): Folder {
  const repository = makeRepository()
  const at = (path: string): string => join(repository.path, path)
  repository.write({
    'both.txt': 'one\ntwo\nthree\n',
    'moved.txt': 'the same\n',
    'gone.txt': 'x',
    'deep/run.sh': 'run\n',
  })
  writeFileSync(at('picture.bin'), Buffer.from([0, 1, 2, 255]))
  symlinkSync('both.txt', at('link'))
  symlinkSync('both.txt', at('was-link'))
  symlinkSync('both.txt', at('moving-link'))
  repository.commit({ 'was-file': 'x\n', 'folder/inner.txt': 'x\n', '.gitignore': '*.log\n' })
  repository.write({ 'both.txt': 'one\nTWO\nthree\n', 'staged.txt': 'staged\n' })
  repository.git('add', 'both.txt', 'staged.txt')
  repository.write({ 'both.txt': 'one\nTWO\nthree\nfour\n' })
  repository.git('mv', 'moved.txt', 'renamed.txt')
  repository.git('mv', 'moving-link', 'moved-link')
  repository.write({ 'moving-link/inner.txt': 'x\n' })
  repository.git('rm', '--quiet', 'gone.txt', 'was-file', 'was-link', 'folder/inner.txt')
  symlinkSync('/nowhere', at('was-file'))
  writeFileSync(at('was-link'), 'a file\n')
  writeFileSync(at('folder'), 'a file where a folder was\n')
  writeFileSync(at('picture.bin'), Buffer.from([0, 3, 2, 255, 10, 13]))
  chmodSync(at('deep/run.sh'), 0o755)
  symlinkSync('deep', at('new-link'))
  writeFileSync(at('empty'), '')
  writeFileSync(at('-dash'), 'no newline')
  writeFileSync(at(' "quoted\\ name" '), '\r\nwindows\r\n')
  writeFileSync(at('tab\tand\nline'), 'x\n')
  writeFileSync(at('ünï-\u{1f600}'), 'x\n')
  writeFileSync(at('new.bin'), Buffer.from(Array.from({ length: 3000 }, (_, index) => (index * 7) % 256)))
  writeFileSync(at('noise.log'), 'ignored\n')
  return repository
}
