/** The agents with hooks. */
const agents = {
  'claude-code': { projectVariable: 'CLAUDE_PROJECT_DIR' },
  codex: {},
  cursor: { projectVariable: 'CURSOR_PROJECT_DIR', emptyAnswer: '{}' },
  gemini: { projectVariable: 'GEMINI_PROJECT_DIR', emptyAnswer: '{}' },
  opencode: {},
  pi: {},
  'copilot-cli': {},
  cline: {},
  'qwen-code': { projectVariable: 'QWEN_PROJECT_DIR' },
} as const

interface AgentTraits {
  /** Names the folder that the agent was started in: it may work in a subfolder. */
  readonly projectVariable?: string
  /** Of an agent that parses what a hook prints as JSON; the others accept silence. */
  readonly emptyAnswer?: string
}

export type HookAgent = keyof typeof agents
export const hookAgents = Object.keys(agents) as HookAgent[]

export function traitsOf(agent: HookAgent): AgentTraits {
  return agents[agent]
}

/** `gemini-cli` is what `tenfold sources` calls it. */
export function hookAgentOf(name: string | undefined): HookAgent | undefined {
  return hookAgents.find((agent) => agent === (name === 'gemini-cli' ? 'gemini' : name))
}

export function isHookAgent(name: string | undefined): name is HookAgent {
  return Object.hasOwn(agents, name ?? '')
}

export type HookAction =
  | 'session-start'
  | 'session-end'
  | 'turn-end'
  | 'before-compaction'
  | 'before-subagent'
  | 'before-tool'
  | 'subagent-end'

// Names in lower case: Cursor starts its own with a small letter, and also runs the hooks of Claude Code.
// https://code.claude.com/docs/en/hooks https://developers.openai.com/codex/hooks
// https://cursor.com/docs/agent/hooks https://geminicli.com/docs/hooks/reference
// https://docs.github.com/en/copilot/reference/hooks-configuration
const actions = new Map<string, HookAction>([
  ['sessionstart', 'session-start'],
  ['sessionend', 'session-end'],
  ['stop', 'turn-end'],
  ['afteragent', 'turn-end'],
  ['precompact', 'before-compaction'],
  ['precompress', 'before-compaction'],
  ['subagentstart', 'before-subagent'],
  ['pretooluse', 'before-tool'],
  ['beforetool', 'before-tool'],
  ['subagentstop', 'subagent-end'],
  // Copilot CLI.
  ['agentstop', 'turn-end'],
])

export function actionOf(event: string): HookAction | undefined {
  return actions.get(event.toLowerCase())
}

const subagentTools = new Set([
  'task',
  'agent',
  'delegate_to_agent',
  'invoke_agent',
  'invoke_subagent',
  'codebase_investigator',
  'generalist',
])

export function startsSubagent(tool: string | undefined): boolean {
  const name = tool?.toLowerCase() ?? ''
  // Codex puts the namespace of a tool before its name, without a separator.
  return subagentTools.has(name) || name.endsWith('spawn_agent')
}

/** The marker of tenfold's own processes and of all that they start: hooks of such sessions do nothing. */
export const ownMarker = 'TENFOLD_HOOK'

export function isOwnProcess(env: NodeJS.ProcessEnv = process.env): boolean {
  return env[ownMarker] !== undefined && env[ownMarker] !== '' && env[ownMarker] !== '0'
}
