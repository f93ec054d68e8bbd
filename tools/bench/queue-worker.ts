// Run as a separate process: takes logs from the queue at the Redis socket in its argument until SIGTERM, prints a line for
// each, and at the end the milliseconds of CPU that it used since it was ready.
import { queueWorker } from '@tenfold/queue'
import { queueParts } from './queue.ts'

const worker = await queueWorker({
  ...queueParts(process.argv[2] ?? ''),
  concurrency: 1,
  report: ({ event }) => event !== 'progress' && console.log(event),
})
const start = process.cpuUsage()
process.once('SIGTERM', () => worker.close())
console.log('ready')
await worker.ended
const { user, system } = process.cpuUsage(start)
console.log(`cpu ${(user + system) / 1000}`)
