import { type ChildProcess, spawn } from 'node:child_process'
import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { bundleStore, compressLogs, compressOnce, memoryStorage } from '@tenfold/core'
import { verifyStore } from '@tenfold/core/store'
import { fileStorage } from '@tenfold/storage-fs'
import { anthropicSummarizer } from '@tenfold/summarizers/anthropic'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { repeats } from '../support/repeats.ts'
import { testFolder } from '../support/test-folder.ts'
import { testStandIn } from '../support/test-stand-in.ts'

const program = join(import.meta.dirname, '../support/compress-child.js')
const children: ChildProcess[] = []
const folder = testFolder('each')
const standIn = testStandIn('each')
let log: string
beforeEach(async () => {
  log = writeLog(8)
})
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})

function writeLog(rounds: number): string {
  const path = folder('log.json')
  const messages = Array.from({ length: rounds }, (_, round) => [
    { role: 'user', content: `Round ${round}: please sort the list of names in src/list-${round}.ts again.` },
    {
      role: 'assistant',
      content: `I sorted src/list-${round}.ts; ${`line ${round} is in order. `.repeat(20)}`,
    },
  ])
  writeFileSync(path, JSON.stringify({ messages: messages.flat() }))
  return path
}

const storage = () => fileStorage(folder('store'))
const settings = () => ({ model: 'claude-opus-5-5', apiKey: 'test-key', baseURL: standIn.url })
const leases = () => readdirSync(folder('store/working'))

interface Run {
  readonly child: ChildProcess
  /** Resolves once the process prints a line with this text. */
  saw(text: string): Promise<void>
  readonly ended: Promise<string>
}

function start(more: { readonly leaseMs?: number; readonly contextWindow?: number } = {}): Run {
  const given = { log, folder: folder('store'), baseURL: standIn.url, ...more }
  const child = spawn(process.execPath, [program, JSON.stringify(given)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.push(child)
  let out = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text))
  return {
    child,
    async saw(text) {
      while (!out.includes(text)) await sleep(5)
    },
    ended: new Promise((resolve) => child.once('close', () => resolve(out.trim().split('\n').at(-1) ?? ''))),
  }
}

/** Options of so many runs; requests of the first one wait until all have asked for the lease. */
function optionsOf(runs: number) {
  const release = standIn.hold()
  let asked = 0
  const files = storage()
  const put: typeof files.put = async (key, ...rest) => {
    const done = files.put(key, ...rest)
    if (key.startsWith('working/') && ++asked === runs) release()
    return await done
  }
  return { store: bundleStore({ ...files, put }), summarizer: anthropicSummarizer(settings()) }
}

describe('two runs of the library at once in one store', () => {
  it('pay a model once, whichever functions they call', async () => {
    const given = optionsOf(4)
    const inThreads = async () => {
      for await (const result of compressLogs([log], { ...given, concurrency: 1 })) return result
    }
    const results = await Promise.all([
      compressOnce(log, given),
      compressOnce(log, given),
      inThreads(),
      inThreads(),
    ])
    expect(standIn.bill).toHaveLength(1)
    expect(results.filter((result) => result !== undefined && 'known' in result)).toHaveLength(3)
    expect(await bundleStore(storage()).list()).toHaveLength(1)
    expect(leases()).toEqual([])
  })

  it('pay once with streams, which are read first', async () => {
    const given = optionsOf(2)
    const bytes = async function* () {
      yield JSON.stringify({ messages: [{ role: 'user', content: 'Sort the list of names again, please.' }] })
    }
    await Promise.all([compressOnce(bytes(), given), compressOnce(bytes(), given)])
    expect(standIn.bill).toHaveLength(1)
  })

  it.runIf(process.platform === 'linux')(
    'pay for no more than the request under way if one of them is suspended for long',
    async () => {
      log = writeLog(150)
      const small = { leaseMs: 3_000, contextWindow: 20_000 }
      const { contextWindow } = small
      await compressOnce(log, {
        store: bundleStore(memoryStorage()),
        summarizer: anthropicSummarizer({ ...settings(), contextWindow }),
        concurrency: 1,
      })
      const parts = standIn.bill.length
      expect(parts).toBeGreaterThan(2)
      standIn.always({ scenario: 'slow', ms: 400 })
      const first = start(small)
      await standIn.requested(parts + 2)
      first.child.kill('SIGSTOP')
      const second = start(small)
      await second.saw('waiting')
      // The second one has taken over and works.
      await standIn.requested(parts + 4)
      first.child.kill('SIGCONT')
      const [one, two] = await Promise.all([first.ended, second.ended])
      expect(two).toContain('made')
      expect(one).toBe(two.replace('made', 'known'))
      expect(standIn.bill.length - parts).toBeLessThanOrEqual(parts + 2)
      expect(await bundleStore(storage()).list()).toHaveLength(1)
      expect(leases()).toEqual([])
    },
  )

  it.runIf(process.platform === 'linux')(
    'take over from killed ones at once, and pay again only for the request under way',
    async () => {
      for (let round = 0; round < repeats({ few: 1, all: 60 }); round++) {
        rmSync(folder('store'), { recursive: true, force: true })
        standIn.always({ scenario: 'slow', ms: 200 })
        const before = standIn.bill.length
        const first = start()
        const second = start()
        const killed = Math.random() < 0.5 ? first : second
        const other = killed === first ? second : first
        await sleep(Math.random() * 1_500)
        killed.child.kill('SIGKILL')
        expect(await other.ended).toMatch(/made|known/)
        expect(await start().ended).toContain('known')
        expect(standIn.bill.length - before).toBeLessThanOrEqual(2)
        const bundles = await bundleStore(storage()).list()
        expect(bundles).toHaveLength(1)
        expect((await verifyStore(storage())).findings).toEqual([])
      }
    },
  )
})
