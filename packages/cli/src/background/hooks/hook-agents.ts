export const hookAgents = [
  'claude-code',
  'codex',
  'cursor',
  'gemini',
  'opencode',
  'pi',
  'copilot-cli',
  'cline',
  'qwen-code',
] as const
export type HookAgent = (typeof hookAgents)[number]

/** `gemini-cli` is what `tenfold sources` calls it. */
export function hookAgentOf(name: string | undefined): HookAgent | undefined {
  return hookAgents.find((agent) => agent === (name === 'gemini-cli' ? 'gemini' : name))
}

export function isHookAgent(name: string | undefined): name is HookAgent {
  return hookAgents.some((agent) => agent === name)
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
