import type { Reader } from '../reader/reader.ts'
import { linesUnlessDocument } from '../shared/framing.ts'
import { detectOpenHands } from './detect.ts'
import { companionsOf, conversationFiles, openHandsLogs } from './folder.ts'

/**
 * Reads logs of OpenHands. V1: conversations, `base_state.json` with `events/*.json`, or their events as a list or
 * JSONL. V0: trajectories, lists of actions and observations, and rows of `output.jsonl` that each hold one as
 * `history`. https://docs.all-hands.dev
 */
export const openHandsReader: Reader = {
  name: 'openhands',
  framing: linesUnlessDocument,
  detect: detectOpenHands,
  logsInFolder: openHandsLogs,
  sessionFiles: conversationFiles,
  companions: companionsOf,
  sessions: async (records) => (await import('./read.ts')).listRows(records),
  read: async (records, out) => (await import('./read.ts')).readOpenHands(records, out),
}
