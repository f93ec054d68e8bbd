import { resolve } from 'node:path'
import { readSession, type Session } from '@tenfold/core'
import { defaultReaders } from '@tenfold/core/readers'
import { type PageData, renderPage, withImages } from '@tenfold/view'
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
  it('says what the session cost, if its model has a price', async () => {
    const usage = [
      { agent: 'main', model: 'claude-opus-5-5', usage: { inputTokens: 1e6, outputTokens: 1e5 } },
    ]
    const html = await renderPage({ ...session, title: 'A & <b>', usage })
    expect(html).toContain('<h1 id="title">A &#38; &#60;b&#62;</h1>')
    expect(dataOf(html).session.cost).toMatchObject({ amount: 6, currency: 'USD' })
    const unknown = [
      { agent: 'main', model: 'no-such-model', usage: { inputTokens: 1e6, outputTokens: 1e5 } },
    ]
    expect(dataOf(await renderPage({ ...session, usage: unknown })).session.cost).toBeUndefined()
  })

  it('shows the images of a log if its readers kept them', async () => {
    const png = 'iVBORw0KGgo='
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png } }
    const bad = { type: 'image', source: { type: 'base64', media_type: 'image/svg+xml', data: png } }
    const record = (content: unknown, uuid: string): string =>
      `${JSON.stringify({ type: 'user', uuid, sessionId: 's', timestamp: '2026-01-02T03:00:00Z', message: { role: 'user', content } })}\n`
    const bytes = new TextEncoder().encode(
      record([{ type: 'text', text: 'Look' }, image], 'u1') +
        record([{ type: 'text', text: 'Again' }, bad], 'u2'),
    )
    const { readers, images } = withImages(defaultReaders)
    const read = await readSession(bytes, { readers, format: 'claude-code' })
    const shown = dataOf(await renderPage(read, { images })).events
    expect(shown.map(({ pictures }) => pictures)).toEqual([[`data:image/png;base64,${png}`], undefined])
    expect(dataOf(await renderPage(read)).events[0]).toMatchObject({ images: 1 })
    expect(await renderPage(read)).not.toContain(png)
  })

  it('replaces secrets in the session unless the caller passes other redactors', async () => {
    const withSecret = { ...session, title: `Rotate ${secret}` }
    expect(await renderPage(withSecret)).not.toContain(secret)
    expect(await renderPage(withSecret, { redactors: [] })).toContain(secret)
  })
})
