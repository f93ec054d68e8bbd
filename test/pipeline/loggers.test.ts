import { context, SpanStatusCode, trace } from '@opentelemetry/api'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import {
  bundleStore,
  compressLog,
  emptySummary,
  memoryStorage,
  reportToFields,
  reportToLines,
  type Summarizer,
  SummarizerError,
  traceSteps,
} from '@tenfold/core'
import { pino } from 'pino'
import { describe, expect, it } from 'vitest'

const log = new TextEncoder().encode(
  ['Fix the limiter.', 'Write a test.']
    .map((content, index) =>
      JSON.stringify({
        type: 'user',
        uuid: `u${index}`,
        sessionId: 's',
        timestamp: '2026-01-02T03:00:00Z',
        message: { role: 'user', content },
      }),
    )
    .join('\n'),
)

const call = {
  summarizer: 'acme',
  model: 'acme-1',
  purpose: 'summarize',
  stop: 'end_turn',
  durationMs: 40,
  usage: { inputTokens: 12, outputTokens: 5, cacheReadTokens: 3 },
}
const summarizer: Summarizer = {
  name: 'acme',
  async summarize(_, { onCall }) {
    onCall?.(call)
    return { summary: { ...emptySummary(), overview: 'The limiter was fixed.' }, calls: [call] }
  },
}
const steps = ['read', 'plan', 'summarize', 'assemble', 'save']

describe('loggers', () => {
  it('reports each step once to console and to pino', async () => {
    const lines: string[] = []
    const store = bundleStore(memoryStorage())
    await compressLog(log, { summarizer, store, report: reportToLines({ info: (line) => lines.push(line) }) })
    expect(lines[0]).toBe('tenfold: read the log')
    expect(lines.at(-1)).toMatch(/^tenfold: save \d{8}T/)
    expect(new Set(lines).size).toBe(lines.length)

    const records: { msg: string; tenfold: { step: string } }[] = []
    const logger = pino({}, { write: (line: string) => records.push(JSON.parse(line)) })
    await compressLog(log, { summarizer, store, report: reportToFields(logger) })
    expect([...new Set(records.map(({ tenfold }) => tenfold.step))]).toEqual(steps)
    expect(records[0]?.msg).toBe('read the log')
  })
})

describe('traceSteps', () => {
  const exporter = new InMemorySpanExporter()
  trace.setGlobalTracerProvider(
    new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }),
  )
  const spansOf = async (run: () => Promise<unknown>) => {
    exporter.reset()
    await run().catch(() => undefined)
    return exporter.getFinishedSpans()
  }

  it('makes a span for each step, and one for each model call under the GenAI conventions', async () => {
    const store = bundleStore(memoryStorage())
    const spans = await spansOf(() =>
      traceSteps({ trace, context }, (hooks) => compressLog(log, { summarizer, store, ...hooks })),
    )
    const root = spans.find(({ name }) => name === 'tenfold compress')
    const inner = spans.filter(
      ({ parentSpanContext }) => parentSpanContext?.spanId === root?.spanContext().spanId,
    )
    expect(inner.map(({ name }) => name)).toEqual(steps.map((step) => `tenfold ${step}`))
    expect(root?.attributes['tenfold.bundle.id']).toMatch(/^\d{8}T/)
    const chat = spans.find(({ name }) => name === 'chat acme-1')
    const summarize = inner.find(({ name }) => name === 'tenfold summarize')
    expect(chat?.parentSpanContext?.spanId).toBe(summarize?.spanContext().spanId)
    expect(chat?.attributes).toEqual({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'acme',
      'gen_ai.request.model': 'acme-1',
      'gen_ai.response.finish_reasons': ['end_turn'],
      'gen_ai.usage.input_tokens': 12,
      'gen_ai.usage.output_tokens': 5,
      'gen_ai.usage.cache_read.input_tokens': 3,
      'tenfold.call.purpose': 'summarize',
    })
    expect(JSON.stringify(spans.map(({ attributes }) => attributes))).not.toContain('limiter')
  })

  it('marks the step that failed', async () => {
    const failing: Summarizer = {
      name: 'acme',
      async summarize() {
        throw new SummarizerError('no key', { reason: 'auth' })
      },
    }
    const spans = await spansOf(() =>
      traceSteps({ trace, context }, (hooks) => compressLog(log, { summarizer: failing, ...hooks })),
    )
    const failed = spans.filter(({ status }) => status.code === SpanStatusCode.ERROR).map(({ name }) => name)
    expect(failed).toEqual(['tenfold summarize', 'tenfold compress'])
  })
})
