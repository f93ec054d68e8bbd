import { describe, expect, it } from 'vitest'
import { readSession } from '../../src/readers/read-session.ts'
import { sweAgentReader } from '../../src/readers/swe-agent/swe-agent.ts'
import { ofType, type Session } from './events.ts'

const readers = [sweAgentReader]
const read = async (name: string): Promise<Session> =>
  await readSession(new URL(`../fixtures/swe-agent/${name}`, import.meta.url), { readers })

describe('a trajectory with actions in the text', async () => {
  const session = await read('text-actions.traj')

  it('separates the task from the demonstration and the instructions', () => {
    expect(ofType(session, 'user').map(({ text }) => text)).toEqual(['The clock ticks once.'])
    expect(ofType(session, 'context').map(({ name }) => name)).toEqual([
      'system prompt',
      'demonstration',
      'instructions',
      'user',
    ])
  })

  it('has commands of the interface and lines for the shell', () => {
    expect(ofType(session, 'tool_call').map(({ name, kind }) => [name, kind])).toEqual([
      ['find_file', 'search'],
      ['open', 'read'],
      ['edit', 'edit'],
      ['edit', 'edit'],
      ['bash', 'execute'],
      ['submit', 'other'],
    ])
    expect(ofType(session, 'tool_call')[1]?.input).toMatchObject({ path: 'src/clock.py' })
  })

  it('separates refused edits from edits that were made', () => {
    const [, , refused, made] = ofType(session, 'tool_result')
    expect(refused).toMatchObject({ status: 'error' })
    expect(made?.changes).toEqual([
      { path: '/srv/clock/src/clock.py', action: 'modified', added: 2, removed: 1 },
    ])
  })

  it('has each text once', () => {
    const texts = session.events.map((event) => ('text' in event ? event.text : ''))
    expect(texts.filter((text) => text.includes('diff --git'))).toHaveLength(1)
    expect(texts.filter((text) => text.includes('2 passed'))).toHaveLength(1)
    expect(texts.filter((text) => text.includes('not formatted correctly'))).toHaveLength(1)
  })
})

describe('a trajectory with tool calls', async () => {
  const session = await read('tool-calls.traj')

  it('takes names, ids and arguments from the history, and drops repeated prompts', () => {
    expect(ofType(session, 'tool_call').map(({ callId, name }) => [callId, name])).toEqual([
      ['call_1', 'bash'],
      ['call_2', 'str_replace_editor'],
      ['call_2#2', 'submit'],
    ])
    expect(ofType(session, 'user')).toHaveLength(1)
    expect(ofType(session, 'reasoning')).toHaveLength(3)
  })

  it('is described by its settings', () => {
    expect(session).toMatchObject({
      id: 'clock__clock-7',
      agentVersion: '1.1.0',
      cwd: '/srv/clock',
      commit: '2'.repeat(40),
      usage: [{ model: 'claude-sonnet-4-5', usage: { inputTokens: 500, outputTokens: 50 } }],
    })
    expect(ofType(session, 'context').at(-1)).toMatchObject({ name: 'exit status' })
  })
})

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
  const session = await read('mini.traj.json')

  it('runs the one block of a response, and nothing if there are two', () => {
    expect(ofType(session, 'tool_call').map(({ input }) => input)).toEqual([
      { command: 'cat bell.sh' },
      { command: 'rm -rf /srv/bell' },
      { command: 'printf ring > bell.sh' },
      { command: 'echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT && git diff' },
    ])
  })

  it("separates results, refusals and the user's words", () => {
    expect(
      ofType(session, 'tool_result').map(({ status, exitCode, text }) => [status, exitCode, text]),
    ).toEqual([
      ['error', 1, 'cat: bell.sh: No such file or directory'],
      [
        'denied',
        undefined,
        'Command not executed. The user rejected your command with the following message:',
      ],
      ['ok', 0, ''],
      ['unknown', undefined, 'diff --git a/bell.sh b/bell.sh\n'],
    ])
    expect(ofType(session, 'user').map(({ text }) => text)).toEqual([
      'the bell is silent.',
      'never delete the bell',
    ])
  })

  it('counts each response, and takes the times of the messages', () => {
    expect(session.usage).toMatchObject([{ model: 'gpt-5-mini', usage: { inputTokens: 1500 } }])
    expect(session).toMatchObject({ cwd: '/srv/bell', startedAt: '2026-01-01T00:00:01.000Z' })
  })

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
