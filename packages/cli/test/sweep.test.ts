import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promptOpening } from '@tenfold/summarizers/model'
import { describe, expect, it } from 'vitest'
import {
  conversation,
  toolRan,
  userSaid,
  writeEditorDatabase,
} from '../../../test/support/cursor-database.ts'
import { age } from '../../../test/support/test-folder.ts'
import { type HookJob, jobId } from '../src/background/hooks/job-queue.ts'
import { stateOf } from '../src/state/seen-logs.ts'
import { testHome } from './support/agent-home.ts'
import { claudeLog } from './support/claude-log.ts'
import { linesOf, start } from './support/run.ts'

const home = testHome()

/** A log in the folder of Claude Code whose session ran in the project, last written so many hours ago. */
function writeLog(session: string, hours: number, cwd = home.project): string {
  const text = claudeLog({ session, rounds: 4 }).replaceAll('"/home/dev/shop"', JSON.stringify(cwd))
  const path = home.write(`.claude/projects/-shop/${session}.jsonl`, text)
  age(path, hours)
  return path
}

const sessionEnd = (log: string) => ({
  hook_event_name: 'SessionEnd',
  session_id: 's-1',
  transcript_path: log,
})

describe('a log that failed before', () => {
  it('is tried again by another version, unless it kills the process each time', () => {
    const seen = { digest: 'd', log: 'l', at: 't', store: 's', version: '1' }
    expect(stateOf(undefined, '1')).toBe('open')
    expect(stateOf({ ...seen, bundle: 'b' }, '2')).toBe('done')
    expect(stateOf({ ...seen, failed: 'unknown-format' }, '1')).toBe('failed')
    expect(stateOf({ ...seen, failed: 'unknown-format' }, '2')).toBe('open')
    expect(stateOf({ ...seen, begun: 2 }, '1')).toBe('open')
    expect(stateOf({ ...seen, begun: 3 }, '1')).toBe('failed')
  })
})

describe("the mark of the summarizers' own sessions", () => {
  it('is the beginning of their prompt', () => {
    const prompt = resolve(import.meta.dirname, '../../summarizers/src/model/prompt.ts')
    expect(readFileSync(prompt, 'utf8')).toContain(promptOpening)
  })
})

