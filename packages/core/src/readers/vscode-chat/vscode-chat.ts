import { basename, dirname } from 'node:path'
import { asNumber, asObject, asText, type JsonObject, objectsIn } from '../../session/json-values.ts'
import type { LogHead, Reader } from '../reader/reader.ts'
import { filesAt } from '../shared/folder-files.ts'
import { isChange } from './read.ts'

/**
 * Reads chats of VS Code, such as those with GitHub Copilot: `chatSessions/<id>.json` of a workspace's storage, the
 * newer `<id>.jsonl`, whose lines are changes to that JSON, and the file that "Chat: Export Chat…" writes.
 * https://code.visualstudio.com/docs/copilot/chat/copilot-chat
 */
export const vscodeChatReader: Reader = {
  name: 'vscode-chat',
  framing: ({ document }) => (document === undefined ? 'lines' : 'document'),
  detect,
  // The file that names the folder which the storage belongs to.
  sessionFiles: async (path) =>
    basename(dirname(path)) === 'chatSessions' ? await filesAt(dirname(dirname(path)), 'workspace.json') : [],
  read: async (records, out) => (await import('./read.ts')).readChat(records, out),
}

/** Scores a chat as one JSON document, or as lines that change one: they begin with a whole chat. */
function detect({ document, records }: LogHead): number {
  const first = asObject(document) ?? asObject(records[0])
  const chat = first !== undefined && isChange(first) ? asObject(first.v) : first
  return chat !== undefined && isChat(chat) ? 0.95 : 0
}

function isChat(chat: JsonObject): boolean {
  if (!Array.isArray(chat.requests)) return false
  const named = asText(chat.sessionId) !== undefined && asNumber(chat.creationDate) !== undefined
  const exported = asText(chat.responderUsername) !== undefined
  return (named || exported) && objectsIn(chat.requests).every((request) => 'message' in request)
}
