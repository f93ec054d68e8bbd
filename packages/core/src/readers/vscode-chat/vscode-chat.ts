import { basename, dirname } from 'node:path'
import * as json from '../../session/json.ts'
import type { Reader } from '../reader/reader.ts'
import { filesAt } from '../shared/folder-files.ts'
import { linesUnlessDocument } from '../shared/framing.ts'

/**
 * Reads chats of VS Code, such as those with GitHub Copilot: `chatSessions/<id>.json` of a workspace's storage, the
 * newer `<id>.jsonl`, whose lines are changes to that JSON, and the file of "Chat: Export Chat…".
 * https://code.visualstudio.com/docs/copilot/chat/copilot-chat
 */
export const vscodeChatReader: Reader = {
  name: 'vscode-chat',
  framing: linesUnlessDocument,
  detect({ document, records }) {
    const first = json.object(document) ?? json.object(records[0])
    const chat = json.object(first?.v) ?? first
    return chat !== undefined && isChat(chat) ? 0.95 : 0
  },
  // Names the folder that the storage belongs to.
  sessionFiles: async (path) =>
    basename(dirname(path)) === 'chatSessions' ? await filesAt(dirname(dirname(path)), 'workspace.json') : [],
  read: async (records, out) => (await import('./read.ts')).readChat(records, out),
}

function isChat(chat: json.Fields): boolean {
  if (!Array.isArray(chat.requests)) return false
  const named = json.text(chat.sessionId) !== undefined && json.number(chat.creationDate) !== undefined
  const exported = json.text(chat.responderUsername) !== undefined
  return (named || exported) && json.objects(chat.requests).every((request) => 'message' in request)
}
