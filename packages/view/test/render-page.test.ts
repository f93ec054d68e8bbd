import { resolve } from 'node:path'
import { compressLog, readSession, type Session } from '@tenfold/core'
import { extractiveSummarizer } from '@tenfold/summarizers/extractive'
import { type PageData, renderPage } from '@tenfold/view'
import { beforeAll, describe, expect, it } from 'vitest'

const log = resolve(import.meta.dirname, '../../../examples/logs/claude-code-rate-limiter.jsonl')
// Made of parts, so that no scanner takes it for a secret of this repository.
const secret = `ghp_${'Ab3dEf6hIj9lMn2pQr5tUv8xYz1bCd4fGh7j'}`
let session: Session

function dataOf(html: string): PageData {
  const [, json = ''] = /<script type="application\/json" id="data">(.*?)<\/script>/s.exec(html) ?? []
  return JSON.parse(json)
}

beforeAll(async () => {
  session = await readSession(log)
})

describe('renderPage', () => {
  it('renders every event of the session into one HTML file without references to other files', () => {
    const html = renderPage(session)
    expect(html).toMatch(/^<!doctype html>/)
    expect(dataOf(html).events).toHaveLength(session.events.length)
    expect(dataOf(html).bundle).toBeUndefined()
    expect(html.match(/<(?:script|link|img|iframe)\b[^>]*\b(?:src|href)="(?!data:)/g)).toBeNull()
  })

  it('shows the given bundle', async () => {
    const { bundle } = await compressLog(log, { summarizer: extractiveSummarizer() })
    const { bundle: shown } = dataOf(renderPage(session, { bundle }))
    expect(shown?.id).toBe(bundle.id)
    expect(shown?.sections.length).toBeGreaterThan(3)
  })

  it('replaces secrets in the session unless the caller passes other redactors', () => {
    const withSecret = { ...session, title: `Rotate ${secret}` }
    expect(renderPage(withSecret)).not.toContain(secret)
    expect(renderPage(withSecret, { redactors: [] })).toContain(secret)
  })

  it('puts the events of a replayed session first', () => {
    const { events, session: head } = dataOf(renderPage(session, { replayed: session }))
    expect(events).toHaveLength(2 * session.events.length)
    expect(events[0]?.replayed).toBe(true)
    expect(events.at(-1)?.replayed).toBeUndefined()
    expect(head.replayedFrom).toBe(session.id)
  })
})
