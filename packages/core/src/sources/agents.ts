import { dirname, join } from 'node:path'

/** Which rule an agent follows to delete its sessions by itself. */
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
  /** The logs are inside the project, which is the working folder. */
  readonly inProject?: true
}

/** An agent that keeps its sessions on this machine. */
export interface SourceAgent {
  /** Name of the agent, such as `codex`. */
  readonly name: string
  /** Name of the reader for its logs. */
  readonly format: string
  /** Folders in which the agent keeps its logs. */
  readonly logs: readonly AgentLogs[]
  /** When the agent deletes its own logs. */
  readonly retention: RetentionRule
}

/** An agent whose reader has its name and which deletes nothing, unless `other` differs. */
function agent(name: string, logs: readonly AgentLogs[], other?: Partial<SourceAgent>): SourceAgent {
  return { name, format: name, retention: 'none', logs, ...other }
}

type Folders = AgentLogs['folders']

const logs = (
  folders: Folders,
  pattern: RegExp,
  depth: number,
  more?: Pick<AgentLogs, 'unit' | 'inProject'>,
): AgentLogs => ({ folders, pattern, depth, ...more })

/** A folder inside the one that an environment variable names, or inside `own` of the home folder. */
const inHome =
  (variable: string, own: readonly string[], ...inside: readonly string[]): Folders =>
  ({ env, home }) => [join(env[variable] || join(home, ...own), ...inside)]

const inData =
  (...inside: readonly string[]): Folders =>
  ({ env, home }) => [join(env.XDG_DATA_HOME || join(home, '.local', 'share'), ...inside)]

const database = { unit: 'database' } as const
const inProject = { inProject: true } as const
const taskFile = /^[^/]+\/api_conversation_history\.json$/

