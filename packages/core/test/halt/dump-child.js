// Dumps into a folder and is killed at the put of a part. Arguments: folder, sandbox, end of the key of that part.
import { dumpHalt } from '@tenfold/core/halt'
import { fileStorage } from '@tenfold/storage-fs'

const [, , folder, sandboxRoot, killAt] = process.argv
const files = fileStorage(folder)
const storage = {
  ...files,
  async put(key, bytes, condition) {
    if (key.endsWith(killAt)) process.kill(process.pid, 'SIGKILL')
    return await files.put(key, bytes, condition)
  },
}
const agent = { prompt: `go ${process.pid}`, conversation: [{ role: 'user', content: 'x'.repeat(10_000) }] }
const halt = { reason: 'stopped', taskId: 'T-1', iteration: 1, sandboxRoot, agent }
await dumpHalt(halt, { storage })
