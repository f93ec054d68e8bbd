import { asObject, asText } from '../../session/json-values.ts'
import type { LogHead } from '../reader/reader.ts'

const eventType = /^(?:session|user|assistant|tool|hook|system|subagent|permission|skill)\.[a-z_]+$/

/** How likely a log is one of Copilot CLI. */
export function detectCopilotCli({ records }: LogHead): number {
  let score = 0
  for (const value of records) {
    const record = asObject(value)
    const data = asObject(record?.data)
    const type = asText(record?.type)
    if (record === undefined || data === undefined || type === undefined) continue
    if (type === 'session.start' && (data.producer === 'copilot-agent' || asText(data.copilotVersion)))
      return 1
    const chained = 'parentId' in record && asText(record.id) !== undefined
    if (chained && eventType.test(type) && asText(record.timestamp) !== undefined) score = 0.9
  }
  return score
}
