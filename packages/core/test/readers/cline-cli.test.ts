import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openLog } from '../../src/readers/open-log.ts'
import { readSession } from '../../src/readers/read-session.ts'
import { joinToolUses } from '../../src/tools/tool-uses.ts'

const session = '1795300000000_ab1cd'
const agent = 'agent_1795300000100_ef2gh'
const call = (id: string, name: string, input: object) => ({ type: 'tool_use', id, name, input })
const result = (id: string, content: unknown) => ({ type: 'tool_result', tool_use_id: id, content })
const said = (id: string, content: object[]) => ({
  id,
  role: 'assistant',
  content,
  ts: 1795300000000,
  modelInfo: { id: 'm-1' },
  metrics: { inputTokens: 100, outputTokens: 10 },
})
const given = (id: string, content: object[]) => ({ id, role: 'user', content, ts: 1795300000000 })
const document = (id: string, origin: object, messages: object[]) => ({
  version: 1,
  updated_at: '2026-11-20T08:00:00.000Z',
  agent: 'lead',
  sessionId: id,
  origin: { source: 'cli', version: '3.0.65', ...origin },
  system_prompt: 'You are Cline.',
  messages,
})

const main = document(session, { mode: 'user' }, [
  given('1', [{ type: 'text', text: '<user_input mode="act">Round the totals.</user_input>' }]),
  said('2', [
    call('c1', 'run_commands', { commands: ['node cart.mjs'] }),
    call('c2', 'run_commands', { commands: ['node tax.mjs'] }),
    call('c3', 'editor', { path: '/srv/shop/a.mjs', new_text: 'a\nb\n' }),
    call('c4', 'spawn_agent', { systemPrompt: 'You count.', task: 'Count the carts.' }),
  ]),
  given('3', [
    result('c1', [{ query: 'node cart.mjs', result: 'printed 12\n', success: true }]),
    result('c2', [
      {
        query: 'node tax.mjs',
        result: '[Command exited with code 3]\n\nno rate',
        error: 'Command exited with code 3',
        success: false,
      },
    ]),
    result('c3', '{"query":"edit","result":"File created successfully at: /srv/shop/a.mjs","success":true}'),
    result('c4', '{"text":"There are 2."}'),
  ]),
])
const child = {
  ...document(`${session}__${agent}`, { mode: 'subagent', parentThreadId: session, subagent: agent }, [
    given('4', [{ type: 'text', text: 'Count the carts.' }]),
    said('5', [{ type: 'text', text: 'There are 2.' }]),
  ]),
  agent: 'subagent',
  taskType: 'subagent_task',
}
const description = {
  version: 1,
  session_id: session,
  cwd: '/srv/shop',
  messages_path: `/home/dev/${session}.messages.json`,
  metadata: { title: 'Rounding', git: { branch: 'fix/round' } },
}

let folder: string
const fileOf = (id: string) => join(folder, `${id}.messages.json`)
beforeAll(async () => {
  folder = join(await mkdtemp(join(tmpdir(), 'tenfold-cline-')), session)
  const { mkdir } = await import('node:fs/promises')
  await mkdir(folder)
  await writeFile(fileOf(session), JSON.stringify(main))
  await writeFile(join(folder, `${session}.json`), JSON.stringify(description))
  await writeFile(fileOf(agent), JSON.stringify(child))
})
afterAll(() => rm(join(folder, '..'), { recursive: true }))

describe('a session folder of the Cline CLI', () => {
  it('is one session: the conversation, its description, its subagents', async () => {
    for (const path of [folder, fileOf(session)]) {
      const read = await readSession(await openLog(path))
      expect(read).toMatchObject({ id: session, cwd: '/srv/shop', branch: 'fix/round', title: 'Rounding' })
      expect(read.agents).toMatchObject([{ id: 'main' }, { id: agent, parent: 'main', callId: 'c4' }])
      const own = read.events.filter((event) => event.agent === agent)
      expect(own.map(({ type }) => type)).toEqual(['context', 'assistant'])
      expect(read.usage.map((entry) => [entry.agent, entry.usage.inputTokens])).toEqual([
        ['main', 100],
        [agent, 100],
      ])
      expect(read.source.account.other).toBe(0)
      expect(read.events.filter(({ type }) => type === 'user')).toHaveLength(1)
    }
  })

  it('gives exit codes of failed and of successful commands, and new files', async () => {
    const read = await readSession(await openLog(folder))
    const uses = joinToolUses(read.events)
    expect(uses.map(({ result: one }) => [one?.status, one?.exitCode])).toEqual([
      ['ok', 0],
      ['error', 3],
      ['ok', undefined],
      ['ok', undefined],
    ])
    expect(uses[2]?.result?.changes).toEqual([
      { path: '/srv/shop/a.mjs', action: 'created', added: 2, removed: 0 },
    ])
  })

  it('of a subagent alone has no user', async () => {
    const read = await readSession(await openLog(fileOf(agent)))
    expect(read.events.map(({ type, agent: by }) => [type, by])).toEqual([
      ['context', 'main'],
      ['context', 'main'],
      ['assistant', 'main'],
    ])
  })
})
