import type { Framing, LogHead, Reader } from '../reader/reader.ts'
import { type Conversation, createConversation } from './conversation.ts'
import { type MessageFamily, messageFamily } from './family.ts'
import { firstRecords, messageFraming } from './server-sent.ts'
import { listTalks, type MessageLog, type MessageShapes, readMessageLog } from './several.ts'

/** Where the reader of one interface's messages differs from the others. */
export interface MessageFormat {
  readonly name: MessageFamily
  readonly shapes: MessageShapes
  /** Tells a record of a recorded stream, where the interface has them. */
  readonly isStreamed?: (record: unknown) => boolean
  createLog(talk: Conversation): MessageLog
}

/** The reader of one interface's messages, in any of the layouts that logs keep them in. */
export function messageReader({ name, shapes, isStreamed, createLog }: MessageFormat): Reader {
  return {
    name,
    framing: isStreamed === undefined ? documentOrLines : messageFraming,
    detect: (head) =>
      isStreamed !== undefined && isStream(head, isStreamed) ? 0.95 : familyScore(head, name),
    sessions: (records) => listTalks(records, shapes),
    read: async (records, out) => {
      await readMessageLog(records, out, createLog(createConversation(out)))
    },
  }
}

function documentOrLines({ document }: LogHead): Framing {
  return document === undefined ? 'lines' : 'document'
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
