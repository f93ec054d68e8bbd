import * as json from '../../session/json.ts'
import { usageIn } from '../shared/usage.ts'
import { timeOfEpoch } from '../shared/values.ts'
import { messagesIn } from './any-message.ts'
import { type TracedSpan, traceReader } from './trace-reader.ts'

/**
 * Reads runs of LangSmith from its API or its tracers, with those in `child_runs`: a list, or one per line.
 * https://docs.langchain.com/langsmith/run-data-format
 */
export const langSmithReader = traceReader('langsmith', runsIn)

function runsIn(value: unknown): TracedSpan[] {
  if (Array.isArray(value)) return value.flatMap(runsIn)
  const run = json.object(value)
  const [id, type] = [json.text(run?.id), json.text(run?.run_type)]
  if (run === undefined || id === undefined || type === undefined || !('inputs' in run)) return []
  const { error, inputs, outputs, parent_run_id, trace_id, extra } = run
  const metadata = json.object(extra, 'metadata')
  const session = json.text(metadata?.thread_id) ?? json.text(metadata?.session_id)
  const is = type === 'llm' ? 'model' : type === 'tool' ? 'tool' : 'other'
  const output = messagesIn(outputs, 'assistant')
  const answer = output.at(-1)?.fields
  const returned = json.object(outputs)?.output ?? outputs
  const told = messagesIn(returned, 'assistant')[0]
  const result = told?.role === 'tool' ? told.fields : undefined
  const span: TracedSpan = {
    id,
    is,
    parent: json.text(parent_run_id),
    trace: json.text(trace_id) ?? session ?? id,
    session,
    name: json.text(run.name),
    start: timeOf(run.start_time),
    end: timeOf(run.end_time),
    input: () => messagesIn(inputs, 'user'),
    output: () => messagesIn(outputs, 'assistant'),
    model: json.text(metadata?.ls_model_name) ?? json.text(answer?.response_metadata, 'model_name'),
    usage: usageOf(answer, json.object(outputs)),
    // The stack of an error shows the place in the program, not the fault.
    error: json.text(error)?.split(/\n\n(?=\w*Error: )|\n+ {4}at /, 1)[0],
    call: { id: result?.tool_call_id, input: inputs, output: result?.content ?? returned },
  }
  return [span, ...json.list(run.child_runs).flatMap(runsIn)]
}

function usageOf(answer: json.Fields | undefined, outputs: json.Fields | undefined): TracedSpan['usage'] {
  const told = json.object(answer?.usage_metadata) ?? json.object(outputs?.usage_metadata)
  const usage = json.fields(outputs?.usage)
  if (told !== undefined) return usageIn(told, 'langchain')
  if ('prompt_tokens' in usage) return usageIn(usage, 'chat')
  return usageIn(usage, 'input_tokens_details' in usage ? 'responses' : 'anthropic')
}

/** LangSmith writes times in UTC without a zone. */
function timeOf(value: unknown): string | undefined {
  const text = json.text(value) ?? ''
  return timeOfEpoch(value) ?? json.time(/(?:Z|[+-]\d\d:?\d\d)$/.test(text) ? text : `${text}Z`)
}
