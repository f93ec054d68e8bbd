import type { FileChange, SourcePosition } from '../../session/event.ts'
import { createConversation, type WrittenCall } from '../messages/conversation.ts'
import type { SessionWriter } from '../reader/reader.ts'

/** Lines that belong together, and the position of the first. */
interface Lines {
  at: SourcePosition
  readonly lines: string[]
}

/** An edit that the model proposed and aider has not answered. */
interface PendingEdit {
  readonly call: WrittenCall
  readonly change: FileChange
}

/** The state of reading a history. */
export type AiderRun = ReturnType<typeof createAiderRun>

/** The state before the first line. */
export function createAiderRun(out: SessionWriter) {
  const at = { file: 0, line: 1 }
  return {
    conversation: createConversation(out),
    at,
    user: { at, lines: [] } as Lines,
    answer: { at, lines: [] } as Lines,
    status: { at, lines: [] } as Lines,
    pending: [] as PendingEdit[],
    inEdit: false,
    inFence: false,
    blankBefore: true,
    /** Whether the next line continues a status of several lines. */
    more: false,
    /** Whether aider's lines end with two blanks, as they were written, or an editor removed these. */
    trails: undefined as boolean | undefined,
    timed: false,
  }
}
