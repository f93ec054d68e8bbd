import { homedir } from 'node:os'
import { join } from 'node:path'

interface AgentTraits {
  /** Variable with the folder that the agent was started in; the agent may be working in a subfolder. */
  readonly projectVariable?: string
  /** What a hook prints if it has no answer, for agents that parse its output as JSON. The others accept no output. */
  readonly emptyAnswer?: string
  readonly answer?: Answer
  /** Places of a session's log if the agent does not name it; the first that exists is used. */
  readonly logs?: (id: string, cwd: string | undefined) => readonly string[]
  /** The agent may write the log of a short session a few milliseconds after its last hook. */
  readonly writesLate?: true
  /** How long a new session waits for the previous session's bundle, in milliseconds from the start of its hook. */
  readonly wait?: number
}

/** Makes what a hook prints of the brief for the agent and the notice for its user. */
type Answer = (context: string | undefined, notice: string | undefined) => object

const toPlugin: Answer = (context, notice) => ({ context, notice })

const usualAnswer: Answer = (context, notice) => ({
  systemMessage: notice,
  hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext: context },
})

const agents = {
  'claude-code': { projectVariable: 'CLAUDE_PROJECT_DIR' },
  codex: {},
  cursor: {
    projectVariable: 'CURSOR_PROJECT_DIR',
    emptyAnswer: '{}',
    answer: (context) => ({ additional_context: context }),
    logs(id, cwd) {
      const slug = cwd?.replace(/^[/\\]+/, '').replaceAll(/[^A-Za-z0-9]/g, '-')
      const folder = join(homedir(), '.cursor', 'projects', slug ?? '', 'agent-transcripts')
      const names = [join(id, `${id}.jsonl`), `${id}.jsonl`, `${id}.txt`]
      return slug === undefined ? [] : names.map((name) => join(folder, name))
    },
  },
  gemini: {
    projectVariable: 'GEMINI_PROJECT_DIR',
    emptyAnswer: '{}',
    // Without suppressOutput, Gemini CLI prints the notice twice if it has no terminal.
    answer: (context, notice) => ({ suppressOutput: true, ...usualAnswer(context, notice) }),
  },
  opencode: {
    answer: toPlugin,
    logs: () => [
      join(process.env.XDG_DATA_HOME || join(homedir(), '.local', 'share'), 'opencode', 'opencode.db'),
    ],
  },
  pi: { answer: toPlugin },
  'copilot-cli': {
    answer: (context) => ({ additionalContext: context }),
    writesLate: true,
    logs: (id) => [
      join(process.env.COPILOT_HOME || join(homedir(), '.copilot'), 'session-state', id, 'events.jsonl'),
    ],
  },
  cline: {
    answer: toPlugin,
    // tenfold's own time limit for hooks is two seconds in Cline and four in other agents.
    wait: 1_000,
    logs: (id) => [
      join(process.env.CLINE_DIR || join(homedir(), '.cline'), 'data', 'sessions', id, `${id}.messages.json`),
    ],
  },
  'qwen-code': { projectVariable: 'QWEN_PROJECT_DIR' },
} satisfies Record<string, AgentTraits>

export type HookAgent = keyof typeof agents
export const hookAgents = Object.keys(agents) as HookAgent[]

export function traitsOf(agent: HookAgent): AgentTraits & Required<Pick<AgentTraits, 'answer' | 'wait'>> {
  return { answer: usualAnswer, wait: 2_500, ...agents[agent] }
}

/** Also accepts `gemini-cli`, the name that `tenfold sources` prints. */
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

// Names are in lower case: Cursor's own events start with a small letter, and it also runs Claude Code's hooks.
// https://code.claude.com/docs/en/hooks https://developers.openai.com/codex/hooks
// https://cursor.com/docs/agent/hooks https://geminicli.com/docs/hooks/reference
// https://docs.github.com/en/copilot/reference/hooks-configuration
const actions = new Map<string, HookAction>([
  ['sessionstart', 'session-start'],
  ['sessionend', 'session-end'],
  ['stop', 'turn-end'],
  ['afteragent', 'turn-end'],
  ['agentstop', 'turn-end'],
  ['precompact', 'before-compaction'],
  ['precompress', 'before-compaction'],
  ['subagentstart', 'before-subagent'],
  ['pretooluse', 'before-tool'],
  ['beforetool', 'before-tool'],
  ['subagentstop', 'subagent-end'],
])

export function actionOf(event: string): HookAction | undefined {
  return actions.get(event.toLowerCase())
}

const subagentTools = new Set([
  ...['task', 'agent', 'delegate_to_agent', 'invoke_agent', 'invoke_subagent'],
  ...['codebase_investigator', 'generalist'],
])

export function startsSubagent(tool: string | undefined): boolean {
  const name = tool?.toLowerCase() ?? ''
  // Codex puts a tool's namespace before its name, without a separator.
  return subagentTools.has(name) || name.endsWith('spawn_agent')
}

/** Set for tenfold's own processes and everything they start. Hooks of sessions with it do nothing. */
export const ownMarker = 'TENFOLD_HOOK'

export function isOwnProcess(env: NodeJS.ProcessEnv = process.env): boolean {
  return env[ownMarker] !== undefined && env[ownMarker] !== '' && env[ownMarker] !== '0'
}
