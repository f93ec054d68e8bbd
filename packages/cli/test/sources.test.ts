import { chmodSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { findAgentLogs, sourceAgents } from '@tenfold/core/readers'
import { describe, expect, it } from 'vitest'
import { age } from '../../../test/support/test-folder.ts'
import { folderBeside, isRunning } from '../src/sources/peek-log.ts'
import { testHome } from './support/agent-home.ts'
import { claudeLog } from './support/claude-log.ts'
import { runAlone } from './support/run.ts'

const home = testHome()

const day = 24

/** Files of each agent: those that are logs, and others. */
const places = `
claude-code
+ .claude/projects/-a/1.jsonl
+ .claude/projects/-a/2.jsonl.gz
- .claude/projects/-a/agent-1.jsonl
- .claude/projects/-a/1/subagents/agent-2.jsonl
- .claude/history.jsonl
codex
+ .codex/sessions/2026/01/02/rollout-a.jsonl
+ .codex/archived_sessions/rollout-b.jsonl.zst
- .codex/history.jsonl
- .codex/sessions/2026/01/02/rollout-a.jsonl.zst
cursor
+ .config/Cursor/User/globalStorage/state.vscdb
+ .cursor/chats/0a/4/store.db
+ .cursor/projects/a/agent-transcripts/1.txt
+ .cursor/projects/a/agent-transcripts/2/2.jsonl
- .config/Cursor/User/globalStorage/state.vscdb.backup
- .cursor/projects/a/rules.txt
- .cursor/projects/a/agent-transcripts/2/subagents/3.jsonl
gemini-cli
+ .gemini/tmp/a/chats/session-1.json
+ .gemini/tmp/a/chats/session-2.jsonl
- .gemini/tmp/a/logs.json
- .gemini/tmp/a/chats/1/2.jsonl
opencode
+ .local/share/opencode/opencode.db
+ .local/share/opencode/storage/session/p/ses_1.json
- .local/share/opencode/auth.json
- .local/share/opencode/storage/message/ses_1/msg_1.json
copilot-cli
+ .copilot/session-state/1/events.jsonl
+ .copilot/history-session-state/2.json
- .copilot/session-state/1/workspace.yaml
- .copilot/config.json
cline
+ .config/Code/User/globalStorage/saoudrizwan.claude-dev/tasks/1/api_conversation_history.json
+ .cline/data/sessions/7_a/7_a.messages.json
- .config/Code/User/globalStorage/saoudrizwan.claude-dev/tasks/1/ui_messages.json
- .cline/data/sessions/7_a/7_a.json
- .cline/data/sessions/7_a/agent_8.messages.json
qwen-code
+ .qwen/projects/-a/chats/1.jsonl
- .qwen/projects/-a/subagents/1/agent-x.jsonl
- .qwen/usage_record.jsonl
roo
+ .config/Code/User/globalStorage/rooveterinaryinc.roo-cline/tasks/1/api_conversation_history.json
- .config/Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp.json
goose
+ .local/share/goose/sessions/sessions.db
+ .local/share/goose/sessions/1.jsonl
- .local/share/goose/sessions/1.txt
pi
+ .pi/agent/sessions/--a--/1.jsonl
- .pi/agent/auth.json
continue
+ .continue/sessions/5d0b6a0e-2b1c-4c7e-9f6e-0d4f3a2b1c77.json
- .continue/sessions/sessions.json
vscode-chat
+ .config/Code/User/workspaceStorage/0a/chatSessions/1.json
+ .config/Code/User/workspaceStorage/0a/chatSessions/2.jsonl
+ .config/Code/User/globalStorage/emptyWindowChatSessions/3.jsonl
- .config/Code/User/workspaceStorage/0a/workspace.json
- .config/Code/User/globalStorage/state.vscdb
openhands
+ .openhands/conversations/1/base_state.json
- .openhands/settings.json
aider
+ shop/.aider.chat.history.md
- shop/notes.md
specstory
+ shop/.specstory/history/1.md
- shop/.specstory/history/.what.txt
factory-droid
+ .factory/sessions/-a/1.jsonl
- .factory/sessions/-a/1.settings.json`

describe('sources', () => {
  it('lists what agents keep, what is not compressed, and what they will delete', async () => {
    expect(await home.tenfold(['sources'])).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('No sessions'),
    })
    const old = age(home.write('.claude/projects/-shop/s-1.jsonl', claudeLog({ session: 's-1' })), 20 * day)
    age(home.write('.claude/projects/-shop/s-2.jsonl', claudeLog({ session: 's-2' })), 18 * day)
    age(home.write('.claude/projects/-shop/s-3.jsonl', claudeLog({ session: 's-3' })), 2 * day)
    home.write('.claude/settings.json', '{ // weeks\n "cleanupPeriodDays": 21, }')
    home.write('.gemini/tmp/0a/chats/session-1.json', '{"sessionId":"g-1","messages":[]}')
    home.write('.gemini/settings.json', '{"general":{"sessionRetention":{"enabled":true,"maxAge":"2w"}}}')
    home.write('.codex/sessions/2026/01/02/rollout-1.jsonl', 'no log\n')
    home.write('.codex/sessions/2026/01/02/rollout-1.jsonl.zst', 'packed')
    home.write('.local/share/goose/sessions/sessions.db', 'SQLite format 3\u0000damaged')
    home.write('shop/.aider.chat.history.md', '# aider chat started at 2026-01-02 03:04:05\n')
    await home.tenfold(['compress', '--quiet', old])
    const ran = await home.tenfold(['sources', '--json'])
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    const found: Record<string, unknown>[] = JSON.parse(ran.stdout)
    expect(found.map(({ agent }) => agent)).toEqual(['claude-code', 'codex', 'gemini-cli', 'goose', 'aider'])
    expect(found[0]).toMatchObject({
      format: 'claude-code',
      folders: [home.at('.claude/projects')],
      logs: 3,
      sessions: 3,
      bytes: statSync(old).size * 3,
      uncompressed: 2,
      retention: { days: 21, from: 'cleanupPeriodDays', soon: 2, soonUncompressed: 1 },
    })
    expect(found[1]).toMatchObject({ logs: 1, uncompressed: 1 })
    expect(found[1]).not.toHaveProperty('retention')
    expect(found[2]).toMatchObject({ logs: 1, retention: { days: 14, soon: 0 } })
    expect(found[3]).toMatchObject({ logs: 1, sessions: 1, uncompressed: 1 })
    const table = await home.tenfold(['sources'])
    expect(table.stdout).toMatch(/claude-code +3 .* 2 +21 d, 2 within a week, 1 of them not compressed/)
    expect(table.stdout).toContain('sessions not compressed yet; to compress them: tenfold sweep')
  })

  it('looks where the environment of an agent points', async () => {
    home.write('elsewhere/claude/projects/-shop/s-1.jsonl', claudeLog())
    const env = { CLAUDE_CONFIG_DIR: home.at('elsewhere/claude'), CODEX_HOME: home.at('elsewhere/codex') }
    const { stdout } = await home.tenfold(['sources', '--json', '--agent', 'claude-code'], { env })
    expect(JSON.parse(stdout)).toMatchObject([
      { agent: 'claude-code', logs: 1, retention: { days: 30, from: 'default' } },
    ])
    const wrong = await home.tenfold(['sources', '--agent', 'novel'])
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('claude-code, codex, cursor') })
  })

  it('lists logs even if neither its state nor the store can be used, and says so', async () => {
    home.write('.claude/projects/-shop/s-1.jsonl', claudeLog())
    home.write('file', '')
    const env = {
      TENFOLD_HOME: home.at('file/state'),
      TENFOLD_STORE: 's3://bucket/p?region=us-east-1&endpoint=http://127.0.0.1:9',
      ...{ AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b', AWS_MAX_ATTEMPTS: '1' },
    }
    const { code, stdout, stderr } = await home.tenfold(['sources', '--json'], { env })
    expect({ code, found: JSON.parse(stdout) }).toMatchObject({
      code: 0,
      found: [{ logs: 1, uncompressed: 1 }],
    })
    expect(stderr).toContain('warning: the digests were not kept for the next run: ')
    expect(stderr).toContain('warning: the store cannot be read, so its logs count as not compressed: ')
  })

  it('knows the places of each agent, and which files there are not logs', async () => {
    const place = { env: {}, home: home.at(), cwd: home.project, platform: 'linux' as const }
    const agents = places.split(/\n(?![+-])/).slice(1)
    const namesOf = (text: string, mark: string) =>
      [...text.matchAll(new RegExp(`^\\${mark} (.*)$`, 'gm'))].map(([, name = '']) => name)
    expect(sourceAgents.map(({ name }) => name)).toEqual(agents.map((text) => text.split('\n', 1)[0]))
    for (const path of agents.flatMap((text) => [...namesOf(text, '+'), ...namesOf(text, '-')]))
      home.write(path, 'x')
    home.write('.claude/projects/-a/empty.jsonl', '')
    for (const [index, agent] of sourceAgents.entries()) {
      const { logs, faults } = await findAgentLogs(agent, place)
      const expected = namesOf(agents[index] ?? '', '+').map((path) =>
        home.at(path.replace('/base_state.json', '')),
      )
      expect(logs.map(({ path }) => path).sort(), agent.name).toEqual(expected.sort())
      expect(faults).toEqual([])
    }
  })

  it('knows from the files next to a log where its session ran, and whether it still runs', () => {
    const gemini = home.write('.gemini/tmp/shop/chats/session-1.jsonl', '{}')
    home.write('.gemini/tmp/shop/.project_root', `${home.project}\n`)
    expect(folderBeside(gemini)).toBe(home.project)
    const cline = home.write('.cline/data/sessions/7_a/7_a.messages.json', '{}')
    home.write('.cline/data/sessions/7_a/7_a.json', JSON.stringify({ cwd: home.project, status: 'running' }))
    expect([folderBeside(cline), isRunning(cline)]).toEqual([home.project, true])
    expect(isRunning(age(cline, 2 * day))).toBe(false)
    const qwen = home.write('.qwen/projects/-a/chats/1.jsonl', '{}')
    expect(isRunning(qwen)).toBe(false)
    home.write('.qwen/projects/-a/chats/1.runtime.json', '{}')
    expect(isRunning(qwen)).toBe(true)
    expect(folderBeside(qwen)).toBeUndefined()
    const chat = home.write('.config/Code/User/workspaceStorage/0a/chatSessions/1.jsonl', '{}')
    expect(folderBeside(chat)).toBeUndefined()
    const folder = String(pathToFileURL(home.project))
    home.write('.config/Code/User/workspaceStorage/0a/workspace.json', JSON.stringify({ folder }))
    expect(folderBeside(chat)).toBe(home.project)
    for (const other of ['vscode-remote://ssh/a', 'file://host/a', 'file:///a%2Fb', 'file:///%zz', 'x']) {
      home.write('.config/Code/User/workspaceStorage/0a/workspace.json', JSON.stringify({ folder: other }))
      expect(folderBeside(chat)).toBeUndefined()
    }
  })

  it.skipIf(process.platform === 'win32')('reports what it may not read, and continues', async () => {
    home.write('.claude/projects/-a/1.jsonl', claudeLog())
    home.write('.claude/projects/-b/2.jsonl', claudeLog())
    chmodSync(home.at('.claude/projects/-b'), 0)
    const env = { HOME: home.at(), TENFOLD_HOME: home.state }
    const { stdout, stderr } = await runAlone(['sources'], { cwd: home.project, env, bound: true })
    chmodSync(home.at('.claude/projects/-b'), 0o700)
    expect(stdout).toMatch(/claude-code +1 /)
    expect(stderr).toContain(join('projects', '-b'))
  })
})
