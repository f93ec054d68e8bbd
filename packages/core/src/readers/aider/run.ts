import type { FileChange, SourcePosition } from '../../session/event.ts'
import { type Conversation, createConversation, type WrittenCall } from '../messages/conversation.ts'
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
export interface AiderRun {
  readonly conversation: Conversation
  at: SourcePosition
  readonly user: Lines
  readonly answer: Lines
  readonly status: Lines
  readonly pending: PendingEdit[]
  inEdit: boolean
  inFence: boolean
  blankBefore: boolean
  /** Whether the next line continues a status of several lines. */
  more: boolean
  /** Whether aider's lines end with two blanks, as they were written, or an editor removed these. */
  trails: boolean | undefined
  timed: boolean
}

/** The state before the first line. */
export function createAiderRun(out: SessionWriter): AiderRun {
  const at = { file: 0, line: 1 }
  return {
    conversation: createConversation(out),
    at,
    user: { at, lines: [] },
    answer: { at, lines: [] },
    status: { at, lines: [] },
    pending: [],
    inEdit: false,
    inFence: false,
    blankBefore: true,
    more: false,
    trails: undefined,
    timed: false,
  }
}
