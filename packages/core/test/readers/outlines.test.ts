import { describe, expect, it } from 'vitest'
import { readSession } from '../../src/readers/read-session.ts'
import type { Session } from './events.ts'
import { fixtureFolders, moreSamplesOf, samplesOf } from './samples.ts'

// What each sample says, in `outlines/<reader>.txt`: a line for what is known of the session, each agent, usage, note and
// event. After a change on purpose: npx vitest run packages/core/test/readers/outlines.test.ts -u
describe('the samples of a format', () => {
  it.each(fixtureFolders())('%s are read as their outlines say', async (format) => {
    const outlines: string[] = []
    for (const { name, bytes } of [...samplesOf(format), ...moreSamplesOf(format)])
      outlines.push(`# ${name}`, ...outlineOf(await readSession(bytes, { format })), '')
    await expect(outlines.join('\n')).toMatchFileSnapshot(`outlines/${format}.txt`)
  })
})

function outlineOf({ events, agents, usage, notes, source, format, ...about }: Session): string[] {
  return [
    `session ${shown(about)}`,
    ...agents.map((agent) => `agent ${shown(agent)}`),
    ...usage.map((entry) => `usage ${shown(entry)}`),
    ...notes.map(({ code, message, line }) => `note ${line} ${code}: ${message}`),
    `lines ${shown(source.account)}`,
    ...events.map(({ id, type, agent, turn, source: { line }, ...fields }) => {
      const who = agent === 'main' ? '' : ` ${agent}`
      return `${line}${who} ${turn} ${type} ${shown(fields)}`
    }),
  ]
}

const mostShown = 120

/** The fields as JSON, without quotes around names, and the beginning of each text with the length of the rest. */
function shown(value: unknown): string {
  const cut = (text: string): string =>
    text.length > mostShown ? `${text.slice(0, mostShown)}… ${text.length - mostShown} more` : text
  const json = JSON.stringify(value, (_, held) => (typeof held === 'string' ? cut(held) : held))
  return json.replaceAll(/"(\w+)":/g, '$1: ').replace(/^\{|\}$/g, '')
}
