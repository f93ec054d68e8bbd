import type { ContextBundle } from '../bundle/schema.ts'
import { emptySummary } from '../bundle/section-contents.ts'
import { TenfoldError } from '../errors.ts'
import { classifySentence } from '../facts/constraints/binding/classify-sentence.ts'
import { cleanLine } from '../session/clean-text.ts'
import type { Note } from '../session/note.ts'
import type { Session } from '../session/session.ts'
import type { BundleStore } from '../store/bundle-store.ts'
import { readableEntries } from '../store/history.ts'
import { carriable } from './carry-over.ts'
import { givenBriefs } from './given-brief.ts'
import { withOthers } from './with-others.ts'

export interface Memory {
  /** Id of the bundle that this session continues; absent if it was given no brief. */
  readonly previous?: string
  /** What still holds of it is carried over. Absent if it is not stored. */
  readonly parent?: ContextBundle
  readonly notes: readonly Note[]
}

type Store = Pick<BundleStore, 'load' | 'latest' | 'storage'>

/** Maximum number of bundles that are read to follow a line of sessions. */
const maxSteps = 20

/**
 * Finds the newest bundle of the line whose brief a session was given. A brief of the session's own earlier bundle, as
 * after a compaction, leads to the one before it. `remembered` is the id of one that the log may not show. A session
 * that was given none, as if its hook was killed, continues nothing, but the user's rules hold in it too.
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
  if (last === undefined) return await rulesBefore(session, store, track)
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
  if (first === undefined) return await rulesBefore(session, store, track)
  const message = `nothing was carried over from the bundle whose brief the session was given: ${first}`
  return { previous: last, notes: [{ code: 'not-carried', message: cleanLine(message) }] }
}

/**
 * What the user forbade or required once and for all in the session before this one in the same folder, and in those that
 * it continues. What was wanted of a piece of work, steps and decisions do not count: this session may be other work.
 */
async function rulesBefore(
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
    const carried = carriable(whole).filter(({ as, text }) => as === 'constraint' && isStanding(text))
    const { plan: _, progress: __, ...bundle } = whole
    const nothingElse = { ...emptySummary(), constraints: [], projectRules: [], trail: [] }
    return { parent: { ...bundle, ...nothingElse, carried }, notes: [] }
  } catch (error) {
    // As in a damaged track.
    if (!TenfoldError.isInstance(error)) throw error
    return undefined
  }
}

/** "Never add a dependency", "Always run the linter first" */
function isStanding(text: string): boolean {
  return ['prohibition', 'standing'].includes(classifySentence(text).why)
}

/** The bundle, or if it is of this very session, the one before; undefined if there is none, a text if it is missing. */
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
 * The newest bundle of another session that continues the given one and ended before this one: two sessions that were
 * given the same brief would otherwise each lose what the other left.
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
    // A damaged track must not keep a new bundle from being saved.
    if (!TenfoldError.isInstance(error)) throw error
    return undefined
  }
  let newest: ContextBundle | undefined
  for (let step = 0; bundle !== undefined && typeof bundle !== 'string' && step < maxSteps; step++) {
    if (bundle.id === given.id) return newest
    if (!isOf(bundle, session) && !(endOf(bundle.source) > endOf(session))) newest ??= bundle
    // Its session went on since: it is in the one bundle of that.
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
