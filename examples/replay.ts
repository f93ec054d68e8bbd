// A worker is killed and another one continues. Its clients get the events of the first one, marked as replayed, then
// those of the second, over one stream of server-sent events; a client that was cut off reconnects with Last-Event-ID
// and gets nothing twice.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { readSession } from '@tenfold/core'
import {
  createEventLog,
  liveOnly,
  liveSessionId,
  liveUrls,
  replaySession,
  serveEvents,
  type TaskEvent,
  withReplay,
} from '@tenfold/core/replay'

const [role, path = ''] = process.argv.slice(2)
if (role === 'first') firstWorker(path)
else if (role === 'second') secondWorker()
else await orchestrate()

/** Writes a log as Claude Code does, up to the middle of a line. */
function firstWorker(log: string): void {
  const lines = [
    { type: 'user', message: { role: 'user', content: 'Put a preview online.' } },
    {
      type: 'assistant',
      message: {
        id: 'm1',
        role: 'assistant',
        content: [{ type: 'text', text: 'It is at https://old.example.org/preview.' }],
      },
    },
    {
      type: 'assistant',
      message: {
        id: 'm2',
        role: 'assistant',
        content: [{ type: 'tool_use', id: 'call-1', name: 'Bash', input: { command: 'npm run smoke' } }],
      },
    },
    {
      type: 'user',
      message: {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 'call-1', content: 'a long output' }],
      },
    },
  ].map((record, index) =>
    JSON.stringify({
      ...record,
      uuid: `u${index}`,
      sessionId: 'run-1',
      timestamp: `2026-03-04T05:06:0${index}Z`,
    }),
  )
  appendFileSync(log, lines.join('\n').slice(0, -40))
  process.stdout.write('in the middle of it\n')
  setInterval(() => {}, 60_000)
}

/** Reports each event to its parent as it happens. */
function secondWorker(): void {
  const event = { agent: 'main', session: 'run-2' }
  const events: TaskEvent[] = [
    { ...event, id: 'live-1', type: 'assistant', text: 'I run the smoke test again.' },
    { ...event, id: 'live-2', type: 'tool_progress', callId: 'call-2', name: 'Bash', text: 'npm run smoke' },
    {
      ...event,
      id: 'live-3',
      type: 'tool_summary',
      callId: 'call-2',
      name: 'Bash',
      status: 'ok',
      text: 'passed',
    },
    { ...event, id: 'live-4', type: 'assistant', text: 'All is well at https://new.example.org/preview.' },
  ]
  for (const line of events) process.stdout.write(`${JSON.stringify(line)}\n`)
}

async function orchestrate(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'tenfold-example-'))
  const file = join(folder, 'run-1.jsonl')

  // The first worker is killed while a tool runs: no handler of its own can say goodbye.
  const first = spawnWorker('first', file)
  await once(first.stdout, 'data')
  first.kill('SIGKILL')
  await once(first, 'close')

  // Its log has what it said and did, except for the line that was cut, which a note reports.
  const session = await readSession(file)
  const replayed = replaySession(session)
  console.log(`replayed ${replayed.length} events of ${session.id}; ${session.notes.map(({ code }) => code)}`)
  assert.deepEqual(
    replayed.map(({ type }) => type),
    ['user', 'assistant', 'tool_progress'],
  )
  assert.deepEqual(
    session.notes.map(({ code }) => code),
    ['truncated-tail'],
  )

  // One log of events for all clients. Only live events have side effects.
  const log = createEventLog()
  const previews: string[] = []
  let current: string | undefined
  const announce = liveOnly(({ text }: TaskEvent) => console.log(`live: ${text}`))
  async function pump(): Promise<void> {
    for await (const event of withReplay(replayed, liveEvents())) {
      log.add(event)
      announce(event)
      previews.push(...liveUrls(event))
      current = liveSessionId(event) ?? current
    }
    log.end()
  }

  const handle = serveEvents(log)
  const server = createServer((request, response) => void handle(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  // This client loses its connection after the first live event, and reconnects.
  const pumping = pump()
  const seen: TaskEvent[] = []
  for await (const event of listen(url)) {
    seen.push(event)
    if (event.replayed === false) break
  }
  const before = seen.length
  for await (const event of listen(url, seen.at(-1)?.id)) seen.push(event)
  await pumping
  console.log(`a client saw ${before} events, then the other ${seen.length - before}`)

  assert.deepEqual(
    seen.map(({ id, replayed: again }) => [id, again]),
    [...replayed.map(({ id }) => [id, true]), ...[1, 2, 3, 4].map((number) => [`live-${number}`, false])],
  )
  assert.equal(before, 4)
  assert.deepEqual(previews, ['https://new.example.org/preview'])
  assert.equal(current, 'run-2')

  // Another replay adds nothing: the log knows the ids, which are the same each time.
  assert.deepEqual(
    replaySession(await readSession(file)).filter(({ id }) => !log.has(id)),
    [],
  )
  // A client that has everything is told not to reconnect.
  assert.equal((await fetch(url, { headers: { 'last-event-id': 'live-4' } })).status, 204)

  server.close()
  server.closeAllConnections()
  await rm(folder, { recursive: true })
}

function spawnWorker(...args: readonly string[]) {
  return spawn(process.execPath, [fileURLToPath(import.meta.url), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}

async function* liveEvents(): AsyncGenerator<TaskEvent> {
  const worker = spawnWorker('second')
  for await (const line of createInterface(worker.stdout)) yield JSON.parse(line)
}

/** Does what an `EventSource` of a browser does, for messages that are task events. */
async function* listen(url: string, lastEventId?: string): AsyncGenerator<TaskEvent> {
  const headers: Record<string, string> = lastEventId === undefined ? {} : { 'last-event-id': lastEventId }
  const { body } = await fetch(url, { headers })
  assert(body)
  let text = ''
  for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
    const messages = `${text}${chunk}`.split('\n\n')
    text = messages.pop() ?? ''
    for (const message of messages)
      if (/^id: /m.test(message)) yield JSON.parse(/^data: (.*)$/m.exec(message)?.[1] ?? '')
  }
}
