import type { ScriptedCall } from './stand-in.ts'

/** Where an agent finds the stand-in, its home, the demo project, and how to start the MCP server. */
export interface Surroundings {
  readonly url: string
  readonly home: string
  readonly project: string
  readonly mcp: readonly [command: string, ...args: string[]]
}

/** An agent's command line: how it is installed, configured and run. */
export interface DrivenAgent {
  readonly name: string
  readonly package: string
  readonly version: string
  /** The program in the package and what it loads, if it is bundled: the registry may lack other dependencies. */
  readonly bundled?: { readonly program: string; readonly needs: readonly string[] }
  /** Its name for `tenfold install`, and the options to give. */
  readonly hooks: string
  readonly options?: readonly string[]
  /** The lowest major version of Node. */
  readonly node: number
  readonly environment: (at: Surroundings) => Readonly<Record<string, string>>
  /** Files below the home, as text or as a value that is written as JSON. */
  readonly files: (at: Surroundings) => Readonly<Record<string, unknown>>
  readonly command: (at: Surroundings) => readonly string[]
  /** Arguments between the command and the prompt, for a session without a terminal. */
  readonly once: readonly string[]
  /** The same to go on with the last session, and for a session in a terminal; otherwise why there is none. */
  readonly resumed: readonly string[] | string
  readonly terminal: readonly string[] | string
  readonly shell: (command: string) => ScriptedCall
  readonly write: (path: string, content: string) => ScriptedCall
  /** The call of a tool of Tenfold's MCP server. */
  readonly mcp: (tool: string, input: object) => ScriptedCall
  readonly subagent?: {
    /** What the agent calls to hand over a task and to have its result. */
    readonly calls: (task: string) => readonly ScriptedCall[]
    /** What the subagent calls to report, unless its last words are the report. */
    readonly report?: (text: string) => ScriptedCall
    /** A text of the subagent's requests only, if these hold the words of the parent's user, too. */
    readonly mark?: string
  }
}

const model = 'standin-1'
const server = ({ mcp: [command, ...args] }: Surroundings) => ({ command, args })
const servers = (at: Surroundings) => ({ mcpServers: { tenfold: server(at) } })
const shellOf = (tool: string) => (command: string) => ({ tool, input: { command, description: 'Run it' } })
const toolOf = (prefix: string) => (tool: string, input: object) => ({
  tool: prefix + tool,
  input: { ...input },
})

const task = (prompt: string) => ({ description: 'Count the comments', prompt })
const collaboration = { namespace: 'collaboration' }

