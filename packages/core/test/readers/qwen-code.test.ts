import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openLog } from '../../src/readers/open-log.ts'
import { readSession } from '../../src/readers/read-session.ts'

const fixture = new URL('../fixtures/qwen-code/session.jsonl', import.meta.url)
const id = 'c0ffee00-0000-4000-8000-0000000051e1'

describe('a session of Qwen Code', async () => {
  it('is read with its subagents, from its file or the folder of its project', async () => {
    const project = await mkdtemp(join(tmpdir(), 'tenfold-qwen-'))
    onTestFinished(() => rm(project, { recursive: true }))
    const agentId = 'general-purpose-call_4'
    const shared = {
      sessionId: id,
      parentUuid: null,
      agentId,
      agentName: 'general-purpose',
      isSidechain: true,
    }
    const records = [
      { uuid: 's1', type: 'user', message: { role: 'user', parts: [{ text: 'Count.' }] } },
      { uuid: 's2', type: 'assistant', message: { role: 'model', parts: [{ text: 'There are 2.' }] } },
    ].map((record) => `${JSON.stringify({ ...shared, ...record })}\n`)
    await mkdir(join(project, 'chats'))
    await mkdir(join(project, 'subagents', id), { recursive: true })
    await writeFile(join(project, 'chats', `${id}.jsonl`), await readFile(fixture))
    const child = join(project, 'subagents', id, `agent-${agentId}.jsonl`)
    await writeFile(child, records.join(''))
    for (const path of [project, join(project, 'chats', `${id}.jsonl`)]) {
      const whole = await readSession(await openLog(path))
      expect(whole.agents).toMatchObject([
        { id: 'main' },
        { id: agentId, parent: 'main', callId: 'call_4', type: 'general-purpose' },
      ])
      const own = whole.events.filter(({ agent }) => agent === agentId)
      expect(own.map(({ type }) => type)).toEqual(['context', 'assistant'])
    }
    const alone = await readSession(await openLog(child))
    expect(alone.events.map(({ type, agent }) => [type, agent])).toEqual([
      ['context', 'main'],
      ['assistant', 'main'],
    ])
  })
})

it('tells the words of a resumed prompt from the reminder in the part before them', async () => {
  const reminder = '<system-reminder>\nA task is open. Use list_agents to inspect it.\n</system-reminder>'
  const lines = [
    [{ text: reminder }, { text: 'Use a RangeError.' }],
    [{ text: reminder }],
    [{ text: 'Go on.' }],
  ].map((parts, index) =>
    JSON.stringify({
      ...{ uuid: `u${index}`, parentUuid: null, type: 'user', sessionId: id, cwd: '/srv/shop' },
      message: { role: 'user', parts },
    }),
  )
  const { events } = await readSession(new TextEncoder().encode(lines.join('\n')))
  const inside = 'A task is open. Use list_agents to inspect it.'
  expect(events.map((event) => [event.type, event.turn, 'text' in event && event.text])).toEqual([
    ['context', 0, inside],
    ['user', 1, 'Use a RangeError.'],
    ['context', 1, inside],
    ['user', 2, 'Go on.'],
  ])
})

describe('a rewind of Qwen Code', () => {
  it('takes back the turns after the record that it continues', async () => {
    const record = (uuid: string, parentUuid: string | null, type: string, fields: object) => ({
      ...{ uuid, parentUuid, type, sessionId: id, cwd: '/srv/shop', ...fields },
    })
    const said = (role: string, text: string) => ({ message: { role, parts: [{ text }] } })
    const lines = [
      record('a', null, 'user', said('user', 'Add the tax.')),
      record('b', 'a', 'assistant', said('model', 'Added.')),
      record('c', 'b', 'user', said('user', 'Add the tip.')),
      record('d', 'c', 'assistant', said('model', 'Added too.')),
      record('e', 'b', 'system', { subtype: 'rewind', systemPayload: { truncatedCount: 2 } }),
      record('f', 'e', 'user', said('user', 'Only the tax.')),
    ]
    const text = lines.map((line) => JSON.stringify(line)).join('\n')
    const { events } = await readSession(new TextEncoder().encode(text))
    expect(events.map(({ type, inContext }) => `${type}${inContext === false ? ' gone' : ''}`)).toEqual([
      ...['user', 'assistant', 'user gone', 'assistant gone'],
      ...['rewind', 'user'],
    ])
  })
})
