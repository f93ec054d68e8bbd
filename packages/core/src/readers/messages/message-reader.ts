import type { LogHead, Reader } from '../reader/reader.ts'
import { linesUnlessDocument } from '../shared/framing.ts'
import { type Conversation, createConversation } from './conversation.ts'
import { type MessageFamily, messageFamily } from './family.ts'
import { firstRecords, messageFraming } from './server-sent.ts'
import { listConversations, type MessageLog, type MessageShapes, readMessageLog } from './several.ts'

/** The features that distinguish the reader of one API's messages from the others. */
export interface MessageFormat {
  readonly name: MessageFamily
  readonly shapes: MessageShapes
  /** Recognises a record of a recorded stream, if the API has them. */
  readonly isStreamed?: (record: unknown) => boolean
  createLog(conversation: Conversation): MessageLog
}

/** Creates the reader of one API's messages, in any of the layouts in which logs keep them. */
export function messageReader({ name, shapes, isStreamed, createLog }: MessageFormat): Reader {
  return {
    name,
    framing: isStreamed === undefined ? linesUnlessDocument : messageFraming,
    detect: (head) =>
      isStreamed !== undefined && isStream(head, isStreamed) ? 0.95 : familyScore(head, name),
    sessions: (records) => listConversations(records, shapes),
    read: async (records, out) => {
      await readMessageLog(records, out, createLog(createConversation(out)))
    },
  }
}

function isStream(head: LogHead, isStreamed: (record: unknown) => boolean): boolean {
  const records = firstRecords(head)
  const streamed = records.filter(isStreamed)
  return streamed.length > 0 && streamed.length > records.length / 2
}

function familyScore(head: LogHead, name: MessageFamily): number {
  const guess = messageFamily(head)
  return guess?.family === name ? guess.score : 0
}
