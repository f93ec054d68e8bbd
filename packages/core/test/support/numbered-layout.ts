import type { Storage } from '../../src/storage/storage.ts'
import { keysOf } from './stored.ts'

/**
 * Puts the entries of a store where versions before 0.2 had them: under numbers that rise with each save, next to a
 * pointer to the newest.
 */
export async function toNumberedLayout(storage: Storage): Promise<void> {
  const numbers = new Map<string, number>()
  let current: string | undefined
  for (const key of (await keysOf(storage)).sort(byName)) {
    const [, prefix, id, aside] =
      /^((?:pruned\/)?tracks\/[^/]+\/|checkpoints\/[^/]+\/log\/)(\d{8}T\d{9}Z-\d{9})(\.aside)?\.json$/.exec(
        key,
      ) ?? []
    if (prefix === undefined || id === undefined) continue
    const value = JSON.parse(Buffer.from((await storage.get(key))?.bytes ?? []).toString())
    const isCheckpoint = prefix.startsWith('checkpoints/')
    if (isCheckpoint && aside === undefined) current = value.track
    // The pruned part of a track has the first numbers.
    const name = prefix.replace('pruned/', '')
    const sequence = (numbers.get(name) ?? 0) + 1
    numbers.set(name, sequence)
    const { deleted, ...rest } = value
    const old = {
      ...rest,
      sequence,
      ...(isCheckpoint && current !== undefined && { current }),
      ...(deleted === true && { deletedAt: '2026-03-09T00:00:00.000Z' }),
    }
    const folder = isCheckpoint ? prefix : `${prefix}log/`
    await storage.put(`${folder}${String(sequence).padStart(8, '0')}.json`, encode(old))
    await storage.delete(key)
    if (!isCheckpoint && !prefix.startsWith('pruned/')) await storage.put(`${prefix}LATEST.json`, encode(old))
  }
}

/** The pruned part first, then by the id in the name. */
function byName(a: string, b: string): number {
  const [one, other] = [a, b].map((key) => `${key.startsWith('pruned/') ? 0 : 1}${key.split('/').at(-1)}`)
  return (one ?? '') < (other ?? '') ? -1 : 1
}

function encode(value: unknown): Uint8Array {
  return new TextEncoder().encode(`${JSON.stringify(value, null, 2)}\n`)
}
