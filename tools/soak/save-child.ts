// Saves in a loop and prints a line before each save, `saving <kind> <id>`, one after each object that it put, `put`, and
// one after each save that returned, `saved <kind> <id>`. Arguments: folder, track, kinds of saves in turn ("save,checkpoint"), number of saves
// (0: until it is killed).
import { writeSync } from 'node:fs'
import { bundleStore, type Storage } from '@tenfold/core'
import { checkpointStore } from '@tenfold/core/store'
import { fileStorage } from '@tenfold/storage-fs'
import { asOf, bundleNumber, checkpointNumber } from './samples.ts'

const [, , folder = '', track = '', kinds = '', count = ''] = process.argv
const files = fileStorage(folder)
const storage: Storage = {
  ...files,
  async put(...args) {
    const result = await files.put(...args)
    print('put')
    return result
  },
}
const bundles = bundleStore(storage)
const checkpoints = checkpointStore(storage)

// A synchronous write: what is printed was true before a kill.
const print = (line: string): number => writeSync(1, `${line}\n`)

const savers = new Map<string, (n: number) => Promise<void>>([
  [
    'save',
    async (n) => {
      const bundle = asOf(bundleNumber(n, track), await bundles.nextTime(track))
      print(`saving save ${bundle.id}`)
      const { id } = await bundles.save(bundle)
      print(`saved save ${id}`)
    },
  ],
  [
    'checkpoint',
    async (n) => {
      const checkpoint = asOf(checkpointNumber(n, track), await checkpoints.nextTime(track))
      print(`saving checkpoint ${checkpoint.id}`)
      const { id } = await checkpoints.save(checkpoint)
      print(`saved checkpoint ${id}`)
    },
  ],
])

const turns = kinds.split(',').map((kind) => savers.get(kind))
print('ready')
for (let n = 0; count === '0' || n < Number(count); n++) {
  const turn = turns[n % turns.length]
  if (turn === undefined) throw new Error(`expected kinds of saves (save, checkpoint), got ${kinds}`)
  await turn(n)
}
