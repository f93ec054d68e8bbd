import type { FileChange, ToolResultEvent } from '../../session/event.ts'
import { asCount, asList, asNumber, asObject, asText, type JsonObject } from '../../session/json-values.ts'
import { addUsage, type TokenUsage, usageFields } from '../../session/usage.ts'
import { diffCounts } from '../shared/diff-counts.ts'
import type { Outcome, Writer, WrittenCall } from '../shared/writer.ts'

/** The calls of a session. Each method returns `false` if the form of a record is not known. */
export function createTools(writer: Writer) {
  const { out } = writer
  /** The latest call of each id, with the agent that made it. */
  const calls = new Map<string, { readonly agent: string; readonly input: unknown }>()
  /** Number of calls with an id that were requested, and how many of them began. */
  const asked = new Map<string, { calls: number; begun: number }>()
  /** Calls whose text was written as something else. */
  const hidden = new Map<string, 'answer' | 'command'>()
  const denied = new Set<string>()

  /** The final answer of a task that the agent had to finish alone. */
  function answer(text: string): void {
    if (text.trim() === '' || !writer.isNew(`answer ${text.trim()}`)) out.absorb('repeated answer')
    else writer.say(text, { phase: 'final' })
  }

  function writeCall(id: string, name: string, input: unknown): void {
    const count = asked.get(id) ?? { calls: 0, begun: 0 }
    asked.set(id, count)
    count.calls++
    const summary = name === 'task_complete' ? asText(asObject(input)?.summary) : undefined
    if (summary !== undefined) {
      hidden.set(id, 'answer')
      answer(summary)
      return
    }
    calls.set(id, { agent: writer.agent, input })
    writer.call({ id, name, input })
  }

  function completeHidden(id: string, text: string, failed: boolean): void {
    if (hidden.get(id) === 'command' && text !== '') writer.context('output', 'command', text)
    else if (failed) writer.contextOnce('harness', 'command', text)
    else out.absorb('repeated answer')
  }

  return {
    calls,
    answer,
    /** A call as the model's response requests it; `tool.execution_start` repeats it. */
    request(value: unknown): void {
      const { toolCallId, name, arguments: input } = asObject(value) ?? {}
      const id = asText(toolCallId)
      if (id === undefined || asText(name) === undefined) writer.other(value, 'tool request')
      else writeCall(id, String(name), input ?? null)
    },
    /** `tool.execution_start`: the call, if no response requested it. */
    start(data: JsonObject): boolean {
      const id = asText(data.toolCallId)
      const name = asText(data.toolName)
      if (id === undefined || name === undefined) return false
      const count = asked.get(id)
      writer.model = asText(data.model)
      if (hidden.get(id) === 'command' || (count !== undefined && count.begun < count.calls))
        out.absorb('repeated tool call')
      else writeCall(id, name, data.arguments ?? null)
      const begun = asked.get(id)
      if (begun !== undefined) begun.begun++
      return true
    },
    /** `tool.user_requested`: a command that the user ran with `!`. */
    userCommand(data: JsonObject): boolean {
      const id = asText(data.toolCallId)
      const command = asText(asObject(data.arguments)?.command)
      if (id === undefined || command === undefined) return false
      hidden.set(id, 'command')
      writer.write({ type: 'user', origin: 'command', text: `! ${command}` })
      return true
    },
    /** Remembers a refusal for the result of the call; the user may give a reason. */
    permission(data: JsonObject): void {
      const { kind, feedback } = asObject(data.result) ?? {}
      const id = asText(data.toolCallId)
      const isRefused = asText(kind)?.startsWith('denied') === true
      if (isRefused && id !== undefined) denied.add(id)
      if (isRefused) writer.ask(asText(feedback) ?? '', { origin: 'queued' })
      out.absorb('question to the user')
    },
    complete(data: JsonObject): boolean {
      const id = asText(data.toolCallId)
      if (id === undefined) return false
      const { content, detailedContent } = asObject(data.result) ?? {}
      const text = asText(content) ?? asText(asObject(data.error)?.message) ?? asText(detailedContent) ?? ''
      if (hidden.has(id)) {
        completeHidden(id, text, data.success === false)
        return true
      }
      const call = writer.take(id)
      writer.result(call, outcomeOf(data, text, call, denied.has(id)), id)
      return true
    },
  }
}

/** `detailedContent` is what the interface showed: for an edit, its diff. */
function outcomeOf(data: JsonObject, text: string, call: WrittenCall | undefined, denied: boolean): Outcome {
  const result = asObject(data.result)
  const status = statusOf(data.success, asObject(data.error), denied)
  const ended: ShellEnd = call?.kind === 'execute' ? shellEnd(text, data) : { text }
  const failed = ended.exitCode !== undefined && ended.exitCode !== 0
  const changes = call?.kind === 'edit' && status === 'ok' ? changesOf(call.input, result) : []
  const images = asList(result?.contents).filter((part) => asObject(part)?.type === 'image').length
  return { ...ended, status: status === 'ok' && failed ? 'error' : status, changes, images }
}

function statusOf(
  success: unknown,
  error: JsonObject | undefined,
  denied: boolean,
): ToolResultEvent['status'] {
  if (success !== false && error === undefined) return 'ok'
  const code = asText(error?.code) ?? ''
  const message = asText(error?.message) ?? ''
  // A refusal by a hook is not the user's.
  if (/^Denied by \w{1,40} hook\b/.test(message)) return 'error'
  if (denied || /denied|rejected/i.test(code)) return 'denied'
  if (/^(?:Denied by|The user rejected|Permission denied and)/.test(message)) return 'denied'
  if (/abort|cancel|interrupt/i.test(code)) return 'cancelled'
  return /^(?:aborted|cancelled|The user (?:aborted|cancelled))/i.test(message) ? 'cancelled' : 'error'
}

