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
