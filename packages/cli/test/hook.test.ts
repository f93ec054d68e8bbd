import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { contextAnswer, noticeOf } from '../src/background/hooks/session-brief.ts'
import { testHome } from './support/agent-home.ts'
import { claudeLog } from './support/claude-log.ts'
import { start } from './support/run.ts'

const home = testHome()

const silent = { code: 0, stdout: '', stderr: '' }
async function timeOf(run: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await run()
  return performance.now() - began
}

const empty = { code: 0, stdout: '{}\n', stderr: '' }
const writeLog = (name = 'session-1.jsonl'): string => home.write(name, claudeLog())
const secret = `ghp_${'A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8'.slice(0, 36)}`

/** Compresses a log into the project, so that there is something to resume from. */
async function compressed(): Promise<void> {
  writeLog()
  expect(await home.tenfold(['compress', '--quiet', home.at('session-1.jsonl')])).toMatchObject({
    code: 0,
    stderr: '',
  })
}

describe('hook', () => {
  it('queues the log of a session that ends, durably and readable by this user alone', async () => {
    const log = writeLog()
    const event = { hook_event_name: 'SessionEnd', session_id: 's-1', transcript_path: log, reason: 'exit' }
    expect(await home.hookAlone('claude-code', event)).toEqual({ ...silent, signal: null })
    const store = join(home.project, '.agents/bundles')
    expect(home.queue()).toMatchObject([
      { agent: 'claude-code', event: 'SessionEnd', log, store, track: 'main' },
    ])
    expect(home.queue()[0]?.notBefore).toBeLessThanOrEqual(Date.now())
    expect(statSync(home.state).mode & 0o777).toBe(0o700)
    expect(statSync(join(home.state, 'hooks.log')).mode & 0o777).toBe(0o600)
    expect(existsSync(store)).toBe(false)
  })

  it('postpones a session whose turn ended, again at each turn, but not once the session has ended', async () => {
    const log = writeLog()
    const turn = { hook_event_name: 'Stop', session_id: 's-1', transcript_path: log }
    await home.hook('codex', turn)
    const [first] = home.queue()
    expect(Number(first?.notBefore) - Date.now()).toBeGreaterThan(5 * 60_000)
    await home.hook('codex', turn)
    const [second, ...others] = home.queue()
    expect(others).toEqual([])
    expect(Number(second?.notBefore)).toBeGreaterThan(Number(first?.notBefore))
    expect(second?.queuedAt).toBe(first?.queuedAt)
    await home.hook('codex', { ...turn, hook_event_name: 'SessionEnd' })
    await home.hook('codex', turn)
    expect(home.queue()).toHaveLength(1)
    expect(Number(home.queue()[0]?.notBefore)).toBeLessThanOrEqual(Date.now())
  })

  it('answers each event of each agent as that agent expects', async () => {
    const log = writeLog()
    const agentLog = home.write('agent-7.jsonl', claudeLog({ session: 'sub-7' }))
    const main = { transcript_path: log, session_id: 's-1', conversation_id: 's-1' }
    const sub = { ...main, agent_id: '7', subagent_id: '7', agent_transcript_path: agentLog }
    const queued = { log, track: 'main' }
    const queuedSub = { log: agentLog, track: 'subagent-7' }
    const cases: [agent: string, event: string, input: object, told: object][] = [
      ['claude-code', 'SessionEnd', main, queued],
      ['claude-code', 'Stop', main, queued],
      ['claude-code', 'SubagentStop', sub, queuedSub],
      ['claude-code', 'PreToolUse', { ...main, tool_name: 'Bash' }, { skipped: expect.any(String) }],
      ['claude-code', 'Notification', main, { skipped: expect.any(String) }],
      ['codex', 'Stop', main, queued],
      ['codex', 'SubagentStop', sub, queuedSub],
      ['codex', 'PostCompact', main, { skipped: expect.any(String) }],
      ['cursor', 'stop', main, queued],
      ['cursor', 'sessionEnd', main, queued],
      ['cursor', 'subagentStop', sub, queuedSub],
      ['cursor', 'beforeSubmitPrompt', main, { skipped: expect.any(String) }],
      ['gemini', 'SessionEnd', main, queued],
      ['gemini', 'AfterAgent', main, queued],
      ['gemini', 'BeforeModel', main, { skipped: expect.any(String) }],
    ]
    await Promise.all(
      cases.map(async ([agent, event, input]) => {
        const ran = await home.hook(agent, { hook_event_name: event, ...input })
        expect(ran, `${agent} ${event}`).toMatchObject(
          agent === 'cursor' || agent === 'gemini' ? empty : silent,
        )
      }),
    )
    for (const [agent, event, , told] of cases)
      expect(home.told()).toContainEqual(expect.objectContaining({ agent, event, ...told }))
    expect(home.queue()).toHaveLength(2)
  })

  it('gives a starting session the brief, in the form that its agent expects', async () => {
    const startup = {
      hook_event_name: 'SessionStart',
      session_id: 's-2',
      source: 'startup',
      transcript_path: '',
    }
    expect(await home.hook('claude-code', startup)).toMatchObject(silent)
    await compressed()
    const [claude, cursor, resumed, other, own] = await Promise.all([
      home.hook('claude-code', startup),
      home.hook('cursor', {
        ...{ ...startup, hook_event_name: 'sessionStart' },
        ...{ cwd: undefined, workspace_roots: [home.project] },
      }),
      home.hook('codex', { ...startup, source: 'resume' }),
      home.hook('codex', { ...startup, source: 'compact' }),
      home.hook('codex', { ...startup, source: 'compact', session_id: 'session-1' }),
    ])
    const { systemMessage, hookSpecificOutput } = JSON.parse(claude.stdout)
    const { additionalContext } = hookSpecificOutput
    expect(hookSpecificOutput).toEqual({ hookEventName: 'SessionStart', additionalContext })
    expect(additionalContext).toContain('# Resume: ')
    // Claude Code and Codex cut anything longer.
    expect(additionalContext.length).toBeLessThan(10_000)
    expect(JSON.parse(cursor.stdout)).toEqual({ additional_context: additionalContext })
    expect(own.stdout, JSON.stringify(home.told(), null, 1)).not.toBe('')
    // A resumed session has its history; after a compaction only parts of the same session are given.
    expect(resumed).toMatchObject(silent)
    expect(other).toMatchObject(silent)
    expect(JSON.parse(own.stdout)).toEqual({ systemMessage, hookSpecificOutput })
    expect(systemMessage).toMatch(
      /^Tenfold gave the agent the brief of your session of 2026-01-0\d \d\d:\d\d; (?:1 step is|\w+ steps are) open \(see: tenfold show\)$/,
    )
    const bundle = {
      createdAt: '',
      source: { endedAt: new Date(2026, 4, 12, 14, 2).toISOString() },
      nextSteps: [{ action: 'Nothing is open. Last answer: x' }],
      carried: [{ as: 'step' }, { as: 'rule' }],
    }
    expect(noticeOf(bundle, new Date(2026, 4, 12, 20))).toBe(
      'Tenfold gave the agent the brief of your session of 14:02; 1 step is open (see: tenfold show)',
    )
    expect(JSON.parse(contextAnswer('gemini', additionalContext))).toEqual({
      suppressOutput: true,
      hookSpecificOutput,
    })
  })

  it('leaves a word of one that was killed', async () => {
    const [folder, name] = [home.at('state'), 'hooks.log']
    mkdirSync(folder, { recursive: true })
    await home.tenfold(['install', 'claude-code', '--command', 'true'])
    const begun = { agent: 'claude-code', event: 'SessionStart', session: 's-2', began: true }
    writeFileSync(join(folder, name), `${JSON.stringify({ at: new Date().toISOString(), ...begun })}\n`)
    expect((await home.tenfold([])).stdout).toMatch(/claude-code: last run just now, which has not ended\n/)
    await home.hook('claude-code', { hook_event_name: 'SessionStart', session_id: 's-2', source: 'startup' })
    expect(readFileSync(join(folder, name), 'utf8').trim().split('\n')).toHaveLength(3)
    expect((await home.tenfold([])).stdout).toMatch(/claude-code: last run just now\n/)
  })

  it('remembers whose brief a session was given, for a log that does not show it', async () => {
    await compressed()
    const [first] = home.bundles()
    const log = home.write('s-2.jsonl', claudeLog({ session: 's-2' }))
    const event = (name: string) => ({ hook_event_name: name, session_id: 's-2', transcript_path: log })
    await home.hook('qwen-code', { ...event('SessionStart'), source: 'startup' })
    await home.hook('qwen-code', event('SessionEnd'))
    expect(home.queue()).toMatchObject([{ session: 's-2', given: first }])
    expect(readFileSync(log, 'utf8')).not.toContain(first)
    expect(await home.tenfold(['sweep', '--queued'])).toMatchObject({ code: 0 })
    const second = home.bundles().find((id) => id !== first)
    const shown = await home.tenfold(['show', String(second), '--json'])
    expect(JSON.parse(shown.stdout)).toMatchObject({ previous: first })
  })

  it('gives a fork nothing, and Gemini CLI no work at the compaction that it announces before each request', async () => {
    await compressed()
    const start = { hook_event_name: 'SessionStart', session_id: 's-2', source: 'fork', transcript_path: '' }
    const compaction = { hook_event_name: 'PreCompress', trigger: 'auto', transcript_path: writeLog() }
    const [fork, announced] = await Promise.all([
      home.hook('claude-code', start),
      home.hook('gemini', compaction),
    ])
    expect(fork).toMatchObject(silent)
    expect(announced).toMatchObject(empty)
    expect(home.queue()).toEqual([])
  })

  it('waits for the bundle of the session that just ended, and says so if it does not come', async () => {
    const log = writeLog()
    const end = { hook_event_name: 'SessionEnd', session_id: 'session-1', transcript_path: log }
    const start = { hook_event_name: 'SessionStart', session_id: 's-2', source: 'clear', transcript_path: '' }
    const env = { TENFOLD_HOOK_WORKER: 'on', TENFOLD_HOOK_WAIT: '60000' }
    await home.hook('claude-code', end, env)
    const { additionalContext } = JSON.parse(
      (await home.hook('claude-code', start, env)).stdout,
    ).hookSpecificOutput
    expect(additionalContext).toMatch(new RegExp(`Brief of bundle ${home.bundles()[0]}`))
    expect(additionalContext).not.toContain('Not in this brief')
    // Without a worker there is nothing to wait for.
    const next = home.write('session-3.jsonl', claudeLog({ session: 'session-3', hours: 2 }))
    await home.hook('codex', {
      ...end,
      hook_event_name: 'Stop',
      session_id: 'session-3',
      transcript_path: next,
    })
    const late = JSON.parse((await home.hook('codex', start)).stdout).hookSpecificOutput.additionalContext
    expect(late).toContain(`Not in this brief: the codex session session-3, which ended last`)
    expect(late).toContain(next)
  })

  it('answers the agents that install files, in their own words', async () => {
    await compressed()
    const copilot = { sessionId: 's-9', cwd: home.project, source: 'new', initialPrompt: 'hello' }
    const plugin = { hook_event_name: 'SessionStart', session_id: 's-9', source: 'startup' }
    home.write('.copilot/session-state/s-9/events.jsonl', claudeLog())
    home.write('.cline/data/sessions/t-9/t-9.messages.json', '{}')
    const env = { TENFOLD_HOOK_WORKER: 'off' }
    const hook = (agent: string, event: string, input: object) =>
      home.tenfold(['hook', agent, ...(event === '' ? [] : [event])], { env, stdin: JSON.stringify(input) })
    const [ofCopilot, ofCline, ofPlugin] = await Promise.all([
      hook('copilot-cli', 'sessionStart', copilot),
      hook('cline', '', { ...plugin, session_id: 't-9', cwd: home.project }),
      hook('opencode', '', { ...plugin, cwd: home.project }),
    ])
    const told = [
      JSON.parse(ofCopilot.stdout).additionalContext,
      JSON.parse(ofCline.stdout).context,
      JSON.parse(ofPlugin.stdout).context,
    ]
    for (const text of told) expect(text).toContain('# Resume: ')
    await hook('copilot-cli', 'sessionEnd', { ...copilot, reason: 'complete' })
    await hook('cline', '', { hook_event_name: 'SessionEnd', session_id: 't-9', cwd: home.project })
    expect(
      home
        .queue()
        .map(({ log }) => log)
        .sort(),
    ).toEqual([
      home.at('.cline/data/sessions/t-9/t-9.messages.json'),
      home.at('.copilot/session-state/s-9/events.jsonl'),
    ])
  })

  it('archives the log before a compaction, without its secrets, and queues it', async () => {
    const log = home.write(
      'session-1.jsonl',
      `${claudeLog()}`.replace('Fix part 1', `With ${secret} fix part 1`),
    )
    const event = { hook_event_name: 'PreCompact', session_id: 's-1', transcript_path: log, trigger: 'auto' }
    expect(await home.hook('claude-code', event)).toMatchObject(silent)
    expect(home.told().at(-1)).toMatchObject({
      queued: true,
      snapshot: { bytes: statSync(log).size, key: expect.stringMatching(/^archive\/[0-9a-f]{64}\.sums$/) },
    })
    const { snapshot } = home.told().at(-1) as { snapshot: { key: string; sha256: string } }
    const list = readFileSync(join(home.project, '.agents/bundles', snapshot.key), 'utf8')
    // Not the digest of the log: the archived file has marks.
    expect(list).not.toContain(`${snapshot.sha256}  `)
    expect(home.queue()).toMatchObject([{ event: 'PreCompact', log }])
    const manual = { ...event, hook_event_name: 'PreCompress', trigger: 'manual' }
    const [compress, compact] = await Promise.all([
      home.hook('gemini', manual),
      home.hook('cursor', { ...event, hook_event_name: 'preCompact', transcript_path: null }),
    ])
    expect([compress, compact]).toMatchObject([empty, empty])
  })

  it('queues the session before a sub-agent begins, and leaves no resume point of it', async () => {
    const log = writeLog()
    const session = { session_id: 'session-1', transcript_path: log }
    const before = { ...session, hook_event_name: 'PreToolUse', tool_name: 'Task', tool_input: {} }
    expect(await home.hook('claude-code', before)).toMatchObject(silent)
    expect(home.queue()).toMatchObject([{ event: 'PreToolUse', log, track: 'main' }])
    expect(Number(home.queue()[0]?.notBefore)).toBeGreaterThan(Date.now())
    await home.hook('claude-code', { ...session, hook_event_name: 'SessionEnd' })
    expect(await home.tenfold(['sweep', '--queued'])).toMatchObject({ code: 0 })
    const { stdout } = await home.hook('claude-code', { hook_event_name: 'SessionStart', session_id: 's-2' })
    expect(stdout).toMatch(/Brief of bundle \S+\.\\n.*## Resume point.*## Last words of the user/)
    expect((await home.tenfold([])).stdout).not.toContain('checkpoint')
  })

  it("gives a brief from checkpoints alone, and after a compaction from the agent's own", async () => {
    const log = writeLog()
    const save = ['--track', 'feature', '--step', 'wire the parser', '--next-cmd', 'npm test']
    expect(await home.tenfold(['checkpoint', 'save', ...save])).toMatchObject({ code: 0 })
    const start = { hook_event_name: 'SessionStart', session_id: 's-9', transcript_path: log }
    for (const source of ['startup', 'compact']) {
      const { stdout } = await home.hook('claude-code', { ...start, source })
      expect(stdout, source).toContain('step: wire the parser')
      expect(stdout, source).toContain('npm test')
    }
    expect((await home.tenfold(['checkpoint', 'resume', '--track', 'feature'])).stdout).toContain(
      'wire the parser',
    )
    // A session that began after it left no checkpoint yet.
    const later = home.write('p/later.jsonl', claudeLog())
    const compact = { ...start, session_id: 's-10', source: 'compact', transcript_path: later }
    expect(await home.hook('claude-code', compact)).toMatchObject({ code: 0, stdout: '' })
  })

  it('finds the own track of the agent after a compaction, whatever the current one is', async () => {
    const log = writeLog()
    const save = async (...args: string[]): Promise<{ id: string }> =>
      JSON.parse((await home.tenfold(['checkpoint', 'save', '--next-cmd', 'make', '--json', ...args])).stdout)
    const { id } = await save('--track', 'side', '--step', 'my own work', '--no-set-current')
    await save('--track', 'main', '--step', 'work of another agent')
    appendFileSync(log, `{"note":"Saved ${id}, a checkpoint of track side."}\n`)
    const start = { hook_event_name: 'SessionStart', session_id: 's-9', transcript_path: log }
    const { stdout } = await home.hook('claude-code', { ...start, source: 'compact' })
    expect(stdout).toContain('step: my own work')
    expect(stdout).not.toContain('work of another agent')
    expect((await home.hook('claude-code', { ...start, source: 'startup' })).stdout).toContain(
      'work of another agent',
    )
  })

  it('finds a log that the agent does not name', async () => {
    const slug = home.project.slice(1).replaceAll(/[^A-Za-z0-9]/g, '-')
    const log = home.write(`.cursor/projects/${slug}/agent-transcripts/c-1/c-1.jsonl`, claudeLog())
    const cursor = { hook_event_name: 'sessionEnd', conversation_id: 'c-1', transcript_path: null }
    expect(await home.hook('cursor', cursor)).toMatchObject(empty)
    const main = home.write('p/s-1.jsonl', claudeLog())
    const sub = home.write('p/s-1/subagents/agent-a9.jsonl', claudeLog({ session: 'a9' }))
    const stop = { hook_event_name: 'SubagentStop', session_id: 's-1', agent_id: 'a9', transcript_path: main }
    expect(await home.hook('claude-code', stop)).toMatchObject(silent)
    expect(home.queue().map((job) => job.log)).toEqual(expect.arrayContaining([log, sub]))
  })

  it('never breaks the agent, no matter what it is given', async () => {
    const end = { hook_event_name: 'SessionEnd', session_id: 's-1' }
    const inputs: [input: unknown, env?: Record<string, string>][] = [
      [''],
      ['{"hook_event_name": "Sess'],
      ['null'],
      ['[]'],
      [{}],
      [{ hook_event_name: 7 }],
      [{ hook_event_name: '__proto__' }],
      [end],
      [{ ...end, transcript_path: '' }],
      [{ ...end, transcript_path: null }],
      [{ ...end, transcript_path: ['x'] }],
      [{ ...end, transcript_path: home.at('gone.jsonl') }],
      [{ ...end, transcript_path: home.at('shop') }],
      [{ ...end, transcript_path: `${home.at('shop')}\u0000x` }],
      [{ ...end, transcript_path: writeLog(), cwd: home.at('gone') }],
      [{ hook_event_name: 'PreCompact', transcript_path: null }],
      [{ hook_event_name: 'SubagentStop', agent_id: '../../x', transcript_path: home.at('session-1.jsonl') }],
      [{ ...end, transcript_path: `\u001b[31m${'x'.repeat(3_000_000)}` }],
      [{ ...end, padding: 'x'.repeat(17 * 1024 * 1024) }],
      [{ ...end, transcript_path: home.at('session-1.jsonl') }, { TENFOLD_HOME: '/proc/no-such-folder' }],
    ]
    const ran = await Promise.all(inputs.map(([input, env]) => home.hook('claude-code', input, env)))
    for (const [index, one] of ran.entries())
      expect(one, `input ${index}`).toMatchObject({ code: 0, stdout: '' })
    expect(home.queue()).toEqual([])
    // Each failure is logged, except the one that could write no log.
    expect(home.told()).toHaveLength(inputs.length - 1)
    expect(readFileSync(join(home.state, 'hooks.log'), 'utf8')).not.toContain('\u001b')
    const unknown = await home.hook('novel', '{}')
    expect(unknown).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('claude-code, codex'),
    })
  })

  it('does not wait for an agent that leaves stdin open', async () => {
    const env = { HOME: home.at(), TENFOLD_HOME: home.state, TENFOLD_HOOK_WORKER: 'off' }
    const running = start(['hook', 'gemini'], { cwd: home.project, env, stdin: 'open' })
    running.child.stdin?.write(JSON.stringify({ hook_event_name: 'SessionEnd', transcript_path: writeLog() }))
    expect(await running.ended).toMatchObject(empty)
    expect(home.queue()).toHaveLength(1)
  })

  it("skips the compressor's own sessions", async () => {
    const end = { hook_event_name: 'SessionEnd', session_id: 's-1', transcript_path: writeLog() }
    expect(await home.hook('claude-code', end, { TENFOLD_HOOK: '1' })).toMatchObject(silent)
    expect(home.queue()).toEqual([])
    expect(home.told()).toMatchObject([{ skipped: expect.stringContaining('tenfold') }])
  })

  it('ends long before an agent would kill it', async () => {
    const end = { hook_event_name: 'SessionEnd', session_id: 's-1', transcript_path: writeLog() }
    // Compared with a start of Node in the same run, since other work on the machine slows both: 1.5 times it. The
    // command line alone takes ten times to load. Claude Code kills after 1.5 s.
    const [hook, bare] = [[] as number[], [] as number[]]
    const ratio = (): number => Math.min(...hook) / Math.min(...bare)
    // Other work may come in between, for a while.
    for (let round = 0; round === 0 || (round < 50 && ratio() >= 5); round++) {
      hook.push(await timeOf(() => home.hookAlone('claude-code', end)))
      bare.push(await timeOf(() => once(spawn(process.execPath, ['-e', '0']), 'close')))
    }
    expect(ratio()).toBeLessThan(5)
  })
})
