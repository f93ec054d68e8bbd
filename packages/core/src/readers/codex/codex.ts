import type { Reader } from '../reader/reader.ts'
import { detectCodex } from './detect.ts'
import { childRollouts } from './files.ts'

/**
 * Reads rollout files of OpenAI Codex CLI, `~/.codex/sessions/YYYY/MM/DD/rollout-*.jsonl`: lines of `{timestamp, type,
 * payload}`, or in the oldest ones bare items without times. The output of `codex exec --json` is another format.
 * https://github.com/openai/codex/blob/main/codex-rs/protocol/src/protocol.rs
 */
export const codexReader: Reader = {
  name: 'codex',
  detect: detectCodex,
  sessionFiles: childRollouts,
  read: async (records, out) => (await import('./read.ts')).readCodex(records, out),
}
