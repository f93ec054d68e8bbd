import {
  emptySummary,
  type SummarizerCall,
  SummarizerError,
  type SummaryControl,
  type SummaryRequest,
} from '@tenfold/core'
import { splitTranscript } from '@tenfold/core/internal'
import { describe, expect, it } from 'vitest'
import { type ModelSummarizerOptions, modelSummarizer } from '../../src/model/model-summarizer.ts'
import { promptVersion } from '../../src/model/prompt.ts'
import { ModelError, type ModelRequest } from '../../src/provider/model.ts'
import { answerTo, honestAnswer, honestModel, replyOf, scriptedModel } from './support/fake-model.ts'
import { byteCounter, itemOf, requestOf, workRequest } from './support/request.ts'

const base = { name: 'fake', contextWindow: 200_000, counter: byteCounter, sleep: async () => {} }
const made = (options: Partial<ModelSummarizerOptions> = {}) =>
  modelSummarizer({ ...base, call: honestModel, ...options })

/** A fake model, the outcome of a request, and what was reported to the caller. */
async function run(
  script: Parameters<typeof scriptedModel>[0],
  options: Partial<ModelSummarizerOptions> = {},
  request: SummaryRequest = workRequest(),
  control: Partial<SummaryControl> = {},
) {
  const model = scriptedModel(script)
  const told: SummarizerCall[] = []
  const summarizer = made({ call: model.call, ...options })
  const signal = new AbortController().signal
  const outcome = await summarizer
    .summarize(request, { signal, onCall: (call) => told.push(call), ...control })
    .then((result) => ({ result, error: undefined, calls: result.calls }))
    .catch((error: unknown) => {
      if (!(error instanceof SummarizerError)) throw error
      return { result: undefined, error, calls: error.calls }
    })
  return { ...model, ...outcome, told }
}

const good = (request: ModelRequest) =>
  replyOf(honestAnswer(request), { usage: { inputTokens: 2000, outputTokens: 300 } })
const bad = replyOf('{"summary": 1}', { usage: { inputTokens: 2000, outputTokens: 7, cacheReadTokens: 5 } })
const cut = replyOf('{"summ', { stop: 'max-tokens', usage: { outputTokens: 16_000 } })
const busy = new ModelError('busy', { reason: 'overloaded', retryable: true, usage: { inputTokens: 2 } })

