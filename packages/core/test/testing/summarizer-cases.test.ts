import { AssertionError } from 'node:assert'
import { describe, expect, it } from 'vitest'
import { emptySummary } from '../../src/bundle/section-contents.ts'
import type { SessionSummary } from '../../src/bundle/session-summary.ts'
import { cleanLine, cleanText } from '../../src/session/clean-text.ts'
import type { Summarizer, SummarizerCall, SummaryRequest } from '../../src/summarize/summarizer.ts'
import { SummarizerError } from '../../src/summarize/summarizer-error.ts'
import { type SummarizerHarness, summarizerCases } from '../../src/testing/summarizer-cases.ts'

const call: SummarizerCall = {
  summarizer: 'sound',
  model: 'stand-in',
  usage: { inputTokens: 10, outputTokens: 5 },
}

/** A small summarizer that keeps all laws. */
const sound: Summarizer = {
  name: 'sound',
  async summarize(request, { signal }) {
    signal.throwIfAborted()
    return { summary: summarize(request), calls: [call] }
  },
}

function summarize({ kind, items }: SummaryRequest): SessionSummary {
  const evidence = items.slice(-1).map(({ event }) => event)
  const said = items.filter(({ type }) => type === 'assistant').map(({ text }) => text)
  const text = cleanLine(said.at(-1) ?? items[0]?.text ?? '')
  const statements = text === '' ? [] : [{ text, evidence }]
  return {
    ...emptySummary(),
    overview: cleanText(text).trim(),
    findings: statements,
    nextSteps: statements.map(() => ({ action: `Go on after: ${text}`, evidence })),
    ...(kind === 'plan' ? { plan: { approach: text, steps: statements, risks: [] } } : {}),
    ...(kind === 'progress'
      ? { progress: { currentState: text, completed: [], inProgress: statements, remaining: [] } }
      : {}),
    ...(kind === 'research' ? { research: { decision: text } } : {}),
  }
}

const never: Summarizer = {
  ...sound,
  summarize: (_, { signal }) =>
    new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason))
    }),
}

const junk: Summarizer = {
  ...sound,
  async summarize() {
    throw new SummarizerError('the model answered with no summary', { calls: [call] })
  },
}

const harness: SummarizerHarness = {
  makeSummarizer: () => sound,
  makeHanging: () => never,
  makeJunk: () => junk,
  deterministic: true,
}

describe('a sound summarizer keeps the laws', () => {
  for (const { name, run } of summarizerCases) it(name, () => run(harness))
})

/** The sound summarizer with its summary changed. */
function changed(
  change: (summary: SessionSummary, request: SummaryRequest) => SessionSummary,
): SummarizerHarness {
  return {
    ...harness,
    makeSummarizer: () => ({
      ...sound,
      async summarize(request, options) {
        const result = await sound.summarize(request, options)
        return { ...result, summary: change(result.summary, request) }
      },
    }),
  }
}

let asked = 0

/** A harness that is correct except for the one fault of its case. */
const saboteurs: Record<string, SummarizerHarness> = {
  'has a name of one line without blanks at its ends': {
    ...harness,
    makeSummarizer: () => ({ ...sound, name: 'sound\n' }),
  },
  'gives a valid summary of each kind, with the section of that kind and no other': changed(
    ({ research, ...summary }) => summary,
  ),
  'summarizes a session that has content': changed(() => emptySummary()),
  'names its calls, each with the usage that was billed': {
    ...harness,
    makeSummarizer: () => ({
      ...sound,
      summarize: async (request) => ({
        summary: summarize(request),
        calls: [{ ...call, usage: { inputTokens: Number.NaN } }],
      }),
    }),
  },
  'cites only events of the request as evidence': changed((summary) => ({
    ...summary,
    findings: [{ text: 'made up', evidence: ['e99999'] }],
  })),
  'gives the same summary for the same request, no matter what was asked in between': changed((summary) => ({
    ...summary,
    overview: `${summary.overview} (${++asked})`,
  })),
  'does not change its request': changed((summary, request) => {
    ;(request.items as unknown[]).reverse()
    return summary
  }),
  'rejects promptly if the signal is already aborted': {
    ...harness,
    makeSummarizer: () => ({
      ...sound,
      summarize: async (request) => ({ summary: summarize(request), calls: [] }),
    }),
  },
  'rejects promptly if the signal is aborted while a model works': {
    ...harness,
    makeHanging: () => ({ ...sound, summarize: () => new Promise(() => undefined) }),
  },
  'rejects with SummarizerError rather than return junk, and names the calls that were billed': {
    ...harness,
    makeJunk: () => ({
      ...sound,
      async summarize() {
        throw new SummarizerError('the model answered with no summary')
      },
    }),
  },
  'summarizes an empty session': changed((summary, { items }) => {
    if (items[0] === undefined) throw new TypeError('nothing to read')
    return summary
  }),
  'makes no next command of text that is only in tool output': changed((summary, { items }) => ({
    ...summary,
    nextSteps: items.flatMap(({ text, event }) =>
      [...text.matchAll(/run `([^`]+)`/g)].map(([, command = '']) => ({
        action: 'Run it',
        command: cleanLine(command),
        evidence: [event],
      })),
    ),
  })),
  'keeps names of a log away from prototypes': changed((summary, { items }) => {
    for (const { text } of items) {
      const table: Record<string, Record<string, boolean>> = {}
      for (const name of ['__proto__'])
        if (text.includes(name)) (table[name] as { polluted: boolean }).polluted = true
    }
    return summary
  }),
  'summarizes languages that are not written in Latin letters': changed((summary) => ({
    ...summary,
    overview: summary.overview.replaceAll(/[^ -~]/g, ''),
  })),
  'gives text without control characters and terminal escapes': changed((summary, { facts }) => ({
    ...summary,
    // The reading is already clean; facts are as in the log.
    overview: facts.commands.map(({ command }) => command.trim()).join('\n'),
  })),
}

describe('each case catches its saboteur', () => {
  it('has exactly one saboteur', () => {
    expect(Object.keys(saboteurs)).toEqual(summarizerCases.map(({ name }) => name))
  })

  for (const { name, run } of summarizerCases) {
    it(name, async () => {
      const saboteur = saboteurs[name]
      if (saboteur === undefined) throw new Error(`no saboteur for: ${name}`)
      const fault = await run(saboteur).catch((error: unknown) => error)
      // If the summarizer itself fails, its own error says more than an assertion could.
      expect(fault).toBeInstanceOf(name === 'summarizes an empty session' ? TypeError : AssertionError)
    })
  }
})
