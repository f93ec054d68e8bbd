import type { ConversationTurn } from '../../src/readers/cursor/turn-events.ts'

interface ConversationStep {
  readonly type: string
  readonly message: unknown
}

/** A step that calls a tool. */
export function call(type: string, args: unknown, value?: unknown): ConversationStep {
  const result = value === undefined ? undefined : { status: 'success', value }
  return { type: 'toolCall', message: { type, args, result } }
}

/** A turn of an agent. */
export function agentTurn(prompt: string | undefined, ...steps: readonly unknown[]): ConversationTurn {
  const userMessage = prompt === undefined ? {} : { userMessage: { text: prompt } }
  return { type: 'agentConversationTurn', turn: { ...userMessage, steps } }
}

export const say = (text: string): ConversationStep => ({ type: 'assistantMessage', message: { text } })
const think = (text: string): ConversationStep => ({
  type: 'thinkingMessage',
  message: { text, thinkingDurationMs: 812 },
})

/**
 * A run in which each kind of turn, step and tool occurs, as `ConversationTurnSchema` of `@cursor/sdk` 1.0.32 accepts
 * it; it ends in the middle of a call.
 */
export const recordedTurns: readonly ConversationTurn[] = [
  agentTurn(
    'Make the rate limiter count per tenant.',
    think('Tenants are keyed by header.'),
    say('I will look at the limiter first.'),
    call(
      'glob',
      { targetDirectory: '/srv/shop', globPattern: '**/limit*.ts' },
      {
        files: ['src/limit.ts', 'test/limit.test.ts'],
        totalFiles: 2,
        clientTruncated: false,
        ripgrepTruncated: false,
      },
    ),
    call(
      'grep',
      { pattern: 'bucket', path: 'src' },
      { workspaceResults: { '/srv/shop': { type: 'files', output: { files: ['src/limit.ts'], count: 1 } } } },
    ),
    call(
      'grep',
      { pattern: 'limit', path: 'src', outputMode: 'content' },
      {
        workspaceResults: {
          '/srv/shop': {
            type: 'content',
            output: {
              matches: [{ file: 'src/limit.ts', lineNumber: 1, line: 'export const limit = 5' }],
              totalMatches: 3,
            },
          },
        },
        activeEditorResult: {
          type: 'count',
          output: { counts: [{ file: 'src/key.ts', count: 2 }], total: 2 },
        },
      },
    ),
    call(
      'read',
      { path: 'src/limit.ts' },
      { content: 'export const limit = 5\n', totalLines: 1, fileSize: 23 },
    ),
    call(
      'ls',
      { path: 'src' },
      {
        directoryTreeRoot: {
          absPath: '/srv/shop/src',
          childrenDirs: [
            {
              absPath: '/srv/shop/src/routes',
              childrenDirs: [],
              childrenFiles: [],
              childrenWereProcessed: false,
              fullSubtreeExtensionCounts: { '.ts': 4 },
              numFiles: 4,
            },
          ],
          childrenFiles: [{ name: 'limit.ts' }],
          childrenWereProcessed: true,
          fullSubtreeExtensionCounts: { '.ts': 5 },
          numFiles: 5,
        },
      },
    ),
    call('readLints', { paths: ['src'] }, { fileDiagnostics: [], totalFiles: 1, totalDiagnostics: 0 }),
    call('semSearch', { query: 'where are tenants' }, { results: 'src/tenant.ts: tenantOf()' }),
    call('createPlan', { plan: '1. key by tenant' }, {}),
    call(
      'updateTodos',
      { todos: [{ content: 'key by tenant', status: 'inProgress' }] },
      { todos: [{ content: 'key by tenant', status: 'inProgress' }], totalCount: 1 },
    ),
  ),
  agentTurn(
    'Go on.',
    call(
      'edit',
      { path: 'src/limit.ts' },
      { linesAdded: 4, linesRemoved: 1, diffString: '-a\n+b\n+c\n+d\n+e' },
    ),
    call(
      'write',
      { path: 'src/key.ts', fileText: 'export {}\n' },
      { path: 'src/key.ts', linesCreated: 1, fileSize: 10, fileContentAfterWrite: 'export {}\n' },
    ),
    call('delete', { path: 'src/old.ts' }, { fileSize: 12 }),
    call(
      'shell',
      { command: 'npm test' },
      { exitCode: 1, signal: '', stdout: '1 failed', stderr: 'Error: no tenant', executionTime: 900 },
    ),
    call(
      'mcp',
      { providerIdentifier: 'tracker', toolName: 'find', args: { id: 7 } },
      {
        content: [{ text: { text: 'Issue 7 is open' } }, { image: { data: 'AAAA', mimeType: 'image/png' } }],
        isError: false,
      },
    ),
    call(
      'generateImage',
      { description: 'a bucket' },
      { filePath: '/srv/shop/bucket.png', imageData: 'iVBORw0KGgo' },
    ),
    call('recordScreen', { mode: 'START_RECORDING' }, { path: '/srv/shop/screen.webm' }),
    call(
      'task',
      {
        description: 'check the header',
        prompt: 'Which header names the tenant?',
        subagentType: { kind: 'explore' },
      },
      {
        agentId: 'agent-7',
        isBackground: false,
        backgroundReason: 'unspecified',
        durationMs: 1200,
        conversationSteps: [
          say('I look at the gateway.'),
          call('read', { path: 'gateway.ts' }, { content: 'x-tenant', totalLines: 1, fileSize: 8 }),
        ],
      },
    ),
    {
      type: 'toolCall',
      message: {
        type: 'read',
        args: { path: 'gone.ts' },
        result: { status: 'error', error: { message: 'no such file' } },
      },
    },
  ),
  {
    type: 'shellConversationTurn',
    turn: {
      shellCommand: { command: 'git status --short', workingDirectory: '/srv/shop' },
      shellOutput: { stdout: ' M src/limit.ts\n', stderr: '', exitCode: 0 },
    },
  },
  agentTurn('Run the tests again.', say('Running them.'), call('shell', { command: 'npm test' })),
]
