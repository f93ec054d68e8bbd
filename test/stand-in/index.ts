import { setTimeout as sleep } from 'node:timers/promises'
import { anthropicBatches } from './anthropic/anthropic-batches.ts'
import type { BillEntry } from './bill.ts'
import type { StandInCall } from './call.ts'
import { openaiBatches } from './openai/openai-batches.ts'
import { routesOf } from './routes.ts'
import { type Scenario, type ScenarioLike, toScenario } from './scenarios.ts'
import { headerScenario, listen } from './server.ts'
import type { RowOutcome, StandInBatch, StandInOptions, StandInRequest, State } from './state.ts'

export { answerOf } from './answer.ts'
export { type BillEntry, type BilledUsage, sumOfBill } from './bill.ts'
export { promptOf, type StandInCall, tokensOf } from './call.ts'
export {
  type Scenario,
  type ScenarioLike,
  type ScenarioName,
  scenarioNames,
  toScenario,
} from './scenarios.ts'
export type { RowOutcome, StandInBatch, StandInOptions, StandInRequest } from './state.ts'

/** A server that speaks like Anthropic, OpenAI and Ollama, and keeps a bill. */
export interface StandIn {
  /** Base URL for Anthropic and Ollama. */
  readonly url: string
  /** Base URL for OpenAI: `url` and `/v1`. */
  readonly openaiUrl: string
  /** Every request that a provider would bill, in order. */
  readonly bill: readonly BillEntry[]
  readonly requests: readonly StandInRequest[]
  readonly batches: readonly StandInBatch[]
  /** Most calls of models that were open at once. */
  readonly peak: number
  /**
   * Answers calls of models and rows of batches instead of the stand-in: a text, an object as JSON, a scenario, or
   * undefined for the usual answer. A scenario of the queue is applied to this answer.
   */
  answer: ((call: StandInCall) => Scenario | string | object | undefined) | undefined
  /** How a row of a batch ends. @default 'succeeded', 'canceled' after a cancel */
  batchRow: ((customId: string) => RowOutcome) | undefined
  /** Adds to the queue: each call of a model and each creation of a batch takes one; an empty queue means `always`. */
  script(scenarios: readonly ScenarioLike[]): void
  /** A queue for the requests whose method and path begin so: `GET /v1/batches/`. */
  scriptFor(start: string, scenarios: readonly ScenarioLike[]): void
  /** The scenario of all calls without one of their own. @default 'ok' */
  always(scenario: ScenarioLike | undefined): void
  /** Lets the requests whose method and path begin so (by default the calls of models) wait until it is called. */
  hold(start?: string): () => void
  /** Resolves once so many requests came. */
  requested(count: number): Promise<void>
  /** Ends all running batches. */
  endBatches(): void
  /** Everything that was received: request lines, headers and bodies. */
  received(): string
  /** Destroys what is open and stops listening. */
  close(): Promise<void>
}

/** Starts the stand-in on 127.0.0.1. Any key is valid that is not empty; Ollama needs none. */
export async function startStandIn(options: StandInOptions = {}): Promise<StandIn> {
  const queue: Scenario[] = []
  const queues = new Map<string, Scenario[]>()
  const received: string[] = []
  let always: Scenario | undefined
  const holds = new Map<Promise<void>, string | undefined>()
  let open = 0
  let peak = 0
  let url = ''
  const state: State = {
    url: () => url,
    batchPolls: options.batchPolls ?? 1,
    bill: [],
    requests: [],
    files: new Map(),
    answer: undefined,
    batchRow: undefined,
  }
  const claude = anthropicBatches(state)
  const gpt = openaiBatches(state)
  const script = {
    keys: options.keys,
    received,
    next(request: StandInRequest, scripted: boolean) {
      const asked = headerScenario(request)
      if (asked !== undefined) return asked
      const line = `${request.method} ${request.path}`
      for (const [start, waiting] of queues)
        if (line.startsWith(start) && waiting.length > 0) return waiting.shift()
      return scripted ? queue.shift() : undefined
    },
    always: () => always,
    async held({ method, path }: StandInRequest, isCall: boolean) {
      for (const [released, start] of holds)
        if (start === undefined ? isCall : `${method} ${path}`.startsWith(start)) await released
    },
    opened(change: 1 | -1) {
      open += change
      peak = Math.max(peak, open)
    },
  }
  const server = await listen(state, routesOf(state, claude, gpt), script)
  url = server.url
  return {
    url,
    openaiUrl: `${url}/v1`,
    bill: state.bill,
    requests: state.requests,
    get batches() {
      return [...claude.all(), ...gpt.all()]
    },
    get peak() {
      return peak
    },
    get answer() {
      return state.answer
    },
    set answer(answer) {
      state.answer = answer
    },
    get batchRow() {
      return state.batchRow
    },
    set batchRow(batchRow) {
      state.batchRow = batchRow
    },
    script(scenarios) {
      queue.push(...scenarios.map(toScenario))
    },
    scriptFor(start, scenarios) {
      queues.set(start, [...(queues.get(start) ?? []), ...scenarios.map(toScenario)])
    },
    always(scenario) {
      always = scenario === undefined ? undefined : toScenario(scenario)
    },
    hold(start) {
      let release = () => {}
      const released = new Promise<void>((resolve) => {
        release = resolve
      })
      holds.set(released, start)
      return () => {
        holds.delete(released)
        release()
      }
    },
    async requested(count) {
      while (state.requests.length < count) await sleep(5)
    },
    endBatches() {
      claude.end()
      gpt.end()
    },
    received: () => received.join(''),
    close: server.close,
  }
}
