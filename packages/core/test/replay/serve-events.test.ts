import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import {
  createEventLog,
  type EventLog,
  replaySession,
  type ServeEventsOptions,
  serveEvents,
  type TaskEvent,
} from '../../src/entries/replay.ts'
import { expectCpuBelow } from '../support/cpu-time.ts'
import { makeSession, user } from '../support/session.ts'
import { eventStreamParser, type Message } from './event-stream.ts'

const servers: Server[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    await new Promise((done) => server.close(done))
  }
})

/** A server of a log; `served` and `responses` have one item for each request. */
async function serve(log: EventLog, options: ServeEventsOptions = {}) {
  const handle = serveEvents(log, options)
  const served: Promise<void>[] = []
  const responses: ServerResponse[] = []
  const server = createServer((incoming, response) => {
    responses.push(response)
    served.push(handle(incoming, response))
  })
  servers.push(server)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return { port: (server.address() as AddressInfo).port, served, responses }
}

interface Connection {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly messages: readonly Message[]
  readonly text: () => string
  readonly ended: Promise<void>
  saw(count: number): Promise<void>
  leave(): void
}

async function open(port: number, lastEventId?: string, method = 'GET'): Promise<Connection> {
  const headers = lastEventId === undefined ? {} : { 'last-event-id': lastEventId }
  const outgoing = request({ host: '127.0.0.1', port, headers, method, agent: false })
  outgoing.end()
  const response = await new Promise<IncomingMessage>((done, fail) => {
    outgoing.once('response', done).once('error', fail)
  })
  const messages: Message[] = []
  let text = ''
  let check = (): void => {}
  const parse = eventStreamParser((message) => messages.push(message))
  response.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
    parse(chunk)
    check()
  })
  response.on('error', () => undefined)
  const ended = new Promise<void>((done) => response.once('close', done))
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    messages,
    text: () => text,
    ended,
    saw: (count) =>
      new Promise((done) => {
        check = () => {
          if (messages.length >= count) done()
        }
        check()
      }),
    leave: () => outgoing.destroy(),
  }
}

const live = (id: string, text = id): TaskEvent => ({ id, type: 'assistant', agent: 'main', text })
const replayed = replaySession(makeSession([user('one'), user('two\nlines'), user('three')]))

function replayedLog(): EventLog {
  const log = createEventLog()
  for (const event of replayed) log.add(event)
  return log
}

const idsOf = ({ messages }: Connection): string[] => messages.map(({ lastEventId }) => lastEventId)

/** A client that stops reading, and is sent more megabytes than the buffers on the way can hold. */
async function askAndNeverRead(log: EventLog, port: number, responses: readonly ServerResponse[]) {
  const before = responses.length
  const stuck = connect(port, '127.0.0.1').on('error', () => undefined)
  stuck.pause()
  stuck.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n')
  for (let number = 0; number < 64; number++) log.add(live(`big-${number}`, 'x'.repeat(1 << 20)))
  const asked = (): ServerResponse | undefined => responses[before]
  while (asked()?.writableNeedDrain !== true) await new Promise((done) => setImmediate(done))
  return { stuck, response: asked() as ServerResponse }
}

describe('serveEvents', () => {
  it('serves the replayed events, then new ones, then the end', async () => {
    const log = replayedLog()
    const { port } = await serve(log, { retryMs: 50 })
    const client = await open(port)
    await client.saw(3)
    log.add(live('a'))
    await client.saw(4)
    log.end()
    await client.ended
    expect(client.status).toBe(200)
    expect(client.headers).toMatchObject({ 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
    expect(Object.keys(client.headers).filter((name) => name.startsWith('access-control'))).toEqual([])
    expect(client.text()).toMatch(/^retry: 50\n\n/)
    expect(client.messages.map(({ event }) => event)).toEqual(['user', 'user', 'user', 'assistant', 'end'])
    expect(client.messages.slice(0, 4).map(({ data }) => JSON.parse(data))).toEqual([...replayed, live('a')])
  })

  it('continues after Last-Event-ID, and stops a client that has everything', async () => {
    const log = replayedLog()
    const { port } = await serve(log)
    const first = await open(port)
    await first.saw(3)
    first.leave()
    log.add(live('a/ä'))
    const second = await open(port, idsOf(first).at(-1))
    await second.saw(1)
    expect(second.messages.map(({ data }) => JSON.parse(data).id)).toEqual(['a/ä'])
    second.leave()
    log.add(live('b'))
    const third = await open(port, idsOf(second).at(-1))
    await third.saw(1)
    expect(idsOf(third)).toEqual(['b'])
    log.end()
    await third.ended
    expect((await open(port, 'b')).status).toBe(204)
    const late = await open(port, replayed[1]?.id)
    await late.ended
    expect(late.messages.map(({ event }) => event)).toEqual(['user', 'assistant', 'assistant', 'end'])
  })

  it('sends everything again if it does not know the id, and says so', async () => {
    const log = replayedLog()
    log.end()
    const { port } = await serve(log)
    for (const id of ['of another server', '%zz', 'x'.repeat(3000)]) {
      const client = await open(port, id)
      await client.ended
      expect(client.messages.map(({ event }) => event)).toEqual(['note', 'user', 'user', 'user', 'end'])
      expect(JSON.parse(client.messages[0]?.data ?? '')).toMatchObject({ code: 'unknown-event' })
    }
  })

  it('releases clients that leave, while they wait and while they do not read', async () => {
    const log = replayedLog()
    const { port, served, responses } = await serve(log)
    const waiting = await open(port)
    await waiting.saw(3)
    waiting.leave()
    await served[0]
    const { stuck, response } = await askAndNeverRead(log, port, responses)
    for (let turn = 0; turn < 100; turn++) await new Promise((done) => setImmediate(done))
    expect(response.writableLength).toBeLessThan(4 << 20)
    stuck.destroy()
    await served[1]
  })

  it('ends all connections when the server stops, including those that do not read', async () => {
    const log = replayedLog()
    const stop = new AbortController()
    const { port, served, responses } = await serve(log, { signal: stop.signal })
    const client = await open(port)
    await client.saw(3)
    const { stuck, response } = await askAndNeverRead(log, port, responses)
    const closed = once(response, 'close')
    stop.abort()
    await Promise.all([...served, closed])
    stuck.destroy()
    await client.ended
    await (await open(port)).ended
  })

  it('keeps a silent connection alive, and accepts no other methods', async () => {
    // The head of the response does not wait for the first event.
    const calm = await serve(createEventLog())
    expect((await open(calm.port)).status).toBe(200)
    const { port } = await serve(createEventLog(), { heartbeatMs: 5 })
    const client = await open(port)
    while (!client.text().includes(': heartbeat\n\n: heartbeat\n\n'))
      await new Promise((done) => setTimeout(done, 5))
    expect(client.messages).toEqual([])
    client.leave()
    const refused = await open(port, undefined, 'POST')
    expect(refused).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } })
    expect((await open(port, undefined, 'HEAD')).headers['content-type']).toBe('text/event-stream')
  })

  it('serves 20,000 events to several clients in seconds', async () => {
    const log = createEventLog()
    for (let number = 0; number < 20_000; number++) log.add(live(`${number}`, 'word '.repeat(40)))
    log.end()
    const { port } = await serve(log)
    await expectCpuBelow(30_000, async () => {
      const clients = await Promise.all([open(port), open(port, '9999')])
      await Promise.all(clients.map(({ ended }) => ended))
      expect(clients.map(({ messages }) => messages.length)).toEqual([20_001, 10_001])
    })
  })
})
