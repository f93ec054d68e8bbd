// Puts so many zeros under a/key and prints the outcome. Arguments: folder, size, how many files to hold open
// meanwhile (as many as the system allows, up to that); after those a second put is made once they are closed; and the
// user to become. It becomes that user once its modules are loaded, which the user may not be allowed to read.
import { closeSync, openSync } from 'node:fs'
import { fileStorage } from '@tenfold/storage-fs'

const [, , folder, size, files, uid] = process.argv
if (uid !== '') {
  process.setgroups([])
  process.setgid(Number(uid))
  process.setuid(Number(uid))
}
// SIGXFSZ would end the process if a file is too large; Node ignores it, so that the write fails.
const storage = fileStorage(folder)
const held = []
try {
  while (held.length < Number(files)) held.push(openSync('/dev/null', 'r'))
} catch (error) {
  if (error.code !== 'EMFILE') throw error
}

async function put() {
  try {
    await storage.put('a/key', new Uint8Array(Number(size)))
    return 'saved'
  } catch (error) {
    return `${error.code} ${error.retryable} ${error.message}`
  }
}

const outcome = await put()
for (const file of held) closeSync(file)
console.log(outcome)
if (held.length > 0) console.log(`${await put()} after closing`)