/** The agents, in the versions that were run. */
export const drivenAgents: readonly DrivenAgent[] = [
  {
    ...{ name: 'claude-code', package: '@anthropic-ai/claude-code', version: '2.1.331' },
    ...{ hooks: 'claude-code', node: 20, mcp: toolOf('mcp__tenfold__') },
    environment: ({ url }) => ({
      ...{ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'sk-dummy-0000', IS_SANDBOX: '1' },
      ...{ CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', DISABLE_AUTOUPDATER: '1' },
    }),
    files: ({ project }) => ({
      '.claude.json': {
        hasCompletedOnboarding: true,
        customApiKeyResponses: { approved: ['sk-dummy-0000'], rejected: [] },
        projects: { [project]: { hasTrustDialogAccepted: true } },
      },
      '.claude/settings.json': { skipDangerousModePermissionPrompt: true },
    }),
    command: (at) => [
      ...['claude', '--model', 'claude-sonnet-4-5', '--dangerously-skip-permissions'],
      ...['--mcp-config', JSON.stringify(servers(at)), '--strict-mcp-config'],
    ],
    ...{ once: ['-p'], resumed: ['--continue', '-p'], terminal: [] },
    subagent: {
      calls: (prompt) => [
        {
          tool: 'Agent',
          input: { ...task(prompt), subagent_type: 'general-purpose', run_in_background: false },
        },
      ],
    },
    shell: shellOf('Bash'),
    write: (file_path, content) => ({ tool: 'Write', input: { file_path, content } }),
  },
  {
    ...{ name: 'codex', package: '@openai/codex', version: '0.169.0' },
    ...{ hooks: 'codex', node: 20 },
    mcp: (tool, input) => ({ tool, namespace: 'mcp__tenfold', input: { ...input } }),
    environment: () => ({ STANDIN_KEY: 'dummy' }),
    files: ({ url, project, mcp: [command, ...args] }) => ({
      '.codex/config.toml': `model = "gpt-6-sol"
model_provider = "standin"
approval_policy = "never"
sandbox_mode = "danger-full-access"
[model_providers.standin]
name = "standin"
base_url = "${url}/v1"
wire_api = "responses"
env_key = "STANDIN_KEY"
[projects."${project}"]
trust_level = "trusted"
[mcp_servers.tenfold]
command = ${JSON.stringify(command)}
args = ${JSON.stringify(args)}
`,
    }),
    command: () => ['codex'],
    ...{ once: ['exec'], resumed: ['exec', 'resume', '--last'], terminal: [], options: ['--trust'] },
    subagent: {
      calls: (message) => [
        { ...collaboration, tool: 'spawn_agent', input: { task_name: 'count', message } },
        { ...collaboration, tool: 'wait_agent', input: { timeout_ms: 10_000 } },
      ],
      mark: 'Message Type: NEW_TASK',
    },
    shell: (cmd) => ({ tool: 'exec_command', input: { cmd } }),
    write: (path, content) => ({
      tool: 'exec_command',
      input: { cmd: `cat > '${path}' <<'END'\n${content}END` },
    }),
  },
  {
    ...{ name: 'gemini-cli', package: '@google/gemini-cli', version: '0.61.0' },
    ...{ hooks: 'gemini', node: 20, mcp: toolOf('mcp_tenfold_') },
    environment: ({ url }) => ({ GEMINI_API_KEY: 'dummy', GOOGLE_GEMINI_BASE_URL: url }),
    files: (at) => ({
      '.gemini/settings.json': {
        security: { auth: { selectedType: 'gemini-api-key' } },
        general: { enableAutoUpdate: false },
        privacy: { usageStatisticsEnabled: false },
        ...servers(at),
      },
      '.gemini/trustedFolders.json': { [at.project]: 'TRUST_FOLDER' },
    }),
    command: () => ['gemini', '-m', 'gemini-2.5-pro', '--yolo'],
    ...{ once: ['-p'], resumed: ['--resume', 'latest', '-p'], terminal: ['-i'] },
    subagent: {
      calls: (prompt) => [{ tool: 'invoke_agent', input: { agent_name: 'generalist', prompt } }],
      report: (response) => ({ tool: 'complete_task', input: { result: { response } } }),
    },
    shell: shellOf('run_shell_command'),
    write: (file_path, content) => ({ tool: 'write_file', input: { file_path, content } }),
  },
  {
    ...{ name: 'opencode', package: 'opencode-ai', version: '1.18.33' },
    ...{ hooks: 'opencode', node: 20, mcp: toolOf('tenfold_') },
    environment: () => ({
      ...{ OPENCODE_DISABLE_MODELS_FETCH: '1', OPENCODE_DISABLE_AUTOUPDATE: '1' },
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    }),
    files: ({ url, mcp }) => ({
      '.config/opencode/opencode.json': {
        ...{ autoupdate: false, share: 'disabled', permission: { '*': 'allow' } },
        ...{ model: `standin/${model}`, small_model: `standin/${model}` },
        provider: {
          standin: {
            npm: '@ai-sdk/openai-compatible',
            options: { baseURL: `${url}/v1`, apiKey: 'dummy' },
            models: { [model]: { limit: { context: 100_000, output: 8_000 } } },
          },
        },
        mcp: { tenfold: { type: 'local', command: mcp, enabled: true } },
      },
    }),
    command: () => ['opencode'],
    ...{ once: ['run'], resumed: ['run', '--continue'], terminal: ['--prompt'] },
    subagent: {
      calls: (prompt) => [{ tool: 'task', input: { ...task(prompt), subagent_type: 'general' } }],
    },
    shell: shellOf('bash'),
    write: (filePath, content) => ({ tool: 'write', input: { filePath, content } }),
  },
  {
    ...{ name: 'pi', package: '@earendil-works/pi-coding-agent', version: '1.5.2' },
    ...{ hooks: 'pi', node: 22, mcp: toolOf('mcp__tenfold__') },
    bundled: { program: 'dist/bundle/cli.js', needs: ['jiti@2.7.0'] },
    environment: () => ({ PI_OFFLINE: '1', PI_SKIP_VERSION_CHECK: '1' }),
    files: ({ url, ...at }) => ({
      '.pi/agent/mcp.json': { mcpServers: { tenfold: { ...server({ url, ...at }), exposure: 'direct' } } },
      '.pi/agent/models.json': {
        providers: {
          standin: {
            ...{ baseUrl: `${url}/v1`, api: 'openai-completions', apiKey: 'dummy' },
            models: [
              {
                ...{ id: model, name: 'Stand-in', reasoning: false, input: ['text'] },
                ...{ contextWindow: 100_000, maxTokens: 8_000 },
                cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
              },
            ],
          },
        },
      },
    }),
    command: () => ['pi', '--provider', 'standin', '--model', model],
    ...{ once: ['-p'], resumed: ['--continue', '-p'], terminal: [] },
    shell: (command) => ({ tool: 'bash', input: { command } }),
    write: (path, content) => ({ tool: 'write', input: { path, content } }),
  },
  {
    ...{ name: 'copilot-cli', package: '@github/copilot', version: '1.0.102' },
    ...{ hooks: 'copilot-cli', node: 22, mcp: toolOf('tenfold-') },
    environment: ({ url }) => ({
      ...{ COPILOT_OFFLINE: 'true', COPILOT_PROVIDER_BASE_URL: `${url}/v1`, COPILOT_MODEL: model },
      ...{ COPILOT_PROVIDER_API_KEY: 'dummy', COPILOT_PROVIDER_MAX_PROMPT_TOKENS: '100000' },
      ...{ COPILOT_AUTO_UPDATE: 'false', COPILOT_ALLOW_ALL: 'true' },
    }),
    files: (at) => ({
      '.copilot/mcp-config.json': { mcpServers: { tenfold: { type: 'local', ...server(at), tools: ['*'] } } },
    }),
    command: () => ['copilot', '--allow-all-tools'],
    ...{ once: ['-p'], resumed: ['--continue', '-p'], terminal: ['-i'] },
    subagent: {
      calls: (prompt) => [
        {
          tool: 'task',
          input: { ...task(prompt), agent_type: 'general-purpose', name: 'counter', mode: 'sync' },
        },
      ],
    },
    shell: shellOf('bash'),
    write: (path, file_text) => ({ tool: 'create', input: { path, file_text } }),
  },
  {
    ...{ name: 'cline-cli', package: 'cline', version: '3.0.65' },
    ...{ hooks: 'cline', node: 22, mcp: toolOf('tenfold__') },
    environment: () => ({ CLINE_NO_AUTO_UPDATE: '1', CLINE_TELEMETRY_DISABLED: '1', DO_NOT_TRACK: '1' }),
    files: (at) => ({
      '.cline/data/settings/providers.json': {
        ...{ version: 1, lastUsedProvider: 'openai-compatible', modes: {} },
        providers: {
          'openai-compatible': {
            settings: { provider: 'openai-compatible', apiKey: 'dummy', model, baseUrl: `${at.url}/v1` },
            ...{ updatedAt: '2026-01-01T00:00:00.000Z', tokenSource: 'manual' },
          },
        },
      },
      // Otherwise a server that takes more than 3 s to start, as on a busy machine, is left out of the session.
      '.cline/data/settings/cline_mcp_settings.json': {
        mcpServers: { tenfold: { ...server(at), timeout: 60 } },
      },
    }),
    command: () => ['cline', '-P', 'openai-compatible', '-m', model],
    ...{ once: [], resumed: 'needs a terminal', terminal: 'shows an advertisement first' },
    subagent: {
      calls: (prompt) => [{ tool: 'spawn_agent', input: { systemPrompt: 'You count.', task: prompt } }],
    },
    shell: (command) => ({ tool: 'run_commands', input: { commands: [command] } }),
    write: (path, new_text) => ({ tool: 'editor', input: { path, new_text } }),
  },
  {
    ...{ name: 'qwen-code', package: '@qwen-code/qwen-code', version: '0.24.4' },
    ...{ hooks: 'qwen-code', node: 22, mcp: toolOf('mcp__tenfold__') },
    environment: ({ url }) => ({
      OPENAI_API_KEY: 'dummy',
      OPENAI_BASE_URL: `${url}/v1`,
      OPENAI_MODEL: model,
    }),
    files: (at) => ({
      '.qwen/settings.json': {
        security: { auth: { selectedType: 'openai' } },
        general: { enableAutoUpdate: false },
        privacy: { usageStatisticsEnabled: false },
        ...servers(at),
      },
    }),
    command: () => ['qwen', '--yolo'],
    ...{ once: ['-p'], resumed: ['--continue', '-p'], terminal: ['-i'] },
    subagent: {
      calls: (prompt) => [
        {
          tool: 'agent',
          input: { ...task(prompt), subagent_type: 'general-purpose', run_in_background: false },
        },
      ],
    },
    shell: shellOf('run_shell_command'),
    write: (file_path, content) => ({ tool: 'write_file', input: { file_path, content } }),
  },
]
