import { join } from 'node:path'
import type { AgentPlace } from './agent-place.ts'

/** The folder in which VS Code, or an editor built on it, keeps what belongs to no project. */
export function editorStorage({ env, home, platform }: AgentPlace, editor: string): string {
  const root =
    platform === 'darwin'
      ? join(home, 'Library', 'Application Support')
      : platform === 'win32'
        ? env.APPDATA || join(home, 'AppData', 'Roaming')
        : env.XDG_CONFIG_HOME || join(home, '.config')
  return join(root, editor, 'User', 'globalStorage')
}

/** VS Code, and editors built on it, by the names of their folders. */
export const editors = ['Code', 'Code - Insiders', 'VSCodium', 'Cursor', 'Windsurf']

/** Folders in which extensions of these editors keep their tasks. */
export function extensionTasks(place: AgentPlace, extensions: readonly string[]): string[] {
  const storages = [
    ...editors.map((editor) => editorStorage(place, editor)),
    ...['.vscode-server', '.cursor-server'].map((server) =>
      join(place.home, server, 'data', 'User', 'globalStorage'),
    ),
  ]
  return storages.flatMap((storage) => extensions.map((extension) => join(storage, extension, 'tasks')))
}
