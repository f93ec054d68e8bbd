import { describe, expect, it } from 'vitest'
import { readSession } from '../../src/readers/read-session.ts'
import { sweAgentReader } from '../../src/readers/swe-agent/swe-agent.ts'
import { ofType } from './events.ts'

const readers = [sweAgentReader]
describe('the first message of a template', () => {
  const asked = async (content: string) => {
    const log = Buffer.from(
      JSON.stringify({ trajectory: [], history: [{ role: 'user', content }], info: {} }),
    )
    const session = await readSession(log, { readers })
    return {
      user: ofType(session, 'user').map(({ text }) => text),
      instructions: ofType(session, 'context').map(({ text }) => text),
    }
  }

  it.each([
    [
      'an issue',
      "We're currently solving the following issue within our repository. Here's the issue text:\nISSUE:\nThe bell is silent\nIt should ring.\n\nINSTRUCTIONS:\nNow ring it.",
    ],
    [
      'a description between tags',
      "<uploaded_files>\n/srv/bell\n</uploaded_files>\nI've uploaded a repository. Consider the following PR description:\n\n<pr_description>\nThe bell is silent\nIt should ring.\n</pr_description>\n\nCan you help me? Now ring it.",
    ],
    [
      'a description with its lead-in between tags',
      '<pr_description>\nConsider the following PR description:\nThe bell is silent\nIt should ring.\n</pr_description>\n\n<instructions>\nNow ring it.\n</instructions>',
    ],
  ])('holds the words of the user and of the template: %s', async (_, content) => {
    const { user, instructions } = await asked(content)
    expect(user).toEqual(['The bell is silent\nIt should ring.'])
    expect(instructions).toHaveLength(1)
    expect(instructions[0]).toContain('Now ring it.')
    const words = new Set(`${user} ${instructions}`.match(/[\w'/]+/g))
    const lost = content
      .match(/[\w'/]+/g)
      ?.filter((word) => !words.has(word) && !/^(?:\/)?pr_description$/.test(word))
    expect(lost?.filter((word) => !/^(?:Consider|the|following|PR|description)$/.test(word))).toEqual([])
  })

  it('is the task if it has the words of no template', async () => {
    expect(await asked('Ring the bell.\n\nPlease.')).toEqual({
      user: ['Ring the bell.\n\nPlease.'],
      instructions: [],
    })
  })
})

it('counts the lines that the functions of the interface change', async () => {
  const step = (id: string, name: string, input: object) => ({
    action: name,
    observation: '[File: /srv/bell/ring.py (9 lines total)]\n1:import bell',
    response: id,
    thought: id,
    state: { open_file: '/srv/bell/ring.py', working_dir: '/srv/bell' },
    tool_calls: [{ id, function: { name, arguments: JSON.stringify(input) } }],
  })
  const trajectory = [
    step('call_1', 'edit', { search: 'a()\nb()\nc()', replace: 'a()\nring()\nring()\nc()' }),
    step('call_2', 'insert', { text: 'import time\nimport os\n' }),
    step('call_3', 'edit', { start_line: 3, end_line: 5, replacement_text: 'ring()' }),
  ]
  const log = Buffer.from(JSON.stringify({ trajectory, history: [], info: {} }))
  const session = await readSession(log, { readers })
  expect(ofType(session, 'tool_result').map(({ changes }) => changes)).toEqual([
    [{ path: '/srv/bell/ring.py', action: 'modified', added: 2, removed: 1 }],
    [{ path: '/srv/bell/ring.py', action: 'modified', added: 2, removed: 0 }],
    [{ path: '/srv/bell/ring.py', action: 'modified', added: 1, removed: 3 }],
  ])
})

it('reads a history without steps', async () => {
  const history = [
    { role: 'user', content: 'Ring the bell.' },
    { role: 'assistant', content: 'I ring.', thought: 'I ring.', action: 'ring\n' },
    { role: 'user', content: 'ding' },
  ]
  const log = Buffer.from(JSON.stringify({ trajectory: [], history, info: {} }))
  const session = await readSession(log, { readers })
  expect(session.events.map(({ type }) => type)).toEqual(['user', 'assistant', 'tool_call', 'tool_result'])
})

describe('a trajectory of mini-SWE-agent', async () => {
  it('is also recognized as a bare list of messages', async () => {
    const list = [
      { role: 'user', content: 'Look.' },
      { role: 'assistant', content: 'I look.\n```bash\nls\n```' },
      { role: 'user', content: '<returncode>0</returncode>\n<output>\na.sh\n</output>' },
    ]
    const bare = await readSession({ parsed: list })
    expect(bare.format).toBe('swe-agent')
    expect(ofType(bare, 'tool_result')).toMatchObject([{ text: 'a.sh', exitCode: 0 }])
  })
})
