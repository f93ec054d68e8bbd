// Dumps into a folder and is killed at a put. Arguments: folder, sandbox, number of that put.
import { dumpHalt } from '@tenfold/core/halt'
import { fileStorage } from '@tenfold/storage-fs'

const [, , folder, sandboxRoot, killAt] = process.argv
let left = Number(killAt)
const files = fileStorage(folder)
const storage = {
  ...files,
  async put(key, bytes, condition) {
    if (--left === 0) process.kill(process.pid, 'SIGKILL')
    return await files.put(key, bytes, condition)
  },
}
const agent = { prompt: `go ${process.pid}`, conversation: [{ role: 'user', content: 'x'.repeat(10_000) }] }
const halt = { reason: 'stopped', taskId: 'T-1', iteration: 1, sandboxRoot, agent }
await dumpHalt(halt, { storage })
