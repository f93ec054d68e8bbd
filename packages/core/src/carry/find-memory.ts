import type { ContextBundle } from '../bundle/schema.ts'
import { emptySummary } from '../bundle/section-contents.ts'
import { TenfoldError } from '../errors.ts'
import { cleanLine } from '../session/clean-text.ts'
import type { Note } from '../session/note.ts'
import type { Session } from '../session/session.ts'
import type { BundleStore } from '../store/bundle-store.ts'
import { readableEntries } from '../store/history.ts'
import { carriable, isStanding } from './carry-over.ts'
import { givenBriefs } from './given-brief.ts'
import { withOthers } from './with-others.ts'

export interface Memory {
  /** Id of the bundle that this session continues; absent if the session was given no brief. */
  readonly previous?: string
  /** The bundle whose items are carried over; absent if it is not stored. */
  readonly parent?: ContextBundle
  readonly notes: readonly Note[]
}

type Store = Pick<BundleStore, 'load' | 'latest' | 'storage'>

/** Maximum number of bundles that are read to follow a chain of sessions. */
const maxSteps = 20

/**
 * Finds the newest bundle in the chain of the brief that a session was given. A brief of the session's own earlier
 * bundle, as after a compaction, leads to the bundle before it. `remembered` is the id of a brief that the log may not
 * show. A session without a brief continues nothing, but gets what {@link leftBefore} finds.
 */
export async function findMemory(
  session: Session,
  store: Store,
  track = 'main',
  remembered?: string,
): Promise<Memory | undefined> {
  const shown = givenBriefs(session.events)
  const ids = remembered === undefined || shown.includes(remembered) ? shown : [remembered, ...shown]
  const last = ids.at(-1)
  if (last === undefined) return await leftBefore(session, store, track)
  const missing: string[] = []
  for (const id of ids.toReversed()) {
    const found = await otherSession(id, session, store)
    if (found === undefined) continue
    if (typeof found === 'string') {
      missing.push(found)
      continue
    }
    const parent = (await newestAfter(found, session, store, track)) ?? found
    return {
      previous: parent.id,
      parent: await withOthers(parent, store, [cleanLine(session.id)]),
      notes: [],
    }
  }
  const [first] = missing
  if (first === undefined) return await leftBefore(session, store, track)
  const message = `nothing was carried over from the bundle whose brief the session was given: ${first}`
  return { previous: last, notes: [{ code: 'not-carried', message: cleanLine(message) }] }
}

/**
 * Returns the standing rules of the user and the open steps that the session before this one in the same folder left.
 * Steps that it carried itself stay only if it was given a brief; otherwise they would pile up. Other constraints and
 * decisions are left out, because this session may be other work.
 */
async function leftBefore(
  { id, cwd, startedAt }: Session,
  store: Store,
  track: string,
): Promise<Memory | undefined> {
  if (cwd === undefined || startedAt === undefined) return undefined
  const [sessionId, folder] = [cleanLine(id), cleanLine(cwd)]
  try {
    const before = await readableEntries(store.storage, {
      track,
      until: new Date(startedAt),
      limit: maxSteps,
    })
    const entry = before.findLast((other) => other.sessionId !== sessionId && other.cwd === folder)
    if (entry === undefined) return undefined
    const whole = await withOthers(await store.load(entry.id), store, [sessionId])
    const carried = carriable(whole).filter(({ as, text, from }) =>
      as === 'step'
        ? from === whole.id || whole.previous !== undefined
        : as === 'constraint' && isStanding(text),
    )
    const { plan: _, progress: __, ...bundle } = whole
    const nothingElse = { ...emptySummary(), constraints: [], projectRules: [], trail: [] }
    return { parent: { ...bundle, ...nothingElse, carried }, notes: [] }
  } catch (error) {
    // For example, the track is damaged.
    if (!TenfoldError.isInstance(error)) throw error
    return undefined
  }
}

/** The bundle, or its predecessor if it is of this session; undefined if there is none, the reason if it cannot be loaded. */
async function otherSession(
  id: string,
  session: Session,
  store: Store,
): Promise<ContextBundle | string | undefined> {
  let next: string | undefined = id
  for (let step = 0; next !== undefined && step < maxSteps; step++) {
    const bundle: ContextBundle | string = await loadOr(next, store)
    if (typeof bundle === 'string' || !isOf(bundle, session)) return bundle
    next = bundle.previous
  }
  return undefined
}

/**
 * Returns the newest bundle that continues the given one and is of another session that ended before this one. Without
 * it, sessions that were given the same brief would lose each other's results.
 */
async function newestAfter(
  given: ContextBundle,
  session: Session,
  store: Store,
  track: string,
): Promise<ContextBundle | undefined> {
  let bundle: ContextBundle | string | undefined
  try {
    bundle = (await store.latest(track))?.bundle
  } catch (error) {
    // A damaged track must not prevent saving a new bundle.
    if (!TenfoldError.isInstance(error)) throw error
    return undefined
  }
  let newest: ContextBundle | undefined
  for (let step = 0; bundle !== undefined && typeof bundle !== 'string' && step < maxSteps; step++) {
    if (bundle.id === given.id) return newest
    if (!isOf(bundle, session) && !(endOf(bundle.source) > endOf(session))) newest ??= bundle
    // The session of the given bundle went on later, and this bundle includes that.
    if (isOf(bundle, { id: given.source.sessionId, format: given.source.format })) return newest
    bundle = bundle.previous === undefined ? undefined : await loadOr(bundle.previous, store)
  }
  return undefined
}

function isOf({ source }: ContextBundle, { id, format }: Pick<Session, 'id' | 'format'>): boolean {
  return source.sessionId === cleanLine(id) && source.format === format
}

function endOf({ endedAt = '' }: { readonly endedAt?: string | undefined }): number {
  return Date.parse(endedAt)
}

async function loadOr(id: string, store: Store): Promise<ContextBundle | string> {
  try {
    return await store.load(id)
  } catch (error) {
    if (!TenfoldError.isInstance(error)) throw error
    return error.message
  }
}
