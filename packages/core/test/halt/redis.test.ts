import { createClient } from 'redis'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  hasRedis,
  installRedis,
  type RedisServer,
  startRedis,
} from '../../../../test/support/redis-server.ts'
import { loadDump, verifyDump } from '../../src/entries/halt.ts'
import { memoryStorage } from '../../src/storage/memory-storage.ts'
import { dumpTo, jsonOf } from './support.ts'

if (!hasRedis() && process.env.TENFOLD_REQUIRE_PARTS === '1')
  it('redis-server is installed, as TENFOLD_REQUIRE_PARTS=1 requires', () => expect.unreachable(installRedis))
else if (!hasRedis())
  console.warn(`Skipped: dumps of a state in a real Redis. There is no redis-server here: ${installRedis}`)

describe.skipIf(!hasRedis())('the state of a supervisor in a real Redis', () => {
  let server: RedisServer
  beforeAll(async () => {
    server = await startRedis()
  })
  afterAll(() => server.stop())

  const connect = () =>
    createClient({ socket: { path: server.socket, tls: false, reconnectStrategy: false } })

  it('is in the dump, with its key', async () => {
    const client = await connect().connect()
    const state = { step: 'apply', attempts: [1, 2], note: 'ünï\u{1f600}' }
    await client.set('run:12:state', JSON.stringify(state))
    const storage = memoryStorage()
    const { haltId } = await dumpTo(storage, {
      stateKey: 'run:12:state',
      readState: async ({ stateKey = '' }) => await client.get(stateKey),
    })
    expect(await jsonOf(storage, haltId, 'supervisor/state-snapshot.json')).toEqual({
      stateKey: 'run:12:state',
      state,
    })
    expect((await loadDump(storage, haltId)).metadata?.stateKey).toBe('run:12:state')

    await client.hSet('run:13', { step: 'plan', tries: '3' })
    const hash = await dumpTo(storage, {
      stateKey: 'run:13',
      readState: ({ stateKey = '' }) => client.hGetAll(stateKey),
    })
    const snapshot = await jsonOf(storage, hash.haltId, 'supervisor/state-snapshot.json')
    expect(snapshot.state).toEqual({ step: 'plan', tries: '3' })
    client.destroy()
  })

  it('affects only its own part if the key is missing or of another type, or the server is down', async () => {
    const client = await connect().connect()
    client.on('error', () => undefined)
    await client.hSet('hash', 'a', '1')
    const storage = memoryStorage()
    const reasonFor = async (stateKey: string): Promise<string | undefined> => {
      const readState = async () => await client.get(stateKey)
      const { haltId, state, missing } = await dumpTo(
        storage,
        { stateKey, readState },
        { stateTimeout: 5000 },
      )
      expect(state).toBe('partial')
      expect(await verifyDump(await loadDump(storage, haltId))).toMatchObject({ ok: true })
      return missing.find(({ code }) => code === 'failed')?.reason
    }
    expect(await reasonFor('nothing')).toBe('the state store holds nothing under nothing')
    expect(await reasonFor('hash')).toMatch(/WRONGTYPE/)
    await server.stop()
    expect(await reasonFor('run:12:state')).toMatch(/./)
    client.destroy()
  })
})