describe('modelSummarizer', () => {
  it('summarizes with one call and reports how it was made', async () => {
    const { result, calls, requests } = await run([good], { model: 'm-1' })
    expect(result?.promptVersion).toBe(promptVersion)
    expect(result?.summary.nextSteps[0]).toMatchObject({ command: 'npm test -- upload', evidence: ['e7'] })
    expect(calls).toMatchObject([{ summarizer: 'fake', model: 'm-1', purpose: 'summarize', stop: 'end' }])
    expect(requests).toHaveLength(1)
  })

  it('accepts the simplest possible function as a model', async () => {
    const call = async ({ schema }: ModelRequest) => {
      const text = answerTo({ schema } as ModelRequest, { summary: 'Fine.' })
      return { text, usage: {}, stop: 'end' as const }
    }
    const { signal } = new AbortController()
    expect((await made({ call }).summarize(workRequest(), { signal })).summary.overview).toBe('Fine.')
  })

  it.each<[string, Parameters<typeof scriptedModel>[0], Partial<ModelSummarizerOptions>, string | undefined]>(
    [
      ['at once', [good], {}, undefined],
      ['after retries', [busy, busy, good], {}, undefined],
      ['after a repair', [bad, good], {}, undefined],
      ['after a retry of a repair', [busy, bad, busy, good], {}, undefined],
      ['after a longer answer', [cut, good], {}, undefined],
      ['not: junk twice', [bad, bad], {}, 'invalid-output'],
      ['not: junk, no repair wanted', [bad], { repair: false }, 'invalid-output'],
      ['not: junk, then busy', [bad, busy, busy], { maxRetries: 1 }, 'overloaded'],
      ['not: refused', [replyOf('No.', { stop: 'refusal' })], {}, 'refused'],
      ['not: empty twice', [replyOf(''), replyOf('')], {}, 'empty'],
      [
        'not: no money',
        [busy, new ModelError('no', { reason: 'spend-limit', retryable: true })],
        {},
        'spend-limit',
      ],
      [
        'not: stalled',
        [new ModelError('no', { reason: 'stalled', usage: { inputTokens: 9 } })],
        {},
        'stalled',
      ],
      [
        'not: inflated',
        [(request) => replyOf(answerTo(request, { summary: 'word '.repeat(9000) }))],
        {},
        'inflated',
      ],
    ],
  )('succeeds %s, and its ledger equals the bill', async (_, script, options, reason) => {
    const { error, calls, told, billed, requests } = await run(script, options)
    expect(error?.reason).toBe(reason)
    expect(requests).toHaveLength(script.length)
    expect(calls.map(({ usage }) => usage)).toEqual(billed)
    expect(told).toEqual(calls)
    expect(calls.at(-1)?.error === undefined).toBe(reason === undefined)
  })

  it('names itself and the reason in its error, and whether a retry may help', async () => {
    const lost = await run([busy], { maxRetries: 0 })
    expect(lost.error).toMatchObject({ message: 'fake: busy', retryable: true, reason: 'overloaded' })
    expect((await run([replyOf('No.', { stop: 'refusal' })])).error?.retryable).toBe(false)
  })

  it('says in its error how often it tried', async () => {
    const { error } = await run([busy, busy, busy], { maxRetries: 2 })
    expect(error?.message).toBe('fake: busy; failed after 3 attempts, but may succeed later')
  })

  it('repairs with the answer and its faults, once', async () => {
    const { requests, calls } = await run([bad, good])
    expect(requests[1]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
    expect(requests[1]?.messages[0]).toEqual(requests[0]?.messages[0])
    // SDKs take the messages as they are.
    for (const { text, content } of requests[1]?.messages ?? []) expect(content).toBe(text)
    expect(calls.map(({ purpose }) => purpose)).toEqual(['summarize', 'summarize repair'])
  })

  it('says what each call is for', async () => {
    const earlier = { ...emptySummary(), overview: 'Begun.' }
    const purpose = async (request: SummaryRequest) => (await run([good], {}, request)).calls[0]?.purpose
    expect(await purpose(workRequest({ part: { number: 2, of: 5 } }))).toBe('part 2/5')
    expect(await purpose(workRequest({ earlier }))).toBe('update')
    expect(await purpose(requestOf([], { earlier }))).toBe('merge')
  })

  it('makes no call for an empty session', async () => {
    const { result, requests } = await run([], {}, requestOf([], { kind: 'plan' }))
    expect(result?.summary).toEqual({ ...emptySummary(), plan: { approach: '', steps: [], risks: [] } })
    expect(requests).toHaveLength(0)
  })

  it('sends nothing that is larger than the window, or than the caller allows', async () => {
    const request = requestOf([itemOf(1, 'user', 'word '.repeat(30_000))])
    for (const options of [{ contextWindow: 40_000 }, { maxInputTokens: 40_000 }]) {
      const { error, requests, told } = await run([good], options, request)
      expect(error?.reason).toBe('prompt-too-long')
      expect([requests.length, told.length]).toEqual([0, 0])
    }
    const read = (sent: ModelRequest) =>
      replyOf(answerTo(sent, { summary: 'x' }), { usage: { inputTokens: 40_000 } })
    expect((await run([read], {}, request)).error).toBeUndefined()
  })

  it('does not repair if the repaired request would not fit', async () => {
    const long = replyOf(`{"summary": ["${'x'.repeat(4000)}"]}`)
    const options = { contextWindow: 8000, maxOutputTokens: 1500 }
    const { error, requests } = await run(
      [long, good],
      options,
      requestOf([itemOf(1, 'user', 'word '.repeat(1200))]),
    )
    expect([error?.reason, requests.length]).toEqual(['invalid-output', 1])
  })

  it('gives a cut answer twice the room if the window has it', async () => {
    const sizes = async (options: Partial<ModelSummarizerOptions>) =>
      (await run([cut, good], options)).requests.map(({ maxOutputTokens }) => maxOutputTokens)
    expect(await sizes({ maxOutputTokens: 16_000 })).toEqual([16_000, 32_000])
    expect(await sizes({ maxOutputTokens: 16_000, outputLimit: 20_000 })).toEqual([16_000, 20_000])
    expect(await sizes({ maxOutputTokens: 16_000, outputLimit: 16_000 })).toEqual([16_000])
    const tight = await run([cut, good], { contextWindow: 10_000, maxOutputTokens: 5000 })
    const [first, second] = tight.requests
    expect(first?.maxOutputTokens).toBe(5000)
    expect(second?.maxOutputTokens).toBe(10_000 - (first?.inputTokens ?? 0))
    expect(second?.maxOutputTokens).toBeLessThan(10_000)
  })

  it('requests the expected length of the answer, and its maximum only after a cut', async () => {
    const request = requestOf(workRequest().items, { maxTokens: 1000 })
    const sizes = async (options: Partial<ModelSummarizerOptions> = {}) =>
      (await run([cut, good], { tokenFactor: 1, ...options }, request)).requests.map(
        ({ maxOutputTokens }) => maxOutputTokens,
      )
    expect(await sizes()).toEqual([8500, 17_000])
    expect(await sizes({ maxOutputTokens: 32_000, wholeOutput: false })).toEqual([8500, 32_000])
    expect(await sizes({ maxOutputTokens: 3000, wholeOutput: false })).toEqual([3000, 6000])
    const larger = made({ tokenFactor: 1 }).estimate?.({ ...request, maxTokens: 2000 })
    expect(larger?.maxOutputTokens).toBe(10_500)
  })

  it('counts input as written to a cache unless told that there is none', () => {
    const estimate = (options: Partial<ModelSummarizerOptions>) => made(options).estimate?.(workRequest())
    expect(estimate({})).not.toHaveProperty('cacheWriteTokens')
    expect(estimate({ writesCache: false })).toMatchObject({ cacheWriteTokens: 0 })
  })

  it('makes no call that is not admitted, and no repair either', async () => {
    const estimates: number[] = []
    const admit: SummaryControl['admit'] = ({ inputTokens }) => {
      estimates.push(inputTokens)
      if (estimates.length === 2) throw new SummarizerError('no money left', { reason: 'over-budget' })
    }
    const { error, requests, calls } = await run([bad, good], {}, workRequest(), { admit })
    expect(error).toMatchObject({ reason: 'over-budget', retryable: false, message: 'fake: no money left' })
    expect([requests.length, calls.length]).toEqual([1, 1])
    expect(estimates[1]).toBeGreaterThan(estimates[0] ?? 0)
  })

  it('asks for no longer a summary than its answer has room for', async () => {
    const words = async (maxOutputTokens: number) => {
      const { requests } = await run(
        [good],
        { maxOutputTokens, tokenFactor: 1 },
        { ...workRequest(), maxTokens: 5000 },
      )
      return Number(/about (\d+) words/.exec(requests[0]?.messages[0]?.text ?? '')?.[1])
    }
    expect(await words(2500)).toBe(500)
    expect(await words(20_000)).toBe(2500)
  })

  it('estimates the call that it makes', async () => {
    const summarizer = made({ model: 'm-1', maxOutputTokens: 5000 })
    const told: unknown[] = []
    const admit: NonNullable<SummaryControl['admit']> = (estimate) => void told.push(estimate)
    const { signal } = new AbortController()
    await summarizer.summarize(workRequest(), { signal, admit })
    expect(told).toEqual([summarizer.estimate?.(workRequest())])
    expect(told).toMatchObject([{ summarizer: 'fake', model: 'm-1', maxOutputTokens: 5000 }])
  })

  it.each([8000, 32_000, 200_000])(
    'lets a session that fits contextWindow fit the window of %i',
    async (window) => {
      const summarizer = made({ contextWindow: window })
      const items = Array.from({ length: 12_000 }, (_, index) =>
        itemOf(
          index + 1,
          index % 3 ? 'Bash' : 'assistant',
          `line ${index} of it\n`.repeat(1 + (index % 9)).trim(),
          {
            turn: Math.floor(index / 5),
          },
        ),
      )
      const [part = []] = splitTranscript(items, {
        maxTokens: summarizer.contextWindow ?? 0,
        counter: byteCounter,
      })
      const { inputTokens, maxOutputTokens } = summarizer.estimate?.(requestOf(part)) ?? {}
      expect((inputTokens ?? 0) + (maxOutputTokens ?? 0)).toBeLessThanOrEqual(window)
      const read = part.reduce((sum, { text }) => sum + byteCounter.count(text), 0)
      expect(read).toBeGreaterThan((summarizer.contextWindow ?? 0) / 2)
    },
  )

  it('refuses options that make no sense', () => {
    expect(() => made({ contextWindow: 4096 })).toThrow(/of at least \d+, got 3072/)
    expect(() => made({ maxInputTokens: 100 })).toThrow(RangeError)
    expect(() => made({ contextWindow: Number.NaN })).toThrow(RangeError)
    expect(() => made({ maxOutputTokens: 0 })).toThrow(RangeError)
    expect(() => made({ tokenFactor: 0 })).toThrow(RangeError)
    expect(() => made({ name: ' ' })).toThrow(RangeError)
    const least = Number(/at least (\d+)/.exec(messageOf(() => made({ contextWindow: 4096 })))?.[1])
    expect(made({ contextWindow: least + 1000, maxOutputTokens: 1000 }).contextWindow).toBeGreaterThanOrEqual(
      500,
    )
    expect(() => made({ contextWindow: least + 900, maxOutputTokens: 1000 })).toThrow(RangeError)
  })
})

function messageOf(work: () => unknown): string {
  try {
    work()
    return ''
  } catch (error) {
    return String(error)
  }
}
