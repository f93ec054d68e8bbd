import type { Report } from '../session/report-to-log.ts'
import type { SummarizerCall } from './summarizer.ts'

/** The used part of an OpenTelemetry span. */
export interface TraceSpan {
  /** Sets attributes, as `Span.setAttributes` of OpenTelemetry. */
  setAttributes(attributes: Record<string, string | number | string[]>): unknown
  /** Sets the status, as `Span.setStatus` of OpenTelemetry. */
  setStatus(status: { code: number; message?: string }): unknown
  /** Ends the span, by default now. */
  end(endTime?: number): void
}

/** The used part of the package `@opentelemetry/api`, which the caller passes in. `Context` is its type. */
export interface TraceApi<Context> {
  /** Creates tracers, and contexts that hold a span. */
  readonly trace: {
    getTracer(name: string): {
      startSpan(name: string, options: { startTime?: number; kind?: number }, context: Context): TraceSpan
    }
    setSpan(context: Context, span: never): Context
  }
  /** Returns the context of the caller, to which the root span is added. */
  readonly context: { active(): Context }
}

/** Options of a compression for which {@link traceSteps} creates spans. */
export interface TraceHooks {
  /** Pass it as the option `report`. */
  readonly report: Report
  /** Pass it as the option `onCall`. */
  readonly onCall: (call: SummarizerCall) => void
}

/** `SpanKind.CLIENT` of OpenTelemetry's protocol. */
const client = 2
/** `SpanStatusCode.ERROR` of OpenTelemetry's protocol. */
const failed = 2

/**
 * Runs a compression in a span, with a span for each step and, below it, one for each model call by the GenAI
 * conventions: `traceSteps(api, (hooks) => compressLog(log, { ...options, ...hooks }))`. Records no text of a log.
 * https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-spans/
 */
export async function traceSteps<Context, T>(
  api: TraceApi<Context>,
  run: (hooks: TraceHooks) => Promise<T>,
): Promise<T> {
  const tracer = api.trace.getTracer('tenfold')
  const below = (context: Context, span: TraceSpan): Context => api.trace.setSpan(context, span as never)
  const root = tracer.startSpan('tenfold compress', {}, api.context.active())
  const context = below(api.context.active(), root)
  let step: { readonly name: string; readonly span: TraceSpan } | undefined

  const report: Report = (event) => {
    if (step?.name === event.step) return
    step?.span.end()
    step = { name: event.step, span: tracer.startSpan(`tenfold ${event.step}`, {}, context) }
    if (event.step === 'save') root.setAttributes({ 'tenfold.bundle.id': event.id })
  }

  const onCall = (call: SummarizerCall): void => {
    const parent = step === undefined ? context : below(context, step.span)
    const startTime = Date.now() - (call.durationMs ?? 0)
    const span = tracer.startSpan(
      `chat ${call.model ?? call.summarizer}`,
      { startTime, kind: client },
      parent,
    )
    span.setAttributes(callAttributes(call))
    if (call.error !== undefined) span.setStatus({ code: failed, message: call.error })
    span.end()
  }

  try {
    return await run({ report, onCall })
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    for (const span of [step?.span, root]) span?.setStatus({ code: failed, message })
    throw error
  } finally {
    step?.span.end()
    root.end()
  }
}

function callAttributes(call: SummarizerCall): Record<string, string | number | string[]> {
  const { summarizer, model, purpose, stop, error, requestId, usage } = call
  const attributes = {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': summarizer,
    'gen_ai.request.model': model,
    'gen_ai.response.finish_reasons': stop === undefined ? undefined : [stop],
    'gen_ai.usage.input_tokens': usage.inputTokens,
    'gen_ai.usage.output_tokens': usage.outputTokens,
    'gen_ai.usage.cache_read.input_tokens': usage.cacheReadTokens,
    'gen_ai.usage.cache_creation.input_tokens': usage.cacheWriteTokens,
    'error.type': error?.split(':')[0],
    'tenfold.call.purpose': purpose,
    'tenfold.call.request_id': requestId,
  }
  const given = Object.entries(attributes).filter(
    (entry): entry is [string, string | number | string[]] => entry[1] !== undefined,
  )
  return Object.fromEntries(given)
}
