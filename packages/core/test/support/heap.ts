import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

/** Bytes in use on the heap, without garbage. */
export function heapInUse(): number {
  collectGarbage()
  return process.memoryUsage().heapUsed
}
