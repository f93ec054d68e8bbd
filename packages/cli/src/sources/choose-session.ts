import { createInterface } from 'node:readline/promises'
import type { CommandContext } from '../terminal/terminal.ts'
import { type FolderSession, sessionsOfFolder, sessionText } from './sessions-of-folder.ts'

const shown = 9

/**
 * Returns the path of the newest session that an agent ran in a folder, undefined if there is none. In a terminal the
 * user picks one of the newest.
 */
export async function chooseSession(
  folder: string,
  { terminal, signal }: CommandContext,
): Promise<string | undefined> {
  const asks = process.stdin.isTTY && process.stdout.isTTY
  const sessions = await sessionsOfFolder(folder, asks ? shown : 1, signal)
  const [newest] = sessions
  if (newest === undefined) return undefined
  const now = new Date()
  if (asks && sessions.length > 1) return await pick(sessions, now, { terminal, signal })
  terminal.note(`The newest session of this folder: ${sessionText(newest, now)}`)
  return newest.path
}

async function pick(
  sessions: readonly FolderSession[],
  now: Date,
  { terminal, signal }: Pick<CommandContext, 'terminal' | 'signal'>,
): Promise<string> {
  terminal.warn('Sessions of this folder, newest first:')
  for (const [index, session] of sessions.entries())
    terminal.warn(`  ${index + 1}  ${sessionText(session, now)}`)
  const prompt = createInterface({ input: process.stdin, output: process.stderr })
  try {
    for (;;) {
      const answer = (await prompt.question(`Compress which one? [1] `, { signal })).trim()
      const session = sessions[Number(answer === '' ? '1' : answer) - 1]
      if (session !== undefined) return session.path
      terminal.warn(`Expected a number from 1 to ${sessions.length}.`)
    }
  } finally {
    prompt.close()
  }
}
