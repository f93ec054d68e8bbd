// Plugs in your own model: asks it, checks its answer, records its cost, and proves it with the conformance suite.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import {
  compressLog,
  emptySummary,
  type Summarizer,
  SummarizerError,
  type SummaryRequest,
  sessionSummarySchema,
} from '@tenfold/core'
import { summarizerCases } from '@tenfold/core/testing'

/** The model that the summarizer needs: text in, text out, and the tokens that were billed. */
type AskModel = (
  prompt: string,
  options: { readonly signal: AbortSignal },
) => Promise<{ readonly text: string; readonly inputTokens: number; readonly outputTokens: number }>

function modelSummarizer(askModel: AskModel): Summarizer {
  return {
    name: 'own-model',
    async summarize(request, { signal }) {
      signal.throwIfAborted()
      const { text, ...usage } = await askModel(promptOf(request), { signal })
      const calls = [{ summarizer: 'own-model', usage }]
      const summary = sessionSummarySchema.safeParse(parse(text))
      // Junk is an error that reports its cost; facts and trail do not depend on it.
      if (!summary.success)
        throw new SummarizerError('the model answered with no summary', { calls, cause: summary.error })
      return { summary: summary.data, calls, promptVersion: '1' }
    },
  }
}

function promptOf({ kind, items, maxTokens }: SummaryRequest): string {
  const lines = items.map(({ event, label, text }) => JSON.stringify({ event, label, text }))
  return `Summarize the ${kind} of this session in JSON, in at most ${maxTokens} tokens.\n${lines.join('\n')}`
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** Takes the place of a model: repeats the last thing that the agent said. Yours calls a provider here. */
const standIn: AskModel = async (prompt) => {
  const [order = '', ...lines] = prompt.split('\n')
  const items = lines.flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))
  const last = items.findLast(({ label }) => label === 'assistant') ?? items.at(-1)
  const said = String(last?.text ?? '')
    .replaceAll(/\s+/g, ' ')
    .trim()
  const statements = said === '' ? [] : [{ text: said, evidence: [last.event] }]
  const sections = {
    plan: { approach: said, steps: statements, risks: [] },
    progress: { currentState: said, completed: [], inProgress: statements, remaining: [] },
    research: { decision: said },
  }
  const kind = /^Summarize the (\w+)/.exec(order)?.[1]
  const summary = {
    ...emptySummary(),
    overview: said,
    findings: statements,
    nextSteps: statements.map(({ evidence }) => ({ action: `Go on after: ${said}`, evidence })),
    ...Object.fromEntries(Object.entries(sections).filter(([name]) => name === kind)),
  }
  return { text: JSON.stringify(summary), inputTokens: Math.ceil(prompt.length / 4), outputTokens: 200 }
}

// The suite is data for any test runner: `for (const { name, run } of summarizerCases) it(name, () => run(harness))`.
for (const { run } of summarizerCases) {
  await run({
    makeSummarizer: () => modelSummarizer(standIn),
    makeHanging: () =>
      modelSummarizer((_, { signal }) => once(signal, 'abort').then(() => Promise.reject(signal.reason))),
    makeJunk: () =>
      modelSummarizer(async () => ({ text: 'Sure! Here is it:', inputTokens: 9, outputTokens: 5 })),
    deterministic: true,
  })
}
console.log(`own-model obeys all ${summarizerCases.length} laws of a summarizer`)

const [log = fileURLToPath(new URL('../logs/claude-code-rate-limiter.jsonl', import.meta.url))] =
  process.argv.slice(2)
const { bundle } = await compressLog(log, { summarizer: modelSummarizer(standIn), kind: 'research' })
const { ratio, calls, summarizer } = bundle.compression
console.log(
  `${summarizer} read ${calls[0]?.usage.inputTokens} tokens; the bundle is ${(ratio * 100).toFixed(2)} % of the log`,
)

assert(ratio <= 0.1)
assert.equal(calls.length, 1)
assert.equal(bundle.research?.decision, bundle.summary)
