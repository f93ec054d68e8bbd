import { existsSync } from 'node:fs'
import { isAbsolute, resolve } from 'node:path'
import type { Checkpoint, ContextBundle, Storage } from '@tenfold/core'
import { bundleKey, checkpointKey, cleanLine, shownNames } from '@tenfold/core/internal'
import { isRemoteStore, savedIn, savedLine, trustOf } from '../state/trust.ts'

/**
 * The reason, as text, why a store's briefs may be given to an agent. Undefined if they may not, since anyone can put a
 * store into a repository. A store outside the project that TENFOLD_STORE names is the user's own choice.
 */
export function whyTrusted(store: string, env: NodeJS.ProcessEnv = process.env): string | undefined {
  if (isNamed(store, env)) return 'named by TENFOLD_STORE'
  const trusted = trustOf(store)
  if (trusted === undefined) return undefined
  return trusted.by === 'made' ? 'made on this machine' : 'trusted by the user of this machine'
}

function isNamed(store: string, env: NodeJS.ProcessEnv): boolean {
  const named = env.TENFOLD_STORE?.trim() ?? ''
  return isRemoteStore(store) || (isAbsolute(named) && resolve(named) === resolve(store))
}

/** A warning for readers of a store that came with a repository or was copied. Undefined for other stores. */
export function foreignStoreLine(place: string): string | undefined {
  if (whyTrusted(place) !== undefined || !existsSync(place)) return undefined
  return `The store ${cleanLine(place)} was not created on this machine, so anyone may have written it. To trust it: tenfold trust ${cleanLine(place)}`
}

type Stored = { readonly storage: Storage }

interface Found {
  readonly bundle?: ContextBundle | undefined
  readonly checkpoints: readonly Pick<Checkpoint, 'track' | 'id'>[]
}

/**
 * A warning that names bundles and checkpoints of a trusted store that were not saved on this machine, and what was
 * carried over from such bundles: `git pull` can add to any store in Git. Undefined if there are none.
 */
export async function addedLine(store: Stored, place: string, { bundle, checkpoints }: Found) {
  const ids = bundle === undefined ? [] : [bundle.id, ...(bundle.carried ?? []).map(({ from }) => from)]
  return await addedOf(store, place, [
    ...ids.map((id) => [bundleKey(id), `bundle ${id}`] as const),
    ...checkpoints.map(({ track, id }) => [checkpointKey(track, id), `checkpoint ${id}`] as const),
  ])
}

/** The same warning for given keys and their names. */
export async function addedOf(
  { storage }: Stored,
  place: string,
  shown: Iterable<readonly [string, string]>,
) {
  if (isNamed(place, process.env) || trustOf(place) === undefined) return undefined
  const keys = new Map(shown)
  const saved = savedIn(place)
  const added: string[] = []
  for (const [key, name] of keys) {
    const stored = await storage.get(key)
    if (stored !== undefined && !saved.has(savedLine(key, stored.bytes))) added.push(name)
  }
  if (added.length === 0) return undefined
  return `Not saved on this machine: ${shownNames(added, added.length, 6)}. This was added to the store from elsewhere, for example by git pull, so anyone may have written it.`
}
