import { execFileSync, spawnSync } from 'node:child_process'
import { appendFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bundleStore } from '@tenfold/core'
import { checkpointStore, prune, verifyCheckpoints, verifyStore } from '@tenfold/core/store'
import { fileStorage } from '@tenfold/storage-fs'
import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { asOf, bundleNumber, checkpointNumber, sampleLog } from '../../tools/soak/samples.ts'
import { everyPoint, repeats } from '../support/repeats.ts'
import { seedOf } from '../support/seed.ts'

const folders: string[] = []
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true })
})

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tenfold-git-'))
  folders.push(folder)
  return folder
}

const identity = ['-c', 'user.name=a', '-c', 'user.email=a@b', '-c', 'commit.gpgsign=false']

function git(cwd: string, ...args: string[]): string {
  return execFileSync('git', [...identity, ...args], {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

interface Save {
  readonly kind: 'bundle' | 'checkpoint'
  readonly track: string
  /** Minutes by the clock of the machine that saves. */
  readonly minute: number
  readonly setCurrent: boolean
}

const save = fc.record<Save>({
  kind: fc.constantFrom('bundle', 'checkpoint'),
  track: fc.constantFrom('main', 'review', 'side'),
  minute: fc.integer({ min: 0, max: 100_000 }),
  setCurrent: fc.boolean(),
})

const places = (repository: string): string => join(repository, '.agents', 'bundles')
const storeIn = (repository: string) => bundleStore(fileStorage(places(repository), { shared: true }))
let number = 0

/** Saves as the commands do: the store gives the time of the new id. */
async function saveIn(repository: string, { kind, track, minute, setCurrent }: Save): Promise<string> {
  number += 1
  const now = new Date(Date.UTC(2026, 0, 1, 0, minute))
  const store = storeIn(repository)
  if (kind === 'checkpoint') {
    const checkpoints = checkpointStore(store.storage)
    const time = await checkpoints.nextTime(track, now)
    const { key } = await checkpoints.save(asOf(checkpointNumber(number, track), time), { setCurrent })
    return key
  }
  const { log, source } = sampleLog(`log ${number}\n`)
  const { sha256 } = await store.archive(log, source)
  const bundle = asOf(bundleNumber(number, track), await store.nextTime(track, { now }))
  return (await store.save({ ...bundle, source: { ...bundle.source, sha256, archived: true } })).key
}

/** A repository with a store of one bundle and one checkpoint on each track. */
async function makeRepository(): Promise<string> {
  const repository = await newFolder()
  git(repository, 'init', '-q', '-b', 'main')
  for (const kind of ['bundle', 'checkpoint'] as const)
    for (const track of ['main', 'review'])
      await saveIn(repository, { kind, track, minute: 50_000, setCurrent: true })
  git(repository, 'add', '-A')
  git(repository, 'commit', '-q', '-m', 'a store')
  return repository
}

/** What a store shows must be what was saved, newest last, with nothing to find fault with. */
async function expectWhole(repository: string, saved: readonly string[]): Promise<void> {
  const storage = fileStorage(places(repository))
  const [store, checkpoints] = [bundleStore(storage), checkpointStore(storage)]
  const [bundles, held] = [await store.list(), await checkpoints.list()]
  expect([...bundles, ...held].map(({ key }) => key).sort()).toEqual([...saved].sort())
  for (const track of await store.tracks()) {
    const newest = bundles
      .filter((entry) => entry.track === track)
      .map(({ id }) => id)
      .sort()
      .at(-1)
    expect((await store.latest(track))?.bundle.id).toBe(newest)
  }
  for (const track of await checkpoints.tracks()) {
    const newest = held
      .filter((entry) => entry.track === track)
      .map(({ id }) => id)
      .sort()
      .at(-1)
    expect((await checkpoints.latest(track))?.checkpoint.id).toBe(newest)
  }
  expect(await verifyStore(storage)).toMatchObject({ ok: true, findings: [] })
  expect((await verifyCheckpoints(storage)).findings).toEqual([])
}

const hasGit = spawnSync('git', ['--version']).status === 0

describe.skipIf(!hasGit)('branches that each add to a store', () => {
  for (const [count, numRuns] of [
    [3, repeats({ few: 1, all: 12 })],
    ...(everyPoint
      ? ([
          [6, 6],
          [20, 3],
        ] as const)
      : []),
  ] as const)
    it(`merge without a conflict, in any order: ${count} branches`, async () => {
      const branches = fc.array(fc.array(save, { minLength: 1, maxLength: 3 }), {
        minLength: count,
        maxLength: count,
      })
      await fc.assert(
        fc.asyncProperty(
          branches,
          fc.array(fc.nat(), { minLength: count, maxLength: count }),
          async (work, order) => {
            const repository = await makeRepository()
            const saved = (await storeIn(repository).list()).map(({ key }) => key)
            const checkpoints = await checkpointStore(fileStorage(places(repository))).list()
            saved.push(...checkpoints.map(({ key }) => key))
            for (const [index, saves] of work.entries()) {
              git(repository, 'checkout', '-q', '-b', `branch-${index}`, 'main')
              for (const one of saves) saved.push(await saveIn(repository, one))
              git(repository, 'add', '-A')
              git(repository, 'commit', '-q', '-m', `branch ${index}`)
            }
            git(repository, 'checkout', '-q', 'main')
            const shuffled = work
              .map((_, index) => index)
              .sort((a, b) => (order[a] ?? 0) - (order[b] ?? 0) || a - b)
            // The first one would be a fast-forward.
            for (const index of shuffled)
              git(repository, 'merge', '-q', '--no-ff', '-m', 'merge', `branch-${index}`)
            expect(git(repository, 'status', '--porcelain')).toBe('')
            const clone = join(await newFolder(), 'clone')
            git(repository, 'clone', '-q', repository, clone)
            await expectWhole(clone, saved)
            expect((await verifyStore(fileStorage(places(clone)))).checked).toMatchObject({ archives: 0 })
            await expectWhole(repository, saved)
          },
        ),
        { numRuns, seed: seedOf(31) },
      )
    }, 600_000)

  // Git takes two new bundles for one that was renamed in two ways, if both branches deleted the same ones.
  for (const [title, pruning, options] of [
    ['if one of them pruned', [{ delete: false }, undefined], []],
    [
      'with only equal files as renames, if both of them pruned for good',
      [{ delete: true }, { delete: true }],
      ['-X', 'find-renames=100%'],
    ],
    ...(everyPoint
      ? ([
          ['if one of them pruned for good', [undefined, { delete: true }], []],
          [
            'with only equal files as renames, if both moved',
            [{ delete: false }, { delete: false }],
            ['-X', 'find-renames=100%'],
          ],
        ] as const)
      : []),
  ] as const)
    it(`merge without a conflict ${title}`, async () => {
      const repository = await makeRepository()
      for (let minute = 50_001; minute <= 50_004; minute++)
        await saveIn(repository, { kind: 'bundle', track: 'main', minute, setCurrent: true })
      git(repository, 'add', '-A')
      git(repository, 'commit', '-q', '-m', 'more')
      for (const [index, policy] of pruning.entries()) {
        git(repository, 'checkout', '-q', '-b', `branch-${index}`, 'main')
        if (policy !== undefined) await prune(fileStorage(places(repository)), { keepLast: 2, ...policy })
        await saveIn(repository, { kind: 'bundle', track: 'main', minute: 60_000, setCurrent: true })
        git(repository, 'add', '-A')
        git(repository, 'commit', '-q', '-m', `branch ${index}`)
      }
      git(repository, 'merge', '-q', '-m', 'merge', ...options, 'branch-0')
      const clone = join(await newFolder(), 'clone')
      git(repository, 'clone', '-q', repository, clone)
      expect(await storeIn(clone).history('main')).toHaveLength(4)
      expect(await verifyStore(fileStorage(places(clone)))).toMatchObject({ ok: true, findings: [] })
    })

  it('track no archive, no dump, no job and no copy', async () => {
    const repository = await makeRepository()
    const { storage } = storeIn(repository)
    for (const key of ['dumps/1/agent/conversation.jsonl', 'batches/1/job.json', 'pruned/archive/00/1.br'])
      await storage.put(key, new TextEncoder().encode('AKIAIOSFODNN7EXAMPLE'))
    await appendFile(join(places(repository), 'tracks/main/.LATEST.json.lock'), 'x')
    expect(git(repository, 'status', '--porcelain')).toBe('')
    const tracked = git(repository, 'ls-files').trim().split('\n')
    expect(tracked.filter((path) => /archive|dumps|batches|LATEST|lock|tmp/.test(path))).toEqual([])
  })
})
