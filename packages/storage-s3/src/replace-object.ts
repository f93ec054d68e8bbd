import { compareHeader, type StoreConditions } from './probe-conditions.ts'
import { headObject, type ObjectPut, putObject, type Sender } from './put-with-precondition.ts'
import { BrokenAnswerError, waitBefore } from './retry.ts'

const maxRounds = 300
const roundsWithoutWait = 10

/**
 * Puts an object for a caller that set no condition. If the store supports `If-Match`, this is a conditional put that
 * replaces whatever is there: resending a plain put whose answer was lost would undo another writer's put in between,
 * and Ceph 16 reports success for a plain put that it dropped because of a concurrent conditional one. Throws what the
 * SDK threw, or an error if other writers were faster each time.
 */
export async function replaceObject(
  sender: Sender,
  put: ObjectPut,
  compare: StoreConditions['compare'],
): Promise<string | undefined> {
  if (compare === undefined) return await putObject(sender, put)
  for (let round = 1; round <= maxRounds; round++) {
    const found = await headObject(sender, put.key)
    const condition =
      found === undefined ? { IfNoneMatch: '*' } : { IfMatch: compareHeader(found.etag, compare) }
    const headers = { ...put.headers, ...condition }
    const etag = await putObject(sender, { ...put, headers, writes: found?.writes ?? [] })
    if (etag !== undefined) return etag
    if (round > roundsWithoutWait) await waitBefore(1, sender.times)
  }
  throw new BrokenAnswerError('other writers were faster each time; try again')
}
