import { TenfoldError } from '@tenfold/core'
import { storageCases } from '@tenfold/core/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { everyPoint } from '../../../test/support/repeats.ts'
import { s3Storage } from '../src/index.ts'
import {
  type Fault,
  faultPlan,
  faults,
  type StandInOptions,
  type StandInServer,
  s3StandIn,
  serveStandIn,
  standInKeys,
} from './stand-in-s3/index.ts'
import { filledDirectly, quick, standInStorage } from './support/storages.ts'

const oddPrefix = 'sp ace/\u00fcn\u00ef \u{1f642}/50%+1 %41&=?#\'"<>;/end'

/** A thousand keys: put for stores whose pages are under test, directly. */
const thousands = /more than 1,000/
const isQuick = ({ name }: { readonly name: string }): boolean => everyPoint || !thousands.test(name)

// Each mode keeps all laws in `npm run soak`; in `npm test` those that its difference can break.
const casesOf = (decisive: RegExp) => storageCases.filter(({ name }) => everyPoint || decisive.test(name))

// The form of an etag decides what a condition says, not who wins a race.
const conditional = /refuses ifAbsent|refuses ifMatch|stale etag|updates? of writers/
const modes: [string, StandInOptions, RegExp][] = [
  // In `npm test` it keeps them over HTTP, below.
  ...(everyPoint ? [['a store with all conditions', {}, /./] as [string, StandInOptions, RegExp]] : []),
  ['a store that takes bare etags only, as Ceph 16', { etags: 'bare' }, conditional],
  ['a store that takes quoted etags only', { etags: 'quoted' }, conditional],
  ['a store with pages of 100 keys', { pageSize: 100 }, /^lists/],
]

for (const [name, behaviour, cases] of modes)
  describe(`${name} keeps the laws of Storage`, () => {
    const chosen = storageCases.filter((one) => cases.test(one.name))
    for (const { name, run } of behaviour.pageSize === undefined ? chosen.filter(isQuick) : chosen)
      it(name, () =>
        run(async () => {
          const { storage, standIn } = standInStorage(behaviour, { prefix: 'a/b' })
          return thousands.test(name) && !everyPoint ? filledDirectly(storage, standIn, 'a/b/') : storage
        }),
      )
  })

describe('a store without If-Match keeps the laws that do not need it', () => {
  for (const { name, run } of casesOf(/^overwrites|^deletes|staged|ifAbsent/))
    if (!/ifMatch|stale etag|swap|1,000/.test(name))
      it(name, () => run(async () => standInStorage({ conditions: 'no-if-match' }).storage))
})

describe('a store that fails one request in ten keeps the laws of Storage', () => {
  // A late put is one that its writer gave up; it may undo a later one, and no client can prevent that.
  const kinds = faults.filter((fault: Fault) => fault !== 'late')
  const seen = new Set<Fault>()
  const chosen = casesOf(/^gives bytes|^overwrites|^lists|^deletes|staged|ifAbsent|ifMatch|swap/)
  for (const [index, { name, run }] of chosen.filter(isQuick).entries())
    it(name, async () => {
      const plan = faultPlan(index, 0.1, kinds)
      await run(async () => standInStorage({ pageSize: 200 }, {}, plan).storage)
      for (const fault of plan.given.keys()) seen.add(fault)
    })

  it('had faults of all kinds', () => {
    expect([...seen].sort()).toEqual([...kinds].sort())
  })
})

describe('a store over HTTP keeps the laws of Storage', () => {
  const standIn = s3StandIn()
  let server: StandInServer
  let shaky: StandInServer
  const shakyPlan = faultPlan(7, 0.03, [
    'lost-reply',
    'own-412',
    'error-500-after',
    'slow-down',
    'time-out-after',
    'cut-body',
  ])
  let storages = 0
  beforeAll(async () => {
    server = await serveStandIn(standIn)
    shaky = await serveStandIn(s3StandIn(), { plan: shakyPlan })
  })
  afterAll(async () => {
    await Promise.all([server.close(), shaky.close()])
  })

  for (const { name, run } of storageCases) {
    it(name, async () => {
      storages += 1
      const prefix = `${oddPrefix}/${storages}`
      const storage = s3Storage({
        ...{ bucket: 'bucket', prefix, endpoint: server.endpoint },
        credentials: standInKeys,
      })
      const fillsDirectly = thousands.test(name) && !everyPoint
      await run(async () => (fillsDirectly ? filledDirectly(storage, standIn, `${prefix}/`) : storage))
      storage.close()
    })
    // `npm test` keeps them with faults above, over HTTP here, and with both before Ceph's gateway.
    if (!everyPoint) continue
    it(`with faults: ${name}`, async () => {
      storages += 1
      const options = { bucket: 'bucket', prefix: `shaky/${storages}`, endpoint: shaky.endpoint }
      const storage = s3Storage({ ...options, credentials: standInKeys, retry: quick })
      await run(async () => storage)
      storage.close()
    })
  }
})

describe('the laws of Storage', () => {
  it('are visibly broken by a store that ignores conditions without being asked to', async () => {
    const broken: string[] = []
    for (const { name, run } of storageCases.filter((one) => /ifAbsent|ifMatch/.test(one.name))) {
      const make = async () =>
        standInStorage({ conditions: 'ignores-conditions' }, { conditions: 'full' }).storage
      await run(make).catch((error: unknown) => {
        expect(TenfoldError.isInstance(error)).toBe(false)
        broken.push(name)
      })
    }
    expect(broken).toHaveLength(4)
  })
})
