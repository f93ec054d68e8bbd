import { appendTo } from '../../session/append-to.ts'
import type { SourcePosition } from '../../session/event.ts'
import { known } from '../../session/known.ts'
import { chooseSession } from '../reader/choose-session.ts'
import type { LogRecord, Reader, SessionListing, SessionWriter } from '../reader/reader.ts'
import { linesUnlessDocument } from '../shared/framing.ts'
import { sortedBy } from '../shared/values.ts'
import { createWriter, type Writer } from '../shared/writer.ts'
import { type AnyMessage, createHistory } from './any-message.ts'

/** A span of a trace: a call of a model or a tool, the run of an agent, or anything else that was measured. */
export interface TracedSpan
  extends Readonly<Record<'parent' | 'name' | 'start' | 'end', string | undefined>> {
  readonly id: string
  readonly trace: string
  /** The program's id of its session, which may consist of several traces; not every span has it. */
  readonly session: string | undefined
  readonly is: 'model' | 'tool' | 'agent' | 'other'
  /** The complete input of a model, and its answer. */
  input(): readonly AnyMessage[]
  output(): readonly AnyMessage[]
  readonly model?: string | undefined
  readonly usage?: Parameters<Writer['usage']>[1] | undefined
  readonly error?: string | undefined
  /** Input and output of a tool; the id is the model's, if the trace has it. */
  readonly call?: { readonly id: unknown; readonly input: unknown; readonly output: unknown }
}

type Trace = SessionListing & { readonly spans: readonly PlacedSpan[] }

type SpansIn = (value: unknown) => readonly TracedSpan[]
type PlacedSpan = TracedSpan & { readonly at: SourcePosition }

export function traceReader(name: string, spansIn: SpansIn): Reader {
  return {
    name,
    framing: linesUnlessDocument,
    detect({ document, records }) {
      const values = document === undefined ? records : [document]
      const traced = values.filter((value) => spansIn(value).length > 0).length
      return traced > 0 && traced * 2 > values.length ? 0.95 : 0
    },
    sessions: async (records) => (await tracesIn(records, spansIn)).map(({ spans: _, ...rest }) => rest),
    async read(records, out) {
      const trace = chooseSession(await tracesIn(records, spansIn, out), out)
      if (trace !== undefined) writeTrace(out, trace)
    },
  }
}

/** Returns the sessions of a log, oldest first. The last copy of a repeated span counts. */
async function tracesIn(records: AsyncIterable<LogRecord>, spansIn: SpansIn, out?: SessionWriter) {
  const spans = new Map<string, PlacedSpan>()
  for await (const { value, file, line } of records) {
    const found = spansIn(value)
    for (const span of found) spans.set(span.id, { ...span, at: { file, line } })
    if (found.length === 0) out?.event({ type: 'other', name: 'no-span', raw: value })
    out?.absorb('span, read with its trace')
  }
  const traces = new Map<string, PlacedSpan[]>()
  const sessions = new Map<string, string>()
  for (const { session, trace } of spans.values())
    if (session !== undefined && !sessions.has(trace)) sessions.set(trace, session)
  for (const span of spans.values()) appendTo(traces, sessions.get(span.trace) ?? span.trace, span)
  const listed = [...traces].map(([id, of]): Trace => {
    const [startedAt] = of.flatMap(({ start }) => start ?? []).sort()
    const [endedAt] = of.flatMap(({ end }) => end ?? []).sort((a, b) => (a > b ? -1 : 1))
    return { id, spans: of, ...known({ startedAt, endedAt }) }
  })
  return sortedBy(listed, ({ startedAt = '' }) => startedAt)
}

/** Writes the calls of models and tools in order of time. A tool ends after the calls that it began. */
function writeTrace(out: SessionWriter, { id, spans }: Trace): void {
  const main = createWriter(out)
  const own = createHistory(main)
  const histories = new Map<string, typeof own>()
  const ended = new Set<string>()
  const byId = new Map(spans.map((span) => [span.id, span]))
  const hasModels = spans.some(({ is }) => is === 'model')

  function agentsAround({ parent }: TracedSpan): TracedSpan[] {
    const seen = new Set<TracedSpan>()
    for (let above = byId.get(parent ?? ''); above !== undefined && !seen.has(above); ) {
      seen.add(above)
      above = byId.get(above.parent ?? '')
    }
    return [...seen].filter(({ is }) => is === 'agent')
  }

  function historyOf(span: TracedSpan): ReturnType<typeof createHistory> {
    let history = own
    for (const agent of agentsAround(span).slice(0, -1).reverse()) {
      const { writer } = history
      history = histories.get(agent.id) ?? createHistory(createWriter(out, agent.id, main))
      if (histories.has(agent.id)) continue
      histories.set(agent.id, history)
      const by = byId.get(agent.parent ?? '')
      const call = by?.is === 'tool' ? writer.peek(by.call?.id, by.name) : [...writer.open].at(-1)
      writer.begin(agent.id, { callId: call?.callId, type: agent.name })
    }
    return history
  }

  function write(span: PlacedSpan): void {
    const { at, call, end, error, name, start } = span
    const { writer, ...history } = historyOf(span)
    Object.assign(writer, { at, time: start, model: span.model })
    if (span.is === 'agent' && histories.has(span.id) && !ended.has(span.id)) {
      writer.time = end
      writer.end(span.id)
      ended.add(span.id)
    } else if (span.is === 'tool' && call !== undefined) {
      writer.time = end ?? start
      const open = writer.peek(call.id, name) ?? writer.peek(undefined, name)
      const id = open?.callId ?? call.id
      if (open === undefined && !writer.callIds.has(String(call.id)))
        writer.call({ id: call.id, name: name ?? 'tool', input: call.input })
      const outcome = { output: call.output ?? error, failed: error !== undefined || undefined }
      history.write([{ role: 'tool', parts: [{ is: 'result', id, name, ...outcome }] }])
    } else if (span.is === 'model' || (!hasModels && span.parent === undefined)) {
      const counts = new Map<string, number>()
      history.write(span.input(), counts)
      writer.time = end ?? start
      history.write(span.output(), counts)
      if (error !== undefined) writer.context('harness', 'error', error)
      writer.usage(span.id, span.usage ?? {})
    }
  }

  out.meta({ id })
  const timeOf = ({ end, is, start }: PlacedSpan): string =>
    (is === 'tool' || is === 'agent' ? end : undefined) ?? start ?? ''
  for (const span of sortedBy(spans, timeOf)) write(span)
  Object.assign(main, { time: undefined, at: undefined })
  for (const agent of histories.keys()) if (!ended.has(agent)) main.end(agent)
}
