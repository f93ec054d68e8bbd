import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { encodeServerSentMessage } from '@tenfold/core/internal'
import { createEventLog, type EventLog, serveEvents, type TaskEvent } from '@tenfold/core/replay'
import { afterEach, describe, expect, it } from 'vitest'
import { testFolder } from '../../../test/support/test-folder.ts'
import { streamMessages } from '../src/view/event-stream.ts'
import { type Ran, run, start } from './support/run.ts'

const at = testFolder('all')
const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close()
    server.closeAllConnections()
  }
})

/** Serves on this machine, and returns the address of the events. */
async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1')
  servers.push(server)
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/events`
}

const view = (...args: string[]): Promise<Ran> => run(['view', ...args, '-o', '-'], { cwd: at() })

function dataOf({ stdout }: Ran) {
  const [, json = ''] = /<script type="application\/json" id="data">(.*?)<\/script>/s.exec(stdout) ?? []
  const { session, events } = JSON.parse(json)
  return { session, events: events as { text?: string; replayed?: true; status?: string; type: string }[] }
}

const earlier = { agent: 'main', session: 'run-1', replayed: true } as const
const now = { agent: 'main', session: 'run-2', replayed: false } as const
const history: TaskEvent[] = [
  { ...earlier, id: 'r1', type: 'user', text: 'Weigh the apples.' },
  { ...earlier, id: 'r2', type: 'assistant', text: 'I weigh them.' },
]
const current: TaskEvent[] = [
  { ...now, id: 'l1', type: 'user', text: 'Weigh the pears too.' },
  { ...now, id: 'l2', type: 'tool_progress', callId: 'c1', name: 'Bash', text: 'command: weigh pears' },
  { ...now, id: 'l3', type: 'tool_summary', callId: 'c1', name: 'Bash', status: 'ok', text: '3 kg' },
  { ...now, id: 'l4', type: 'assistant', text: 'The pears weigh 3 kg.' },
]

function logOf(events: readonly TaskEvent[]): EventLog {
  const log = createEventLog()
  for (const event of events) log.add(event)
  return log
}

describe('the messages of a stream', () => {
  const times = { answer: 60_000, message: 60_000, all: 60_000 }
  const open = { 'content-type': 'text/event-stream' }
  async function messagesOf(answer: RequestListener, short: Partial<typeof times> = {}): Promise<number> {
    const { signal } = new AbortController()
    const options = { signal, follow: false, times: { ...times, ...short }, onLost: () => {} }
    let count = 0
    for await (const _ of streamMessages(await serve(answer), options)) count += 1
    return count
  }

  it('are followed over a redirect at the same host only', async () => {
    const other = await serve((_, response) => response.writeHead(200, open).end('data: {}\n\n'))
    const sends =
      (location: string): RequestListener =>
      ({ url }, response) => {
        if (url === '/moved') response.writeHead(200, open).end('data: {}\n\nevent: end\ndata: {}\n\n')
        else response.writeHead(302, { location }).end()
      }
    expect(await messagesOf(sends('/moved'))).toBe(1)
    await expect(messagesOf(sends(other))).rejects.toMatchObject({
      code: 'log-unreadable',
      message: expect.stringContaining(
        `redirects to ${other.replace('/events', '')}; if you trust it, use ${other}`,
      ),
    })
    await expect(messagesOf(sends('/events'))).rejects.toThrow('redirects more than 5 times')
  })

  it('are given up if the server does not answer, sends nothing, or never ends', async () => {
    await expect(messagesOf(() => {}, { answer: 300 })).rejects.toMatchObject({
      code: 'log-too-slow',
      message: expect.stringContaining('gave no answer within 0.3 s'),
    })
    const keepsAlive: RequestListener = (_, response) => {
      response.writeHead(200, open)
      const beat = setInterval(() => response.write(': keep-alive\n\n'), 20)
      response.on('close', () => clearInterval(beat))
    }
    await expect(messagesOf(keepsAlive, { message: 300 })).rejects.toMatchObject({
      code: 'log-too-slow',
      message: expect.stringContaining('sent no message for 0.3 s'),
    })
    const endless: RequestListener = (_, response) => {
      response.writeHead(200, open)
      const beat = setInterval(() => response.write('data: {}\n\n'), 20)
      response.on('close', () => clearInterval(beat))
    }
    await expect(messagesOf(endless, { all: 500 })).rejects.toMatchObject({
      code: 'log-too-slow',
      message: expect.stringContaining('did not end within 0.5 s'),
    })
  })

  it('are given up if no message comes over lost connections either', async () => {
    const closing = { ...open, connection: 'close' }
    const tooSlow = { code: 'log-too-slow', message: expect.stringContaining('sent no message for 0.3 s') }
    const closesEach: RequestListener = (_, response) => response.writeHead(200, closing).end(': ping\n\n')
    await expect(messagesOf(closesEach, { message: 300 })).rejects.toMatchObject(tooSlow)
    const stops: RequestListener = (_, response) => {
      servers.at(-1)?.close()
      response.writeHead(200, closing).end('data: {}\n\n')
    }
    await expect(messagesOf(stops, { message: 300 })).rejects.toMatchObject(tooSlow)
  })

  it('are refused if one of them is too long, or if they are compressed', async () => {
    const long: RequestListener = (_, response) => {
      response.writeHead(200, open)
      const block = 'x'.repeat(4 * 2 ** 20)
      const write = (): void => void (response.destroyed || response.write(block, write))
      response.write('data: ', write)
    }
    await expect(messagesOf(long)).rejects.toMatchObject({ code: 'log-too-large' })
    const packed: RequestListener = (_, response) => {
      response.writeHead(200, { ...open, 'content-encoding': 'gzip' })
      response.end(gzipSync('data: {}\n\n'))
    }
    await expect(messagesOf(packed)).rejects.toMatchObject({
      code: 'log-unreadable',
      message: expect.stringContaining('compresses its answer (gzip)'),
    })
  })
})

describe('view of an event stream', () => {
  it('shows the replayed events of an earlier run, then the live ones', async () => {
    const log = logOf([...history, ...current])
    log.end()
    const handle = serveEvents(log)
    const url = await serve((request, response) => void handle(request, response))
    const ran = await view(url)
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    const { session, events } = dataOf(ran)
    expect(session).toMatchObject({ id: 'run-2', replayedFrom: 'run-1', notes: [] })
    expect(events.map(({ type, replayed }) => [type, replayed])).toEqual([
      ['user', true],
      ['assistant', true],
      ['user', undefined],
      ['tool_call', undefined],
      ['tool_result', undefined],
      ['assistant', undefined],
    ])
    expect(events.at(-1)?.text).toBe('The pears weigh 3 kg.')
  })

  it('goes on after a lost connection, and keeps what is not a task event', async () => {
    const asked: (string | undefined)[] = []
    const url = await serve((request, response) => {
      const after = request.headers['last-event-id']
      asked.push(typeof after === 'string' ? after : undefined)
      response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
      const [first, second, ...rest] = current.map((event) =>
        encodeServerSentMessage({ event: event.type, id: event.id, data: JSON.stringify(event) }),
      )
      if (after === undefined) {
        response.end(`${first}${second}`)
        return
      }
      const odd =
        'data: {"type":"heartbeat","load":0.5}\n\nevent: note\ndata: {"code":"dropped-events","message":"2 older events"}\n\n'
      response.end(`${second}${rest.join('')}${odd}event: end\ndata: {}\n\n`)
    })
    const ran = await view(url)
    expect(ran.code).toBe(0)
    expect(ran.stderr).toMatch(/^warning: the connection to \S+ was lost \(it was closed\); trying again\n$/)
    expect(asked).toEqual([undefined, 'l2'])
    const { session, events } = dataOf(ran)
    expect(events.map(({ type }) => type)).toEqual(['user', 'tool_call', 'tool_result', 'assistant', 'other'])
    expect(session.notes).toContainEqual(
      expect.objectContaining({ code: 'dropped-events', message: '2 older events' }),
    )
  })

  it('serves a page that follows the run, until it is stopped', async () => {
    const log = logOf(history)
    const handle = serveEvents(log)
    const url = await serve((request, response) => void handle(request, response))
    const running = start(['view', url], { cwd: at() })
    try {
      await running.saw('(press Ctrl-C to stop)')
      const page = /http:\/\/127\.0\.0\.1:\d+\//.exec(running.output())?.[0] ?? ''
      const { body } = await fetch(`${page}events?after=${Date.now() + 3_600_000}`)
      const text = body?.pipeThrough(new TextDecoderStream())[Symbol.asyncIterator]()
      for (const event of current) log.add(event)
      let said = ''
      while (!said.includes('The pears weigh 3 kg.')) said += (await text?.next())?.value ?? ''
      log.end()
      await running.saw('ended.')
      expect((await (await fetch(page)).text()).includes('The pears weigh 3 kg.')).toBe(true)
    } finally {
      running.child.kill('SIGINT')
    }
    expect((await running.ended).code).toBe(0)
  })

  it('says what is wrong with an address', async () => {
    const url = await serve((request, response) => {
      if (request.url === '/events') response.writeHead(204).end()
      else if (request.url === '/page') response.writeHead(200, { 'content-type': 'text/html' }).end('<p>')
      else response.writeHead(404).end()
    })
    for (const [address, message] of [
      [url, 'ended without an event'],
      [url.replace('events', 'page'), 'serves text/html instead of an event stream'],
      [url.replace('events', 'none'), 'answered 404'],
      ['http://127.0.0.1:1/events', 'cannot be reached'],
    ] as const) {
      const ran = await view(address)
      expect(ran).toMatchObject({ code: 1, stdout: '' })
      expect(ran.stderr).toContain(message)
      expect(ran.stderr).not.toMatch(/ {4}at |Unexpected/)
    }
  })
})
