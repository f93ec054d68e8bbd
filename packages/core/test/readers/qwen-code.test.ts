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
