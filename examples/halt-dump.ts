// Dumps a run that was halted (its state in Redis, its conversation and its files), restores it, and makes the next
// brief. If redis-server is not installed, a Map takes its place.
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { resume } from '@tenfold/core'
import { dumpHalt, loadDump, restoreDump, verifyDump } from '@tenfold/core/halt'
import { fileStorage } from '@tenfold/storage-fs'
import { createClient } from 'redis'

/** The supervisor's live state. A dump only needs to read a key from it. */
interface StateStore {
  readonly name: string
  set(key: string, value: string): Promise<unknown>
  get(key: string): Promise<unknown>
  close(): Promise<void>
}

async function redisStore(folder: string): Promise<StateStore> {
  const path = join(folder, 'redis.sock')
  const settings = ['--port', '0', '--unixsocket', path, '--save', '', '--appendonly', 'no', '--dir', folder]
  const server = spawn('redis-server', settings, { stdio: ['ignore', 'pipe', 'inherit'] })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.once('exit', (code) => reject(new Error(`redis-server ended with ${code}`)))
    server.stdout.on('data', (said) => /ready to accept/i.test(String(said)) && resolve())
  })
  const client = await createClient({ socket: { path, tls: false } }).connect()
  return {
    name: 'redis',
    set: (key, value) => client.set(key, value),
    get: (key) => client.get(key),
    async close() {
      const ended = new Promise((resolve) => server.once('exit', resolve))
      client.destroy()
      server.kill()
      await ended
    },
  }
}

function mapStore(): StateStore {
  const values = new Map<string, string>()
  return {
    name: 'a Map',
    set: async (key, value) => values.set(key, value),
    get: async (key) => values.get(key),
    close: async () => {},
  }
}

async function openState(folder: string): Promise<StateStore> {
  try {
    return await redisStore(folder)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
    console.log('redis-server is not installed (apt-get install redis-server); a Map takes its place')
    return mapStore()
  }
}

const folder = await mkdtemp(join(tmpdir(), 'tenfold-halt-example-'))
const state = await openState(folder)
try {
  // A sandbox with uncommitted work, and a supervisor in the middle of it.
  const sandbox = join(folder, 'sandbox')
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args])
  git('init', '--quiet', sandbox)
  await writeFile(join(sandbox, 'limiter.ts'), 'export const limit = 10\n')
  git('-C', sandbox, 'add', '.')
  git('-C', sandbox, 'commit', '--quiet', '--message', 'first')
  await appendFile(join(sandbox, 'limiter.ts'), 'export const burst = 20\n')
  await writeFile(join(sandbox, 'notes.md'), 'The burst test is not deterministic yet.\n')
  await state.set('run:12:state', JSON.stringify({ task: 'T-12', iteration: 3, budgetLeft: 0 }))

  // The halt: a part that fails costs only itself.
  const storage = fileStorage(join(folder, 'store'))
  const dumped = await dumpHalt(
    {
      reason: 'the budget is used up',
      taskId: 'T-12',
      iteration: 3,
      sandboxRoot: sandbox,
      agent: {
        name: 'claude-code',
        prompt: 'Make the burst test deterministic.',
        exitCode: 143,
        conversation: fileURLToPath(new URL('../logs/claude-code-rate-limiter.jsonl', import.meta.url)),
      },
      stateKey: 'run:12:state',
      readState: ({ stateKey = '' }) => state.get(stateKey),
      nextCommand: 'npm test',
    },
    { storage },
  )
  assert.equal(dumped.state, 'complete')
  const { haltId, parts } = dumped
  console.log(`dumped ${parts.length} parts, the state from ${state.name}`)

  // Later, elsewhere: the dump is verified, the files are restored, and the next prompt says where to continue.
  const dump = await loadDump(storage, haltId)
  assert.deepEqual((await verifyDump(dump)).findings, [])
  const restored = await restoreDump(dump, join(folder, 'restored'), { repository: sandbox })
  assert.deepEqual(restored.findings, [])
  assert.match(await readFile(join(restored.folder, 'limiter.ts'), 'utf8'), /burst = 20/)
  console.log(`restored ${restored.equal} files, each as it was`)

  const snapshot = JSON.parse(Buffer.from(dump.parts.get('supervisor/state-snapshot.json') ?? []).toString())
  assert.deepEqual(snapshot.state, { task: 'T-12', iteration: 3, budgetLeft: 0 })
  const { text, tokens } = await resume({ dump, maxTokens: 1500 })
  assert.match(text, /reason: the budget is used up/)
  assert.ok(tokens <= 1500)
  console.log(`a brief of ${tokens} tokens for the next prompt`)
} finally {
  await state.close()
  await rm(folder, { recursive: true, force: true })
}
