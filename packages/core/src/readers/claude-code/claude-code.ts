import type { Reader } from '../reader/reader.ts'
import { detectClaudeCode, detectClaudeCodeDocument } from './detect.ts'
import { companionsOf, subagentFiles } from './files.ts'

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
