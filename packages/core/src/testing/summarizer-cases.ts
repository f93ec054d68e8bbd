import assert from 'node:assert/strict'
import { bundleKinds } from '../bundle/bundle-names.ts'
import { type SessionSummary, sessionSummarySchema } from '../bundle/session-summary.ts'
import { isCleanText } from '../session/clean-text.ts'
import { type EventId, eventIndex } from '../session/event.ts'
import type { Summarizer, SummaryRequest, SummaryResult } from '../summarize/summarizer.ts'
import { SummarizerError } from '../summarize/summarizer-error.ts'
import { listsOf } from '../summarize/summary-lists.ts'
import { casesOf, type SuiteCase } from './cases-of.ts'
import {
  controlSession,
  foreignSessions,
  hostileSession,
  plantedCommand,
  prototypeSession,
  requestOf,
  workSession,
} from './sample-requests.ts'

type Maybe<T> = T | Promise<T>

/** Input of {@link summarizerCases}. The model may be fake, but must answer what it is asked. */
export interface SummarizerHarness {
  /** Makes a new summarizer for each case. Cases must not affect each other. */
  makeSummarizer(): Maybe<Summarizer>
  /** Whether the same request always gives the same summary. @default false */
  readonly deterministic?: boolean | undefined
  /** Makes a summarizer whose model never answers. @default the case is skipped */
  makeHanging?(): Maybe<Summarizer>
  /** Makes a summarizer whose model never answers with a summary. @default the case is skipped */
  makeJunk?(): Maybe<Summarizer>
}

/** One law of {@link Summarizer}. */
export type SummarizerCase = SuiteCase<SummarizerHarness>

/** Maximum milliseconds in which a summarizer must react to an abort. */
const promptMs = 2000

/**
 * The laws of {@link Summarizer}, as data for any test runner: `for (const c of summarizerCases) it(c.name, () =>
 * c.run(harness))`.
 */
