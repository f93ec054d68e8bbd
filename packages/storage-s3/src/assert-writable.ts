import { probeKey, removeProbe } from './probe-conditions.ts'
import { type ObjectPut, putObject, type Sender } from './put-with-precondition.ts'

const text = 'A trial of write access; delete it if you find it.\n'

/** Tests write access by putting a small object below `prefix` and removing it. Throws what the put throws. */
export async function assertWritable(
  sender: Sender,
  prefix: string,
  headers: ObjectPut['headers'],
): Promise<void> {
  const key = probeKey(prefix)
  await putObject(sender, { key, body: new TextEncoder().encode(text), headers })
  await removeProbe(sender, key)
}