describe('sweep', () => {
  it('compresses quiet logs into the store of their project, once, and changed ones again', async () => {
    const [first, second, fresh] = [writeLog('s-1', 30), writeLog('s-2', 20), writeLog('s-3', 1)]
    const homeless = writeLog('s-4', 6, home.at('gone'))
    const own = writeLog('s-5', 5)
    writeFileSync(own, claudeLog({ session: 's-5' }).replace('Fix part 1 of the shop.', `${promptOpening}.`))
    age(own, 5)
    const bad = home.write('.codex/sessions/2026/01/02/rollout-bad.jsonl', 'no log\n')
    age(bad, 30)
    const dry = await home.tenfold(['sweep', '--dry-run', '--json'])
    expect(
      linesOf(dry)
        .map(({ log }) => log)
        .sort(),
    ).toEqual([first, second, homeless, bad].sort())
    expect(existsSync(join(home.project, '.agents'))).toBe(false)
    expect(existsSync(home.state)).toBe(false)

    const swept = await home.tenfold(['sweep', '--json'])
    expect(swept).toMatchObject({ code: 1, stderr: expect.stringContaining('rollout-bad.jsonl') })
    const store = join(home.project, '.agents/bundles')
    const state = join(home.state, 'bundles')
    // Several stores, each in its own order.
    expect(linesOf(swept)).toHaveLength(4)
    expect(linesOf(swept)).toContainEqual(
      expect.objectContaining({ log: bad, agent: 'codex', error: expect.anything() }),
    )
    expect(linesOf(swept)).toContainEqual(
      expect.objectContaining({ log: homeless, store: state, track: 'main' }),
    )
    expect(linesOf(swept).filter((one) => one.store === store)).toMatchObject([
      { log: first, agent: 'claude-code', track: 'main' },
      { log: second, agent: 'claude-code', track: 'main' },
    ])
    expect(home.bundles()).toHaveLength(2)

    // One log grows, and one appears that is older than all others.
    writeFileSync(
      first,
      claudeLog({ session: 's-1', rounds: 5 }).replaceAll('/home/dev/shop"', `${home.project}"`),
    )
    age(first, 25)
    const old = writeLog('s-old', 24 * 365 * 3)
    const more = await home.tenfold(['sweep'])
    expect(more).toMatchObject({ code: 0, stderr: '' })
    expect(more.stdout).toContain(`${first}\n`)
    expect(more.stdout).toContain(`${old}\n`)
    expect(more.stdout).toContain('2 done, 0 failed')
    expect(more.stdout).toContain(
      "Skipped: 2 already compressed, 1 still in use or changed recently, 1 failed before and unchanged (--retry tries again), 1 of tenfold's own sessions.",
    )
    expect(JSON.parse(readFileSync(join(store, 'tracks/main/LATEST.json'), 'utf8'))).toMatchObject({
      source: { sessionId: 's-1' },
    })
    // What is too new to be compressed may be compressed already.
    const idle = await home.tenfold(['sweep', '--dry-run', '--idle', '9999'])
    expect(`${idle.stdout}${idle.stderr}`).toContain('Skipped: 4 already compressed, ')
    const retried = await home.tenfold(['sweep', '--dry-run', '--idle', '0.5', '--retry', '--json'])
    expect(linesOf(retried).map(({ log }) => log)).toEqual([bad, fresh])
    // So may one that a person compressed.
    await home.tenfold(['compress', fresh, '--quiet'])
    const byHand = await home.tenfold(['sweep', '--dry-run'])
    expect(`${byHand.stdout}${byHand.stderr}`).not.toContain('still in use')
  })

  it('compresses a session that another one started only together with that one, now and later', async () => {
    const storage = '.local/share/opencode/storage'
    const session = (id: string, parent?: string): string => {
      const info = { id, projectID: 'p', directory: home.project, time: { created: 1767600000000 } }
      const path = home.write(
        `${storage}/session/p/${id}.json`,
        JSON.stringify({ ...info, ...(parent !== undefined && { parentID: parent }) }),
      )
      const message = { id: `msg_${id}`, sessionID: id, role: 'user', time: info.time }
      home.write(`${storage}/message/${id}/${message.id}.json`, JSON.stringify(message))
      const part = {
        id: 'prt_1',
        messageID: message.id,
        sessionID: id,
        type: 'text',
        text: `Words of ${id}.`,
      }
      home.write(`${storage}/part/${message.id}/prt_1.json`, JSON.stringify(part))
      age(path, 30)
      return path
    }
    const parent = session('ses_a')
    session('ses_b', 'ses_a')
    const dry = await home.tenfold(['sweep', '--dry-run', '--json'])
    expect(linesOf(dry).map(({ log }) => log)).toEqual([parent])
    const swept = await home.tenfold(['sweep', '--json'])
    expect(linesOf(swept)).toMatchObject([{ log: parent, format: 'opencode' }])
    expect((await home.tenfold(['sweep'])).stdout).toContain('Skipped: 2 already compressed.')
  })

  it('does what a hook queued, and waits for what is postponed', async () => {
    const [log, later, gone] = [writeLog('s-1', 0), writeLog('s-2', 0), writeLog('s-3', 0)]
    await home.hook('claude-code', sessionEnd(log))
    await home.hook('codex', { hook_event_name: 'Stop', session_id: 's-2', transcript_path: later })
    await home.hook('claude-code', sessionEnd(gone))
    rmSync(gone)
    const damaged = `${'0'.repeat(32)}.json`
    home.write(`state/queue/${damaged}`, '{"version":1,"agent":"cl')
    const swept = await home.tenfold(['sweep', '--idle', '0', '--json', '--store', 'elsewhere'], {
      env: { TENFOLD_SWEEP_KIND: 'progress' },
    })
    // The store of a job is the store of its project.
    expect(linesOf(swept)).toMatchObject([{ log, queued: 'SessionEnd', track: 'main' }])
    expect(swept).toMatchObject({ code: 0, stderr: '' })
    const [bundle, ...others] = home.bundles()
    expect(others).toEqual([])
    const written = readFileSync(join(home.project, `.agents/bundles/bundles/${bundle}.json`), 'utf8')
    expect(JSON.parse(written)).toMatchObject({ kind: 'progress' })
    expect(readdirSync(join(home.state, 'queue')).filter((name) => name !== `${damaged}.bad`)).toHaveLength(1)
    expect(existsSync(join(home.state, 'queue', `${damaged}.bad`))).toBe(true)
    expect(home.told()).toContainEqual(expect.objectContaining({ log: gone, skipped: 'the log is missing' }))
  })

  it.skipIf(process.platform !== 'linux')(
    'fails a log that cannot be read, and does the others',
    async () => {
      const [piped, log] = [writeLog('s-1', 0), writeLog('s-2', 0)]
      // Reading it fails with EIO.
      await home.hook('claude-code', sessionEnd('/proc/self/mem'))
      await home.hook('claude-code', sessionEnd(piped))
      rmSync(piped)
      execFileSync('mkfifo', [piped])
      await home.hook('claude-code', sessionEnd(log))
      const swept = await home.tenfold(['sweep', '--queued', '--json'])
      const error = expect.objectContaining({ code: 'log-unreadable' })
      const failed = (name: string) => ({ log: name, error })
      expect(linesOf(swept)).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ log, track: 'main' }),
          expect.objectContaining(failed('/proc/self/mem')),
          expect.objectContaining(failed(piped)),
        ]),
      )
      expect(swept.code).toBe(1)
      expect(home.queue()).toEqual([])
    },
  )

  it("takes a session of Cursor's editor from its database, not from its transcript", async () => {
    const said = [
      userSaid('Fix the cart.'),
      toolRan('run_terminal_command_v2', { command: 'npm test' }, { output: 'ok', notInterrupted: true }),
    ]
    const rows = conversation('c-1', { name: 'Cart', createdAt: Date.UTC(2026, 4, 4) }, said)
    const database = home.write('.config/Cursor/User/globalStorage/state.vscdb', '')
    await writeEditorDatabase(database, rows)
    const slug = home.project.slice(1).replaceAll(/[^A-Za-z0-9]/g, '-')
    const line = JSON.stringify({
      role: 'user',
      message: { content: [{ type: 'text', text: 'Fix the cart.' }] },
    })
    const folder = `.cursor/projects/${slug}/agent-transcripts`
    home.write(`${folder}/c-1/c-1.jsonl`, `${line}\n`)
    const other = home.write(`${folder}/c-2/c-2.jsonl`, `${line}\n`)
    const counted = JSON.parse((await home.tenfold(['sources', '--json'])).stdout)
    expect(counted).toMatchObject([{ agent: 'cursor', sessions: 2, uncompressed: 2 }])
    await home.hook('cursor', { hook_event_name: 'sessionEnd', conversation_id: 'c-1' })
    const swept = linesOf(await home.tenfold(['sweep', '--idle', '0', '--json', '--store', 'elsewhere']))
    expect(swept).toMatchObject([{ log: `${database}#c-1`, queued: 'sessionEnd' }, { log: other }])
    // What a session gains later is found by its messages: the editor often leaves its time as it was.
    await writeEditorDatabase(
      database,
      conversation('c-1', { name: 'Cart', createdAt: Date.UTC(2026, 4, 4) }, [
        ...said,
        userSaid('And the till.'),
      ]),
    )
    const again = linesOf(await home.tenfold(['sweep', '--idle', '0', '--json', '--store', 'elsewhere']))
    expect(again).toMatchObject([{ log: `${database}#c-1` }])
  })

  it('waits for the log that Copilot CLI writes after its hooks, and gives up on one that never comes', async () => {
    const folder = '.copilot/session-state'
    const session = (id: string) => {
      home.write(`${folder}/${id}/workspace.yaml`, '')
      const stdin = JSON.stringify({ sessionId: id, cwd: home.project, reason: 'complete' })
      const env = { TENFOLD_HOOK_WORKER: 'off' }
      return home.tenfold(['hook', 'copilot-cli', 'sessionEnd'], { env, stdin })
    }
    await session('s-1')
    await session('s-2')
    const [job, other] = home.queue()
    const due = { notBefore: 0, missingUntil: Date.now() + 3_600_000 }
    const put = (given: object, change: object) => {
      const fields = { ...given, ...change } as HookJob
      home.write(`state/queue/${jobId(fields)}.json`, JSON.stringify(fields))
    }
    put({ ...job }, due)
    put({ ...other }, due)
    await home.tenfold(['sweep', '--queued'])
    expect(home.queue()).toHaveLength(2)
    expect(home.bundles()).toEqual([])
    const [first, second] = home.queue()
    const log = home.write(String(first?.log).slice(home.at().length + 1), claudeLog())
    put({ ...first }, { notBefore: 0 })
    put({ ...second }, { notBefore: 0, missingUntil: 1 })
    await home.tenfold(['sweep', '--queued'])
    expect(home.queue()).toEqual([])
    expect(home.bundles()).toHaveLength(1)
    expect(home.told()).toContainEqual(expect.objectContaining({ log, bundle: expect.any(String) }))
    const missing = { log: second?.log, skipped: 'the log is missing' }
    expect(home.told()).toContainEqual(expect.objectContaining(missing))
  })

  it('compresses in the background after a hook, and a subagent to a track of its own', async () => {
    const log = writeLog('s-1', 0)
    const sub = home.write('p/agent-a9.jsonl', claudeLog({ session: 'a9', rounds: 4 }))
    const on = { TENFOLD_HOOK_WORKER: 'on', TENFOLD_HOOK_IDLE: '0' }
    const stop = { hook_event_name: 'SubagentStop', agent_id: 'a9', agent_transcript_path: sub }
    await Promise.all([
      home.hook('cursor', { hook_event_name: 'stop', session_id: 's-1', transcript_path: log }, on),
      home.hook('claude-code', stop, on),
    ])
    await home.until(() => home.bundles().length === 2 && !existsSync(join(home.state, 'worker.lock')))
    expect(readdirSync(join(home.project, '.agents/bundles/tracks')).sort()).toEqual(['main', 'subagent-a9'])
    expect(home.queue()).toEqual([])
    expect(home.told().filter(({ bundle }) => bundle !== undefined)).toHaveLength(2)
  })

  it('continues where a worker was killed', async () => {
    const logs = [1, 2, 3].map((number) => writeLog(`s-${number}`, 0))
    for (const log of logs) await home.hook('claude-code', sessionEnd(log))
    const env = { HOME: home.at(), TENFOLD_HOME: home.state }
    const worker = start(['sweep', '--queued'], { cwd: home.project, env })
    // In the middle: one log is done, and another was taken out of the queue.
    await home.until(() => home.bundles().length > 0 || worker.child.exitCode !== null)
    worker.child.kill('SIGKILL')
    await worker.ended
    const swept = await home.tenfold(['sweep', '--json'])
    expect(swept).toMatchObject({ code: 0, stderr: '' })
    expect(home.queue()).toEqual([])
    // A bundle that was written but not committed when the worker was killed is on no track.
    const history = join(home.project, '.agents/bundles/tracks/main')
    const entries = readdirSync(history).filter((name) => /^\d.*\.json$/.test(name))
    const sessions = entries.map(
      (name): string => JSON.parse(readFileSync(join(history, name), 'utf8')).sessionId,
    )
    expect(sessions.sort()).toEqual(['s-1', 's-2', 's-3'])
  })
})
