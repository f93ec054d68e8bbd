import { asObject } from '../../session/json-values.ts'
import type { LogHead, Reader } from '../reader/reader.ts'
import { companionsOf, subagentFiles } from './files.ts'
import { isStreamLine } from './stream.ts'

/**
 * Reads the session logs of Claude Code, `~/.claude/projects/<folder>/<session>.jsonl`, with those of its subagents.
 */
export const claudeCodeReader: Reader = {
  name: 'claude-code',
  marksFailedCommands: true,
  detect: detectClaudeCode,
  sessionFiles: subagentFiles,
  companions: companionsOf,
  read: async (records, out) => (await import('./read.ts')).readClaudeCode(records, out),
}

/** Reads exports of claude.ai/code, `{ loglines: [...] }`, and Claude Code's records as one JSON list. */
export const claudeCodeWebReader: Reader = {
  name: 'claude-code-web',
  marksFailedCommands: true,
  framing: 'document',
  detect: detectClaudeCodeDocument,
  read: async (documents, out) => (await import('./read.ts')).readClaudeCodeDocuments(documents, out),
}

const sessionMarks = 'parentUuid isSidechain leafUuid permissionMode operation uuid mode aiTitle'.split(' ')

/** How likely a record is one of Claude Code's: 1, or 0.3 for a message without the fields around it, otherwise 0. */
function recordScore(value: unknown): number {
  const record = asObject(value)
  if (record === undefined || typeof record.type !== 'string') return 0
  // Qwen Code writes the same fields around messages of the Gemini API.
  if (Array.isArray(asObject(record.message)?.parts) || asObject(record.systemPayload) !== undefined) return 0
  if (typeof record.sessionId === 'string' && sessionMarks.some((mark) => Object.hasOwn(record, mark)))
    return 1
  if (isStreamLine(record) && (record.subtype === 'init' || 'parent_tool_use_id' in record)) return 1
  if (record.type === 'summary' && typeof record.leafUuid === 'string') return 1
  if (record.type === 'file-history-snapshot' && asObject(record.snapshot) !== undefined) return 1
  const isMessage = record.type === 'user' || record.type === 'assistant'
  return isMessage && asObject(record.message) !== undefined ? 0.3 : 0
}

function detectClaudeCode({ records }: LogHead): number {
  return records.reduce<number>((best, record) => Math.max(best, recordScore(record)), 0)
}

/** Score of one document: `{ loglines: [...] }` of the web, or a list of Claude Code's records. */
function detectClaudeCodeDocument({ document }: LogHead): number {
  const list = Array.isArray(document) ? document : asObject(document)?.loglines
  if (!Array.isArray(list)) return 0
  const best = list.slice(0, 50).reduce<number>((score, record) => Math.max(score, recordScore(record)), 0)
  return Array.isArray(document) ? best * 0.9 : Math.max(best, 0.5)
}
