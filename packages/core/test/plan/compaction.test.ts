import { expect, it } from 'vitest'
import { compressLog } from '../../src/compress-log.ts'
import { sessionToJsonl } from '../../src/readers/tenfold.ts'
import { fakeSummarizer } from '../summarize/fake-summarizer.ts'
import { assistant, makeSession, shell, user } from '../support/session.ts'

it('keeps much of the summary that an agent made at its last compaction', async () => {
  const points = (name: string, count: number) =>
    Array.from(
      { length: count },
      (_, at) => `- The ${name}${at} of shelf ${at * 7} fires at cone${at} slowly.`,
    ).join('\n')
  const sections = ['Goal', 'Work', 'Structure', 'Steps', 'Preferences', 'Files']
  const text = sections.map((name) => `## ${name}\n${points(name, 15)}`).join('\n\n')
  const work = Array.from({ length: 30 }, (_, call) => [
    assistant(points(`kiln${call}x`, 12)),
    ...shell(`c${call}`, `cat log${call}.txt`, points(`log${call}x`, 40)),
  ])
  const session = makeSession([
    user('Fire the kiln.'),
    ...work.slice(0, 15).flat(),
    { type: 'compaction', text },
    user('Where were we?'),
    ...work.slice(15).flat(),
    assistant('The kiln is fired.'),
  ])
  const log = Buffer.from([...sessionToJsonl(session)].join(''))
  const { bundle } = await compressLog(log, { summarizer: fakeSummarizer() })
  const kept = bundle.trail.find(({ label }) => label === 'compaction')?.text ?? ''
  expect(kept.length).toBeGreaterThan(text.length / 3)
})