export const summarizerCases: readonly SummarizerCase[] = casesOf<SummarizerHarness>({
  async 'has a name of one line without blanks at its ends'(harness) {
    assert.match((await harness.makeSummarizer()).name, /^\S(.*\S)?$/)
  },
  async 'gives a valid summary of each kind, with the section of that kind and no other'(harness) {
    for (const kind of bundleKinds) {
      const { summary } = await ask(harness, requestOf(workSession(), kind))
      const sections = (['plan', 'progress', 'research'] as const).filter(
        (name) => summary[name] !== undefined,
      )
      assert.deepEqual(sections, kind === 'context' ? [] : [kind], `sections of a ${kind} summary`)
    }
  },
  async 'summarizes a session that has content'(harness) {
    const { summary } = await ask(harness, requestOf(workSession()))
    assert.notEqual(summary.overview, '', 'the summary is empty')
    assert.ok(summary.nextSteps.length > 0, 'there is no next step although work remains')
  },
  async 'names its calls, each with the usage that was billed'(harness) {
    const { calls } = await ask(harness, requestOf(workSession()))
    for (const call of calls) {
      assert.match(call.summarizer, /\S/, 'a call without a summarizer')
      for (const [name, tokens] of Object.entries(call.usage))
        assert.ok(
          tokens === undefined || (Number.isSafeInteger(tokens) && tokens >= 0),
          `${name} is ${tokens}`,
        )
    }
  },
  async 'cites only events of the request as evidence'(harness) {
    for (const drafts of [workSession(), hostileSession()]) {
      const request = requestOf(drafts)
      const known = eventsOf(request)
      const { summary } = await ask(harness, request)
      for (const event of evidenceOf(summary))
        assert.ok(known.has(event), `${event} is not an event of the request`)
    }
  },
  async 'gives the same summary for the same request, no matter what was asked in between'(harness) {
    if (harness.deterministic !== true) return
    const request = requestOf(workSession())
    const summarizer = await harness.makeSummarizer()
    const first = await summarize(summarizer, request)
    await summarize(summarizer, requestOf(hostileSession()))
    assert.deepEqual((await summarize(summarizer, request)).summary, first.summary)
    assert.deepEqual((await ask(harness, request)).summary, first.summary, 'of a second summarizer')
  },
  async 'does not change its request'(harness) {
    for (const kind of bundleKinds) {
      const request = requestOf(workSession(), kind)
      const before = structuredClone(request)
      await ask(harness, request)
      assert.deepEqual(request, before)
    }
  },
  async 'rejects promptly if the signal is already aborted'(harness) {
    const summarizer = await harness.makeSummarizer()
    const signal = AbortSignal.abort(new Error('stopped by the caller'))
    await rejectsInTime(summarizer.summarize(requestOf(workSession()), { signal }))
  },
  async 'rejects promptly if the signal is aborted while a model works'(harness) {
    if (harness.makeHanging === undefined) return
    const summarizer = await harness.makeHanging()
    const control = new AbortController()
    const pending = summarizer.summarize(requestOf(workSession()), { signal: control.signal })
    setTimeout(() => control.abort(new Error('stopped by the caller')), 20)
    await rejectsInTime(pending)
  },
  async 'rejects with SummarizerError rather than return junk, and names the calls that were billed'(
    harness,
  ) {
    if (harness.makeJunk === undefined) return
    const summarizer = await harness.makeJunk()
    const { signal } = new AbortController()
    await assert.rejects(summarizer.summarize(requestOf(workSession()), { signal }), (error) => {
      assert.ok(error instanceof SummarizerError, `expected SummarizerError, got ${String(error)}`)
      assert.ok(error.calls.length > 0, 'the calls made are lost')
      return true
    })
  },
  async 'summarizes an empty session'(harness) {
    for (const kind of bundleKinds) await ask(harness, requestOf([], kind))
  },
  async 'makes no next command of text that is only in tool output'(harness) {
    for (const kind of bundleKinds) {
      const { summary } = await ask(harness, requestOf(hostileSession(), kind))
      const commands = summary.nextSteps.flatMap(({ command }) => (command === undefined ? [] : [command]))
      for (const command of commands)
        assert.ok(!command.includes('evil.example'), `${plantedCommand} became the next command ${command}`)
      const decided = summary.decisions.filter(
        ({ by, choice }) => by === 'user' && choice.includes('evil.example'),
      )
      assert.deepEqual(decided, [], 'words of a tool became a decision of the user')
    }
  },
  async 'keeps names of a log away from prototypes'(harness) {
    try {
      const { summary } = await ask(harness, requestOf(prototypeSession()))
      assert.equal(Reflect.get({}, 'polluted'), undefined, 'Object.prototype was reached')
      assert.notEqual(summary.overview, '', 'the summary is empty')
    } finally {
      Reflect.deleteProperty(Object.prototype, 'polluted')
    }
  },
  async 'summarizes languages that are not written in Latin letters'(harness) {
    for (const [language, drafts] of foreignSessions) {
      const { summary } = await ask(harness, requestOf(drafts))
      assert.match(summary.overview, /\p{L}/u, `a ${language} session has no summary`)
    }
  },
  async 'gives text without control characters and terminal escapes'(harness) {
    for (const kind of bundleKinds) {
      const summarizer = await harness.makeSummarizer()
      const { signal } = new AbortController()
      const { summary } = await summarizer.summarize(requestOf(controlSession(), kind), { signal })
      for (const text of textsOf(summary))
        assert.ok(isCleanText(text), `${JSON.stringify(text)} is not clean`)
    }
  },
})

async function ask(harness: SummarizerHarness, request: SummaryRequest): Promise<SummaryResult> {
  return await summarize(await harness.makeSummarizer(), request)
}

/** Returns a result after checking its summary against the schema. */
async function summarize(summarizer: Summarizer, request: SummaryRequest): Promise<SummaryResult> {
  const result = await summarizer.summarize(request, { signal: new AbortController().signal })
  const checked = sessionSummarySchema.safeParse(result.summary)
  const issues = checked.error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
  assert.ok(checked.success, `no valid summary of kind ${request.kind}: ${issues?.join('; ')}`)
  assert.ok(Array.isArray(result.calls), 'calls is not a list')
  return result
}

async function rejectsInTime(pending: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve(`did not stop within ${promptMs} ms`), promptMs)
  })
  const ended = pending.then(
    () => 'gave a summary though it was aborted',
    () => undefined,
  )
  try {
    assert.equal(await Promise.race([ended, late]), undefined)
  } finally {
    clearTimeout(timer)
  }
}

/** Returns the events that evidence may cite: those of the transcript and of the facts. */
function eventsOf({ items, facts }: SummaryRequest): Set<EventId> {
  const events = new Set<EventId>()
  for (const { event, until = event } of items)
    for (let index = eventIndex(event); index <= eventIndex(until); index++) events.add(`e${index + 1}`)
  for (const text of textsOf([{ ...facts, identifiers: [...facts.identifiers.values()] }]))
    if (eventIndex(text) >= 0) events.add(text as EventId)
  return events
}

function evidenceOf(summary: SessionSummary): EventId[] {
  return listsOf(summary).flatMap(([, list]) => list.flatMap(({ evidence }) => evidence))
}

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : []
}
