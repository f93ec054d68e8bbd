import { dirname, join } from 'node:path'
import type { AgentPlace } from './agent-place.ts'

/** When an agent deletes sessions by itself. */
export type RetentionRule = 'claude-code' | 'gemini-cli' | 'none'

/** Logs of one kind below some folders. */
export interface AgentLogs {
  /** Folders to search, if they exist. */
  folders(place: AgentPlace): readonly string[]
  /** Which files below are logs, by their path relative to the folder, with `/`. */
  readonly pattern: RegExp
  /** Levels of folders to search. */
  readonly depth: number
  /**
   * `folder`: the log is the folder that contains the file; `database`: the file holds many sessions. @default 'file'
   */
  readonly unit?: 'file' | 'folder' | 'database'
  /** The logs are in the project that they are about, which is the working folder. */
  readonly inProject?: true
}

/** An agent that keeps its sessions on this machine. */
export interface SourceAgent {
  readonly name: string
  /** Name of the reader for its logs. */
  readonly format: string
  readonly logs: readonly AgentLogs[]
  readonly retention: RetentionRule
}

/** An agent that has a reader of its own name and deletes nothing, unless `other` says otherwise. */
function agent(name: string, logs: readonly AgentLogs[], other?: Partial<SourceAgent>): SourceAgent {
  return { name, format: name, retention: 'none', logs, ...other }
}

const dataHome = ({ env, home }: AgentPlace): string => env.XDG_DATA_HOME || join(home, '.local', 'share')

const taskFile = /^[^/]+\/api_conversation_history\.json$/

