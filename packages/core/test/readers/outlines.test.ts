import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { listSessions, readSession } from '../../src/readers/read-session.ts'
import type { Session } from './events.ts'
import {
  databasesOf,
  families,
  fixtureFolders,
  moreSamplesOf,
  samplesOf,
  tablesOf,
  writeDatabase,
} from './samples.ts'

// What each sample says, in `outlines/<reader>.txt`: a line for what is known of the session, each agent, usage, note and
// event. After a change on purpose: npx vitest run packages/core/test/readers/outlines.test.ts -u
describe('the samples of a format', () => {
  it.each(fixtureFolders())('%s are read as their outlines say', async (format) => {
    const outlines: string[] = []
    for (const { name, bytes } of [...samplesOf(format), ...moreSamplesOf(format)])
      outlines.push(`# ${name}`, ...outlineOf(await readSession(bytes, { format })), '')
    for (const { reader, folder, log } of families.filter((family) => family.reader === format))
      outlines.push(`# ${reader}/${basename(folder)}`, ...outlineOf(await readSession(join(folder, log))), '')
    for (const sample of databasesOf(format)) {
      const path = join(await mkdtemp(join(tmpdir(), 'tenfold-outline-')), 'sessions.db')
      onTestFinished(() => rm(join(path, '..'), { recursive: true }))
      await writeDatabase(path, tablesOf(sample))
      for (const listing of (await listSessions(path)) ?? []) {
        const session = await readSession(`${path}#${listing.id}`)
        outlines.push(`# ${sample.name}`, `listed ${shown(listing)}`, ...outlineOf(session), '')
      }
    }
    await expect(outlines.join('\n')).toMatchFileSnapshot(`outlines/${format}.txt`)
  })
})

function outlineOf({ events, agents, usage, notes, source, format, ...about }: Session): string[] {
  const names = source.files.map(({ name }) => name)
  return [
    ...(names.length > 1 ? [`files ${names.join(' ')}`] : []),
    `session ${shown(about)}`,
    ...agents.map((agent) => `agent ${shown(agent)}`),
    ...usage.map((entry) => `usage ${shown(entry)}`),
    ...notes.map(({ code, message, line }) => `note ${line} ${code}: ${message}`),
    `lines ${shown(source.account)}`,
    ...events.map(({ id, type, agent, turn, source: { file, line }, ...fields }) => {
      const place = file === 0 ? `${line}` : `${file}:${line}`
      const who = agent === 'main' ? '' : ` ${agent}`
      return `${place}${who} ${turn} ${type} ${shown(fields)}`
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
