import { basename, dirname, join } from 'node:path'
import * as json from '../../session/json.ts'
import { parseLine } from '../log/parse-line.ts'
import type { Reader } from '../reader/reader.ts'
import { filesAt, startOfFile } from '../shared/folder-files.ts'
import { agentOfFile, isSidechain, isStreamLine } from './shapes.ts'

/**
 * Reads the session logs of Claude Code, `~/.claude/projects/<folder>/<session>.jsonl`, with those of its subagents.
 */
export const claudeCodeReader: Reader = {
  name: 'claude-code',
  marksFailedCommands: true,
  detect: ({ records }) => bestScore(records),
  // Files `<log>/subagents/agent-*.jsonl`, and for older versions those next to the log with its session id.
  async sessionFiles(path, { records }) {
    // A separate log may also have such a name.
    if (agentOfFile(basename(path)) !== undefined && isSidechain(records) !== false) return []
    const own = ending.test(path) ? await agentFiles(join(path.replace(ending, ''), 'subagents')) : []
    const sessionId = sessionIdOf(records)
    if (sessionId === undefined) return own
    for (const candidate of await agentFiles(dirname(path))) {
      const head = candidate === path ? '' : await startOfFile(candidate, headBytes)
      const first = head.split('\n', 5).flatMap((line) => parseLine(line).values)
      if (sessionIdOf(first) === sessionId && isSidechain(first) !== false) own.push(candidate)
    }
    return own
  },
  // The folder of a session, with its subagents and large results, or the description of a subagent's file.
  companions(path) {
    const folder = path.replace(ending, '')
    if (folder === path) return []
    return [agentOfFile(basename(path)) === undefined ? folder : `${folder}.meta.json`]
  },
  read: async (records, out) => (await import('./read.ts')).readClaudeCode(records, out),
}

/** Reads exports of claude.ai/code, `{ loglines: [...] }`, and Claude Code's records as one JSON list. */
export const claudeCodeWebReader: Reader = {
  name: 'claude-code-web',
  marksFailedCommands: true,
  framing: 'document',
  detect({ document }) {
    const list = Array.isArray(document) ? document : json.fields(document).loglines
    if (!Array.isArray(list)) return 0
    const best = bestScore(list.slice(0, 50))
    return Array.isArray(document) ? best * 0.9 : Math.max(best, 0.5)
  },
  read: async (documents, out) => (await import('./read.ts')).readClaudeCodeDocuments(documents, out),
}

const sessionMarks = 'parentUuid isSidechain leafUuid permissionMode operation uuid mode aiTitle'.split(' ')

function bestScore(records: readonly unknown[]): number {
  return Math.max(0, ...records.map((record) => scoreOf(json.fields(record))))
}

function scoreOf(record: json.Fields): number {
  const { leafUuid, message, sessionId, snapshot, subtype, systemPayload, type } = record
  if (typeof type !== 'string') return 0
  // Qwen Code writes the same fields around messages of the Gemini API.
  if (Array.isArray(json.at(message, 'parts')) || json.object(systemPayload) !== undefined) return 0
  if (typeof sessionId === 'string' && sessionMarks.some((mark) => Object.hasOwn(record, mark))) return 1
  if (isStreamLine(record) && (subtype === 'init' || 'parent_tool_use_id' in record)) return 1
  if (type === 'summary' && typeof leafUuid === 'string') return 1
  if (type === 'file-history-snapshot' && json.object(snapshot) !== undefined) return 1
  return (type === 'user' || type === 'assistant') && json.object(message) !== undefined ? 0.3 : 0
}

const headBytes = 64 * 1024
const maxCandidates = 1000
const ending = /\.jsonl(?:\.gz|\.zst)?$/

async function agentFiles(folder: string): Promise<string[]> {
  return (await filesAt(folder, /^agent-.+\.jsonl$/)).slice(0, maxCandidates)
}

function sessionIdOf(records: readonly unknown[]): string | undefined {
  return json.texts(records.map((record) => json.at(record, 'sessionId')))[0]
}