/** The known agents, with where they keep their sessions and which files those are. */
export const sourceAgents: readonly SourceAgent[] = [
  agent(
    'claude-code',
    [
      {
        folders: ({ env, home }) => [join(env.CLAUDE_CONFIG_DIR || join(home, '.claude'), 'projects')],
        // Files of sub-agents belong to the session next to them.
        pattern: /^[^/]+\/(?!agent-)[^/]+\.jsonl(?:\.gz)?$/,
        depth: 2,
      },
    ],
    { retention: 'claude-code' },
  ),
  agent('codex', [
    {
      folders: ({ env, home }) => {
        const codex = env.CODEX_HOME || join(home, '.codex')
        return [join(codex, 'sessions'), join(codex, 'archived_sessions')]
      },
      pattern: /(?:^|\/)rollout-[^/]+\.jsonl(?:\.zst)?$/,
      depth: 4,
    },
  ]),
  agent('cursor', [
    {
      folders: (place) => [editorStorage(place, 'Cursor')],
      pattern: /^state\.vscdb$/,
      depth: 1,
      unit: 'database',
    },
    {
      folders: ({ home }) => [join(home, '.cursor', 'chats')],
      pattern: /^[^/]+\/[^/]+\/store\.db$/,
      depth: 3,
      unit: 'database',
    },
    {
      folders: ({ home }) => [join(home, '.cursor', 'projects')],
      pattern: /^[^/]+\/agent-transcripts\/(?:[^/]+\/)?[^/]+\.(?:jsonl|txt)$/,
      depth: 4,
    },
  ]),
  agent(
    'gemini-cli',
    [
      {
        folders: ({ env, home }) => [join(env.GEMINI_CLI_HOME || home, '.gemini', 'tmp')],
        pattern: /^[^/]+\/chats\/session-[^/]+\.jsonl?$/,
        depth: 3,
      },
    ],
    { retention: 'gemini-cli' },
  ),
  agent('opencode', [
    {
      folders: (place) => [join(dataHome(place), 'opencode')],
      pattern: /^opencode\.db$/,
      depth: 1,
      unit: 'database',
    },
    {
      folders: (place) => [join(dataHome(place), 'opencode', 'storage', 'session')],
      pattern: /^[^/]+\/ses_[^/]+\.json$/,
      depth: 2,
    },
  ]),
  agent('copilot-cli', [
    {
      folders: ({ env, home }) => [join(env.COPILOT_HOME || join(home, '.copilot'), 'session-state')],
      pattern: /^[^/]+(?:\/events)?\.jsonl$/,
      depth: 2,
    },
    {
      folders: ({ env, home }) => [join(env.COPILOT_HOME || join(home, '.copilot'), 'history-session-state')],
      pattern: /^[^/]+\.jsonl?$/,
      depth: 1,
    },
  ]),
  agent('cline', [
    {
      folders: (place) => [
        ...extensionTasks(place, ['saoudrizwan.claude-dev']),
        join(place.env.CLINE_DIR || join(place.home, '.cline'), 'data', 'tasks'),
      ],
      pattern: taskFile,
      depth: 2,
    },
    {
      folders: ({ env, home }) => [join(env.CLINE_DIR || join(home, '.cline'), 'data', 'sessions')],
      // Files of sub-agents, `agent_….messages.json`, belong to the session next to them.
      pattern: /^([^/]+)\/\1\.messages\.json$/,
      depth: 2,
    },
  ]),
  agent('qwen-code', [
    {
      folders: ({ env, home }) => [join(env.QWEN_HOME || join(home, '.qwen'), 'projects')],
      pattern: /^[^/]+\/chats\/[^/]+\.jsonl$/,
      depth: 3,
    },
  ]),
  agent(
    'roo',
    [
      {
        folders: (place) => extensionTasks(place, ['rooveterinaryinc.roo-cline', 'kilocode.kilo-code']),
        pattern: taskFile,
        depth: 2,
      },
    ],
    { format: 'cline' },
  ),
  agent('goose', [
    { folders: gooseFolders, pattern: /^sessions\.db$/, depth: 1, unit: 'database' },
    { folders: gooseFolders, pattern: /^[^/]+\.jsonl$/, depth: 1 },
  ]),
  agent('pi', [
    {
      folders: ({ env, home }) => [join(env.PI_CODING_AGENT_DIR || join(home, '.pi', 'agent'), 'sessions')],
      pattern: /^[^/]+\/[^/]+\.jsonl$/,
      depth: 2,
    },
  ]),
  agent('continue', [
    {
      folders: ({ env, home }) => [join(env.CONTINUE_GLOBAL_DIR || join(home, '.continue'), 'sessions')],
      pattern: /^(?!sessions\.json$)[^/]+\.json$/,
      depth: 1,
    },
  ]),
  agent('vscode-chat', [
    {
      folders: (place) =>
        editors.map((editor) => join(dirname(editorStorage(place, editor)), 'workspaceStorage')),
      pattern: /^[^/]+\/chatSessions\/[^/]+\.jsonl?$/,
      depth: 3,
    },
    {
      folders: (place) =>
        editors.map((editor) => join(editorStorage(place, editor), 'emptyWindowChatSessions')),
      pattern: /^[^/]+\.jsonl?$/,
      depth: 1,
    },
  ]),
  agent('openhands', [
    {
      folders: ({ home }) => [join(home, '.openhands', 'conversations')],
      pattern: /^[^/]+\/base_state\.json$/,
      depth: 2,
      unit: 'folder',
    },
  ]),
  agent('aider', [
    { folders: ({ cwd }) => [cwd], pattern: /^\.aider\.chat\.history\.md$/, depth: 1, inProject: true },
  ]),
  agent('specstory', [
    {
      folders: ({ cwd }) => [join(cwd, '.specstory', 'history')],
      pattern: /^[^/]+\.md$/,
      depth: 1,
      inProject: true,
    },
  ]),
  agent('factory-droid', [
    {
      folders: ({ home }) => [join(home, '.factory', 'sessions')],
      pattern: /(?:^|\/)[^/]+\.jsonl$/,
      depth: 3,
    },
  ]),
]

function gooseFolders(place: AgentPlace): string[] {
  const { env, home, platform } = place
  if (platform === 'win32')
    return [join(env.APPDATA || join(home, 'AppData', 'Roaming'), 'Block', 'goose', 'data', 'sessions')]
  return [join(dataHome(place), 'goose', 'sessions')]
}

/** The folder in which VS Code, or an editor built on it, keeps what belongs to no project. */
function editorStorage({ env, home, platform }: AgentPlace, editor: string): string {
  const root =
    platform === 'darwin'
      ? join(home, 'Library', 'Application Support')
      : platform === 'win32'
        ? env.APPDATA || join(home, 'AppData', 'Roaming')
        : env.XDG_CONFIG_HOME || join(home, '.config')
  return join(root, editor, 'User', 'globalStorage')
}

/** VS Code, and editors built on it, by the names of their folders. */
const editors = ['Code', 'Code - Insiders', 'VSCodium', 'Cursor', 'Windsurf']

/** Folders in which extensions of these editors keep their tasks. */
function extensionTasks(place: AgentPlace, extensions: readonly string[]): string[] {
  const storages = [
    ...editors.map((editor) => editorStorage(place, editor)),
    ...['.vscode-server', '.cursor-server'].map((server) =>
      join(place.home, server, 'data', 'User', 'globalStorage'),
    ),
  ]
  return storages.flatMap((storage) => extensions.map((extension) => join(storage, extension, 'tasks')))
}