export const sourceAgents: readonly SourceAgent[] = [
  // Files of subagents belong to the session next to them.
  agent(
    'claude-code',
    [
      logs(
        inHome('CLAUDE_CONFIG_DIR', ['.claude'], 'projects'),
        /^[^/]+\/(?!agent-)[^/]+\.jsonl(?:\.gz)?$/,
        2,
      ),
    ],
    { retention: 'claude-code' },
  ),
  agent(
    'codex',
    ['sessions', 'archived_sessions'].map((folder) =>
      logs(inHome('CODEX_HOME', ['.codex'], folder), /(?:^|\/)rollout-[^/]+\.jsonl(?:\.zst)?$/, 4),
    ),
  ),
  agent('cursor', [
    logs((place) => [editorStorage(place, 'Cursor')], /^state\.vscdb$/, 1, database),
    logs(({ home }) => [join(home, '.cursor', 'chats')], /^[^/]+\/[^/]+\/store\.db$/, 3, database),
    logs(
      ({ home }) => [join(home, '.cursor', 'projects')],
      /^[^/]+\/agent-transcripts\/(?:[^/]+\/)?[^/]+\.(?:jsonl|txt)$/,
      4,
    ),
  ]),
  agent(
    'gemini-cli',
    [logs(inHome('GEMINI_CLI_HOME', [], '.gemini', 'tmp'), /^[^/]+\/chats\/session-[^/]+\.jsonl?$/, 3)],
    { retention: 'gemini-cli' },
  ),
  agent('opencode', [
    logs(inData('opencode'), /^opencode\.db$/, 1, database),
    logs(inData('opencode', 'storage', 'session'), /^[^/]+\/ses_[^/]+\.json$/, 2),
  ]),
  agent('copilot-cli', [
    logs(inHome('COPILOT_HOME', ['.copilot'], 'session-state'), /^[^/]+(?:\/events)?\.jsonl$/, 2),
    logs(inHome('COPILOT_HOME', ['.copilot'], 'history-session-state'), /^[^/]+\.jsonl?$/, 1),
  ]),
  agent('cline', [
    logs((place) => extensionTasks(place, ['saoudrizwan.claude-dev']), taskFile, 2),
    logs(inHome('CLINE_DIR', ['.cline'], 'data', 'tasks'), taskFile, 2),
    // Files of subagents, `agent_….messages.json`, belong to the session next to them.
    logs(inHome('CLINE_DIR', ['.cline'], 'data', 'sessions'), /^([^/]+)\/\1\.messages\.json$/, 2),
  ]),
  agent('qwen-code', [logs(inHome('QWEN_HOME', ['.qwen'], 'projects'), /^[^/]+\/chats\/[^/]+\.jsonl$/, 3)]),
  agent(
    'roo',
    [
      logs(
        (place) => extensionTasks(place, ['rooveterinaryinc.roo-cline', 'kilocode.kilo-code']),
        taskFile,
        2,
      ),
    ],
    { format: 'cline' },
  ),
  agent('goose', [
    logs(gooseFolders, /^sessions\.db$/, 1, database),
    logs(gooseFolders, /^[^/]+\.jsonl$/, 1),
  ]),
  agent('pi', [
    logs(inHome('PI_CODING_AGENT_DIR', ['.pi', 'agent'], 'sessions'), /^[^/]+\/[^/]+\.jsonl$/, 2),
  ]),
  agent('continue', [
    logs(inHome('CONTINUE_GLOBAL_DIR', ['.continue'], 'sessions'), /^(?!sessions\.json$)[^/]+\.json$/, 1),
  ]),
  agent('vscode-chat', [
    logs(
      (place) => editors.map((editor) => join(dirname(editorStorage(place, editor)), 'workspaceStorage')),
      /^[^/]+\/chatSessions\/[^/]+\.jsonl?$/,
      3,
    ),
    logs(
      (place) => editors.map((editor) => join(editorStorage(place, editor), 'emptyWindowChatSessions')),
      /^[^/]+\.jsonl?$/,
      1,
    ),
  ]),
  agent('openhands', [
    logs(({ home }) => [join(home, '.openhands', 'conversations')], /^[^/]+\/base_state\.json$/, 2, {
      unit: 'folder',
    }),
  ]),
  agent('aider', [logs(({ cwd }) => [cwd], /^\.aider\.chat\.history\.md$/, 1, inProject)]),
  agent('specstory', [logs(({ cwd }) => [join(cwd, '.specstory', 'history')], /^[^/]+\.md$/, 1, inProject)]),
  agent('factory-droid', [
    logs(({ home }) => [join(home, '.factory', 'sessions')], /(?:^|\/)[^/]+\.jsonl$/, 3),
  ]),
]

function gooseFolders(place: AgentPlace): string[] {
  const { env, home, platform } = place
  if (platform === 'win32')
    return [join(env.APPDATA || join(home, 'AppData', 'Roaming'), 'Block', 'goose', 'data', 'sessions')]
  return [...inData('goose', 'sessions')(place)]
}

/** The folder in which VS Code, or an editor built on it, keeps data that belongs to no project. */
function editorStorage({ env, home, platform }: AgentPlace, editor: string): string {
  const root =
    platform === 'darwin'
      ? join(home, 'Library', 'Application Support')
      : platform === 'win32'
        ? env.APPDATA || join(home, 'AppData', 'Roaming')
        : env.XDG_CONFIG_HOME || join(home, '.config')
  return join(root, editor, 'User', 'globalStorage')
}

const editors = ['Code', 'Code - Insiders', 'VSCodium', 'Cursor', 'Windsurf']

function extensionTasks(place: AgentPlace, extensions: readonly string[]): string[] {
  const storages = [
    ...editors.map((editor) => editorStorage(place, editor)),
    ...['.vscode-server', '.cursor-server'].map((server) =>
      join(place.home, server, 'data', 'User', 'globalStorage'),
    ),
  ]
  return storages.flatMap((storage) => extensions.map((extension) => join(storage, extension, 'tasks')))
}

/** What determines where an agent keeps its sessions. */
export interface AgentPlace {
  /** Environment variables that move an agent's folders. */
  readonly env: NodeJS.ProcessEnv
  /** Home folder of the user. */
  readonly home: string
  /** The project's folder. */
  readonly cwd: string
  /** Some agents' folders depend on it. */
  readonly platform: NodeJS.Platform
}
