import { basename, dirname, join } from 'node:path'
import type { Reader } from '../reader/reader.ts'
import { namesIn } from '../shared/folder-files.ts'
import { detectChat } from './detect.ts'

/**
 * Reads chats of VS Code, such as those with GitHub Copilot: `chatSessions/<id>.json` of a workspace's storage, the
 * newer `<id>.jsonl`, whose lines are changes to that JSON, and the file that "Chat: Export Chat…" writes.
 * https://code.visualstudio.com/docs/copilot/chat/copilot-chat
 */
export const vscodeChatReader: Reader = {
  name: 'vscode-chat',
  framing: ({ document }) => (document === undefined ? 'lines' : 'document'),
  detect: detectChat,
  sessionFiles: workspaceFile,
  read: async (records, out) => (await import('./read.ts')).readChat(records, out),
}

const fileName = 'workspace.json'

/** The file that names the folder which the storage belongs to. */
async function workspaceFile(path: string): Promise<readonly string[]> {
  const folder = dirname(path)
  if (basename(folder) !== 'chatSessions') return []
  const storage = dirname(folder)
  const { files } = await namesIn(storage)
  return files.includes(fileName) ? [join(storage, fileName)] : []
}
