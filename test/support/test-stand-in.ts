import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import { type ScenarioLike, type StandIn, startStandIn, toScenario } from '../stand-in/index.ts'

type Options = Parameters<typeof startStandIn>[0]

/** A stand-in: a new one for each test of a file, or one that all of them share. */
export function testStandIn(of: 'each' | 'all', options?: Options): StandIn {
  const [before, after] = of === 'all' ? [beforeAll, afterAll] : [beforeEach, afterEach]
  let standIn: StandIn
  before(async () => {
    standIn = await startStandIn(options)
  })
  after(() => standIn.close())
  return new Proxy({} as StandIn, {
    get: (_, name) => Reflect.get(standIn, name),
    set: (_, name, value) => Reflect.set(standIn, name, value),
  })
}

/** Headers that make a stand-in answer so. */
export function answeringWith(scenario: ScenarioLike): { 'x-scenario': string } {
  return { 'x-scenario': JSON.stringify(toScenario(scenario)) }
}
