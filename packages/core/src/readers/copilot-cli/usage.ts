import * as json from '../../session/json.ts'
import { addUsage, type TokenUsage } from '../../session/usage.ts'
import { exceeding, usageIn } from '../shared/usage.ts'
import type { Writer } from '../shared/writer.ts'

/** Usages here have our names, and the input includes the cache. */
export function createUsageCounter(writer: Writer) {
  const { out } = writer
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

  function startRun(): void {
    run.clear()
    runs++
  }

  return {
    startRun,
    answer(data: json.Fields, model = 'unknown'): void {
      const key =
        json.text(data.apiCallId) ?? json.text(data.messageId) ?? `response-${run.size} ${writer.time}`
      const outputTokens = json.count(data.outputTokens)
      if (outputTokens !== undefined && !recorded.has(key)) count(key, { outputTokens }, model)
    },
    response(data: json.Fields): void {
      const key = json.text(data.apiCallId) ?? json.text(data.messageId)
      const { outputTokens: _, ...usage } = usageIn(data, 'tenfold')
      if (key !== undefined) count(`input ${key}`, usage, json.text(data.model))
      out.absorb(key === undefined ? 'usage without response' : 'usage')
    },
    request({ usage }: json.Fields): boolean {
      const { apiCallId, model, ...counts } = json.fields(usage)
      const id = json.text(apiCallId)
      if (id === undefined) return false
      if (!recorded.has(id)) count(`record ${id}`, usageIn(counts, 'tenfold'), json.text(model))
      recorded.add(id)
      out.absorb('usage')
      return true
    },
    compaction({ compactionAttemptId, compactionTokensUsed: used, requestId }: json.Fields): void {
      if (json.object(used) === undefined) return
      const { model, ...counts } = json.fields(used)
      const key = `compaction ${json.text(requestId) ?? json.text(compactionAttemptId) ?? runs}`
      // The sums of later versions leave it out.
      const add = recorded.size > 0 ? writer.usage : count
      add(key, usageIn(counts, 'tenfold'), json.text(model))
    },
    /** The sums of a run, since 1.0.102 of all runs: what no response reported goes to the main agent. */
    shutdown(data: json.Fields): void {
      const isCumulative = data.accountingSnapshot !== undefined
      for (const [model, metrics] of Object.entries(json.fields(data.modelMetrics))) {
        const counted = (isCumulative ? total : run).get(model) ?? {}
        const rest = exceeding(usageIn(json.at(metrics, 'usage'), 'tenfold'), counted)
        out.usage(`run ${isCumulative ? 'all' : runs} ${model}`, 'main', model, rest)
      }
      startRun()
      unread = 0
      out.absorb('usage')
    },
    finish(): void {
      const responses = `${unread} response${unread === 1 ? '' : 's'}`
      const message = `of ${responses} the log has only the output tokens: the input is reported when a run ends`
      if (unread > 0) out.note('partial-usage', message)
    },
  }
}