interface ShellEnd {
  readonly text: string
  readonly exitCode?: number | undefined
}

const ending = /\n?<(?:shellId: \S{1,100} completed|exited) with exit code (-?\d{1,10})>\s*$/

/** For a shell that ended: the last line of its output gives the exit code, and is removed. */
function shellEnd(text: string, data: JsonObject): ShellEnd {
  const tail = text.slice(-300)
  const found = ending.exec(tail)
  if (found === null)
    return { text, exitCode: asNumber(asObject(asObject(data.toolTelemetry)?.metrics)?.exit_code) }
  return { text: text.slice(0, text.length - tail.length + found.index), exitCode: Number(found[1]) }
}

function changesOf(input: unknown, result: JsonObject | undefined): FileChange[] {
  const diff = asText(result?.detailedContent)
  const path = asText(asObject(input)?.path)
  if (diff === undefined || path === undefined || diff.indexOf('\ndiff --git ', 1) !== -1) return []
  const counts = diffCounts(diff)
  if (counts === undefined) return []
  const head = diff.slice(0, 2000)
  const isNew = /^create file mode|^new file mode|^--- (?:a\/)?(?:dev\/null|\/dev\/null)$/m.test(head)
  const isGone = /^deleted file mode|^\+\+\+ (?:b\/)?(?:dev\/null|\/dev\/null)$/m.test(head)
  return [{ path, action: isNew ? 'created' : isGone ? 'deleted' : 'modified', ...counts }]
}

/** Counts tokens from what responses, runs and compactions report. */
export function createUsageCounter(writer: Writer) {
  const { out } = writer
  /** Usage since the run began, and of all responses, by model. */
  const run = new Map<string, TokenUsage>()
  const total = new Map<string, TokenUsage>()
  /** Ids of the responses whose whole usage is recorded. */
  const recorded = new Set<string>()
  let runs = 0
  /** Responses without input tokens since the sums of a run were reported. */
  let unread = 0

  function count(key: string, usage: TokenUsage, model = writer.model ?? 'unknown'): void {
    writer.usage(key, usage, model)
    if (usage.inputTokens === undefined) unread++
    else if (usage.outputTokens === undefined) unread--
    for (const sums of [run, total]) sums.set(model, addUsage(sums.get(model) ?? {}, usage))
  }

  /** Begins a run: a session is started or resumed. */
  function startRun(): void {
    run.clear()
    runs++
  }

  return {
    startRun,
    /** Output tokens of an answer, if nothing else counts the response. */
    answer(data: JsonObject, model = 'unknown'): void {
      const key = asText(data.apiCallId) ?? asText(data.messageId) ?? `response-${run.size} ${writer.time}`
      const outputTokens = asCount(data.outputTokens)
      if (outputTokens !== undefined && !recorded.has(key)) count(key, { outputTokens }, model)
    },
    /** The whole usage of a response, which only some versions keep. */
    response(data: JsonObject): void {
      const key = asText(data.apiCallId) ?? asText(data.messageId)
      const { outputTokens: _, ...usage } = usageOf(data)
      if (key !== undefined) count(`input ${key}`, usage, asText(data.model))
      out.absorb(key === undefined ? 'usage without response' : 'usage')
    },
    /** The usage of one request (1.0.102), before its answer. Returns `false` if its form is not known. */
    request(data: JsonObject): boolean {
      const usage = asObject(data.usage)
      const id = asText(usage?.apiCallId)
      if (usage === undefined || id === undefined) return false
      if (!recorded.has(id)) count(`record ${id}`, usageOf(usage), asText(usage.model))
      recorded.add(id)
      out.absorb('usage')
      return true
    },
    compaction(data: JsonObject): void {
      const reported = asObject(data.compactionTokensUsed)
      if (reported === undefined) return
      const key = `compaction ${asText(data.requestId) ?? asText(data.compactionAttemptId) ?? runs}`
      // The sums of later versions leave it out.
      if (recorded.size > 0) writer.usage(key, usageOf(reported), asText(reported.model))
      else count(key, usageOf(reported), asText(reported.model))
    },
    /**
     * The sums reported by model when a run ends, since 1.0.102 those of all runs of the session: what no response
     * reported goes to the main agent.
     */
    shutdown(data: JsonObject): void {
      const isCumulative = data.accountingSnapshot !== undefined
      for (const [model, metrics] of Object.entries(asObject(data.modelMetrics) ?? {})) {
        const sums = usageOf(asObject(asObject(metrics)?.usage))
        const counted = (isCumulative ? total : run).get(model) ?? {}
        const rest: Record<string, number> = {}
        for (const field of usageFields) {
          const sum = sums[field]
          if (sum !== undefined) rest[field] = Math.max(0, sum - (counted[field] ?? 0))
        }
        out.usage(`run ${isCumulative ? 'all' : runs} ${model}`, 'main', model, rest)
      }
      startRun()
      unread = 0
      out.absorb('usage')
    },
    /** Notes, at the end, that what the model read is not counted. */
    finish(): void {
      if (unread > 0)
        out.note(
          'partial-usage',
          `of ${unread} response${unread === 1 ? '' : 's'} the log has only the output tokens: the input is reported when a run ends`,
        )
    },
  }
}

/** The fields have our names; input includes the cache. */
function usageOf(value: JsonObject | undefined): TokenUsage {
  const counts = usageFields.map((field) => [field, asCount(value?.[field])] as const)
  return Object.fromEntries(counts.filter(([, count]) => count !== undefined))
}
