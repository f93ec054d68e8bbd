import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, describe, expect, it } from 'vitest'
import { writeOpenCodeDatabase } from '../../../test/support/opencode-database.ts'
import { age } from '../../../test/support/test-folder.ts'
import { testHome } from './support/agent-home.ts'
import { claudeLog } from './support/claude-log.ts'

const home = testHome()
const bin = resolve(import.meta.dirname, '../bin/tenfold.js')
const agents: FakeAgent[] = []
afterEach(() => {
  for (const agent of agents.splice(0)) agent.kill()
})

interface FakeAgent {
  readonly log: string
  append(text: string): Promise<void>
  /** What the hook of an event put into the context of the session. */
  hook(event: string, fields?: object): Promise<string>
  kill(signal?: NodeJS.Signals): Promise<void>
}

/** Starts an agent that works on a session in the project, in a process of its own that holds the log open. */
function startAgent(session: string, agent = 'claude-code'): FakeAgent {
  const log = home.at(`.claude/projects/-shop/${session}.jsonl`)
  mkdirSync(dirname(log), { recursive: true })
  const program = join(import.meta.dirname, 'support/fake-agent.js')
  const { PATH } = process.env
  const env = { PATH, HOME: home.at(), TENFOLD_HOME: home.state, TENFOLD_HOOK_WAIT: '60000' }
  const child = spawn(process.execPath, [program, agent, log, `"${process.execPath}" "${bin}"`], {
    cwd: home.project,
    env,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const ask = async (wish: object): Promise<string> => {
    child.stdin.write(`${JSON.stringify(wish)}\n`)
    const { code, answer } = JSON.parse((await answers.next()).value ?? '{}')
    expect(code).toBe(0)
    if (answer === '') return ''
    const { context, hookSpecificOutput } = JSON.parse(answer)
    return context ?? hookSpecificOutput.additionalContext
  }
  const running = {
    log,
    append: async (append: string) => void (await ask({ append })),
    hook: async (event: string, fields = {}) => {
      const named = { hook_event_name: event, session_id: session, transcript_path: log, cwd: home.project }
      return await ask({ hook: { ...named, ...fields } })
    },
    async kill(signal: NodeJS.Signals = 'SIGKILL') {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill(signal)
      await once(child, 'close')
    },
  }
  agents.push(running)
  return running
}

const begins = { source: 'startup' }

/** What a session gets that begins, and of whose agent nothing else counts. */
async function briefOf(session: string, given: { agent?: string; source?: string } = {}): Promise<string> {
  const { agent = 'claude-code', source = 'startup' } = given
  const log = agent === 'opencode' ? null : home.at(`.claude/projects/-shop/${session}.jsonl`)
  const payload = { hook_event_name: 'SessionStart', session_id: session, transcript_path: log, source }
  const env = { TENFOLD_HOOK_WORKER: '', TENFOLD_HOOK_WAIT: '60000' }
  const { stdout } = await home.hook(agent, payload, env)
  if (stdout === '') return ''
  const { context, hookSpecificOutput } = JSON.parse(stdout)
  return context ?? hookSpecificOutput.additionalContext
}

/** A session with one rule of the user, so many hours after the others; `cut` leaves out the last lines. */
function logOf(session: string, rule: string, { hours = 0, cut = 0, rounds = 3 } = {}): string {
  const text = claudeLog({ session, hours, rounds })
    .replace('Never touch the public API of part 1.', rule)
    .replaceAll(/ Never touch the public API of part \d+\./g, '')
    .replaceAll('part', session)
    .replaceAll('"/home/dev/shop"', JSON.stringify(home.project))
  return `${text
    .trim()
    .split('\n')
    .slice(0, -cut || undefined)
    .join('\n')}\n`
}

const envRule = 'Never edit config/prod.env.'
const logRule = 'Always log with pino.'

/** Track and session of what is in the store, the newest first. */
async function list(): Promise<Record<string, unknown>[]> {
  const listed: Record<string, unknown>[] = JSON.parse((await home.tenfold(['list', '--json'])).stdout)
  return listed.map(({ track, sessionId }) => ({ track, sessionId }))
}

describe('a session that ended without an event', () => {
  it('is in the brief of the next one after a kill', async () => {
    const first = startAgent('s-1')
    await first.hook('SessionStart', begins)
    await first.append(logOf('s-1', envRule))
    await first.hook('SessionEnd')
    await first.kill()
    const killed = startAgent('s-2')
    await killed.hook('SessionStart', begins)
    // In the middle of a call.
    await killed.append(logOf('s-2', logRule, { hours: 2, cut: 2 }))
    await killed.kill()
    const brief = await briefOf('s-3')
    expect(brief).toMatch(/## Resume point\s+(?:- .*\n)*- .*npm test -- s-2-3/)
    expect(brief).toContain(logRule)
    expect(brief).toContain(envRule)
    expect(brief).not.toContain('Not in this brief')
    expect(await list()).toEqual([
      { track: 'main', sessionId: 's-2' },
      { track: 'main', sessionId: 's-1' },
    ])
    // Nothing is left to do for the next one.
    const before = home.told().length
    await briefOf('s-4')
    expect(home.told().slice(before)).toMatchObject([{ running: 0 }])
  })
  it('is compressed without any event of it, once nobody writes to its log', async () => {
    const running = startAgent('s-1')
    await running.append(logOf('s-1', envRule))
    age(running.log, 1)
    const beside = await briefOf('s-2')
    expect(beside).toContain(
      `Still running in this project, and not in this brief: the claude-code session with the log ${running.log}`,
    )
    expect(home.bundles()).toEqual([])
    await running.kill()
    await home.tenfold(['checkpoint', 'save', '--step', 'begin'])
    const { stderr } = await home.tenfold(['resume'])
    expect(stderr).toContain(
      `A later claude-code session is not in this brief; to add it: tenfold compress ${running.log}`,
    )
    expect(await home.tenfold(['compress', '--track', 'review', running.log])).toMatchObject({ code: 0 })
    expect((await home.tenfold(['resume'])).stderr).not.toContain('not in this brief')
    rmSync(join(home.project, '.agents'), { recursive: true })
    // What a sub-agent wrote, or a session of another project, is no session of this one.
    const elsewhere = logOf('s-3', logRule).replaceAll(JSON.stringify(home.project), '"/elsewhere"')
    age(home.write('.claude/projects/-elsewhere/s-3.jsonl', elsewhere), 1)
    age(home.write('.claude/projects/-shop/agent-a1.jsonl', logOf('a1', logRule)), 1)
    const brief = await briefOf('s-4')
    expect(brief).toContain(envRule)
    expect(await list()).toEqual([{ track: 'main', sessionId: 's-1' }])
  })

  it('is named if it takes too long, and a session that looks around loses nothing of it', async () => {
    const first = startAgent('s-1')
    await first.hook('SessionStart', begins)
    await first.append(logOf('s-1', envRule))
    await first.kill()
    const late = await home.hook('claude-code', {
      hook_event_name: 'SessionStart',
      session_id: 's-2',
      ...begins,
    })
    expect(late.stdout).toContain('Not in this brief: the claude-code session s-1')
    const look = startAgent('s-3')
    const before = await look.hook('SessionStart', begins)
    await look.append(lookAround('s-3'))
    await look.hook('SessionEnd')
    await look.kill()
    const after = await briefOf('s-4')
    for (const brief of [before, after])
      for (const text of [envRule, 'Make it pass: npm test -- s-1-3']) expect(brief).toContain(text)
  })
})

describe('a session in a database', () => {
  it('is in the next brief after a kill', async () => {
    const prompt = 'Never edit config/prod.env. Write the manual of the voucher module.'
    const session = { id: 'ses_1', directory: home.project, at: Date.now() - 60_000, prompt }
    await writeOpenCodeDatabase(home.at('.local/share/opencode/opencode.db'), [session])
    const killed = startAgent('ses_1', 'opencode')
    await killed.hook('SessionStart', { ...begins, transcript_path: null })
    await killed.kill()
    const brief = await briefOf('ses_2', { agent: 'opencode' })
    expect(brief).toContain(envRule)
    expect(brief).toMatch(/## Resume point\n- .*manual of the voucher module/)
  })
})

describe('a session that is resumed', () => {
  it('is compressed when its agent ends after a turn, gets no brief, and has one bundle of all of it', async () => {
    const first = startAgent('s-1')
    await first.append(logOf('s-1', envRule, { rounds: 2 }))
    await first.hook('Stop')
    expect(Number(home.queue()[0]?.notBefore)).toBeGreaterThan(Date.now() + 60_000)
    await first.kill('SIGHUP')
    const whole = logOf('s-1', envRule)
    const resumed = startAgent('s-1')
    await home.until(() => home.bundles().length === 1 && !existsSync(join(home.state, 'worker.lock')))
    expect(await resumed.hook('SessionStart', { source: 'resume' })).toBe('')
    await resumed.append(whole.slice(logOf('s-1', envRule, { rounds: 2 }).length))
    await resumed.kill()
    const brief = await briefOf('s-2')
    expect(brief).toContain('npm test -- s-1-3')
    expect(await list()).toEqual([{ track: 'main', sessionId: 's-1' }])
    expect(await home.tenfold(['verify'])).toMatchObject({ code: 0 })
  })
})

describe('two sessions at once', () => {
  it('get their own briefs after a compaction, and a new one that of the session that ended last', async () => {
    const ended = startAgent('s-0')
    await ended.append(logOf('s-0', 'Use luxon for dates.'))
    await ended.hook('SessionEnd')
    await ended.kill()
    const [one, two] = [startAgent('s-1'), startAgent('s-2')]
    for (const agent of [one, two]) await agent.hook('SessionStart', begins)
    await one.append(logOf('s-1', envRule, { hours: 1 }))
    await two.append(logOf('s-2', logRule, { hours: 2 }))
    await one.hook('PreCompact', { trigger: 'auto' })
    await two.hook('PreCompact', { trigger: 'auto' })
    const compact = { source: 'compact' }
    const ofOne = await one.hook('SessionStart', compact)
    expect(ofOne).toMatch(/# Resume: Fix s-1 /)
    expect(ofOne).toContain(envRule)
    expect(ofOne).not.toContain(logRule)
    expect(await two.hook('SessionStart', compact)).toMatch(/# Resume: Fix s-2 /)
    // Both still run: the new one goes on with what ended, and its brief names them.
    const brief = await briefOf('s-3')
    expect(brief).toMatch(/# Resume: Fix s-0 /)
    for (const name of ['s-1', 's-2'])
      expect(brief).toMatch(new RegExp(`Still running .* ${name} .*next step .*${name}-3`))
    // A session that left nothing gets nothing of the others after its own compaction.
    expect(await briefOf('s-3', compact)).toBe('')
  })
})

/** A session that looks where the work stands. */
function lookAround(session: string): string {
  const base = {
    cwd: home.project,
    sessionId: session,
    version: '2.1.0',
    timestamp: new Date().toISOString(),
  }
  const call = { type: 'tool_use', id: 'toolu_1', name: 'Bash', input: { command: 'git status' } }
  const result = { type: 'tool_result', tool_use_id: 'toolu_1', content: 'nothing to commit' }
  const records = [
    { type: 'user', message: { role: 'user', content: 'Where were we?' } },
    { type: 'assistant', message: { id: 'm1', role: 'assistant', content: [call] } },
    { type: 'user', message: { role: 'user', content: [result] } },
    {
      type: 'assistant',
      message: { id: 'm2', role: 'assistant', content: [{ type: 'text', text: 'All is clean.' }] },
    },
  ]
  return records
    .map(
      (record, at) =>
        `${JSON.stringify({ ...base, uuid: `${session}-${at}`, parentUuid: null, ...record })}\n`,
    )
    .join('')
}
