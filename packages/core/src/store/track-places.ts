import { createdAtOf } from '../bundle/bundle-id.ts'
import { fieldsOf } from '../session/json-values.ts'
import { inParallel } from '../storage/in-parallel.ts'
import type { ListOptions, Storage } from '../storage/storage.ts'
import { decodeOrFault, parseStoredJson } from '../storage/stored-json.ts'

/** Where the entries of tracks are: `tracks/<track>/<id>.json` or `checkpoints/<track>/log/<id>.json`. */
export interface TrackLayout {
  /** All entries are below it. */
  readonly root: 'tracks/' | 'checkpoints/'
  /** Between the track and the id. */
  readonly folder: '' | 'log/'
}

export const bundleLayout: TrackLayout = { root: 'tracks/', folder: '' }
export const checkpointLayout: TrackLayout = { root: 'checkpoints/', folder: 'log/' }

/** The place of an entry in a track. */
export interface Place {
  readonly track: string
  /** Id of the bundle or checkpoint; ids sort in the order of the track. */
  readonly id: string
  readonly key: string
  /** The save left the current track as it was. */
  readonly aside: boolean
  /** An older version put it under a number: its id is only in its content. */
  readonly numbered: boolean
  /** Bytes of the entry; 0 if they were not listed. */
  readonly size: number
}

const parallelReads = 32

/** Returns the prefix of a track's entries. */
function placePrefix({ root, folder }: TrackLayout, track: string): string {
  return `${root}${track}/${folder}`
}

/** Returns the key of an entry. */
export function placeKey(
  layout: TrackLayout,
  { track, id, aside }: Pick<Place, 'track' | 'id' | 'aside'>,
): string {
  return `${placePrefix(layout, track)}${id}${aside ? '.aside' : ''}.json`
}

/** Parses the key of an entry; undefined for any other key. */
export function parsePlace({ root, folder }: TrackLayout, key: string, size = 0): Place | undefined {
  if (!key.startsWith(root)) return undefined
  const [track = '', ...rest] = key.slice(root.length).split('/')
  const name = rest.join('/')
  if (/^log\/\d{8}\.json$/.test(name)) return { track, id: '', key, aside: false, numbered: true, size }
  const [, id, aside] = /^(\d{8}T\d{9}Z-\d{9})(\.aside)?\.json$/.exec(name.slice(folder.length)) ?? []
  if (id === undefined || !name.startsWith(folder)) return undefined
  return { track, id, key, aside: aside !== undefined, numbered: false, size }
}

/** Lists the entries of a track, or of all tracks, in the order of their ids. */
export async function listPlaces(
  storage: Storage,
  layout: TrackLayout,
  track?: string,
  options?: ListOptions,
): Promise<Place[]> {
  const places = new Map<string, Place>()
  const numbered: Place[] = []
  const prefix = track === undefined ? layout.root : placePrefix(layout, track)
  for await (const { key, size } of storage.list(prefix, options)) {
    const place = parsePlace(layout, key, size)
    if (place?.numbered) numbered.push(place)
    else if (place !== undefined) addPlace(places, place)
  }
  for (const place of await withIds(storage, numbered)) addPlace(places, place)
  return [...places.values()].sort(byId)
}

/** Returns the names of all tracks with entries, sorted. Of each track only the beginning is listed. */
export async function listTracks(storage: Storage, layout: TrackLayout): Promise<string[]> {
  const tracks: string[] = []
  let after = ''
  for (;;) {
    const first = await firstPlace(storage, layout, after)
    if (first === undefined) return tracks.sort()
    tracks.push(first.track)
    // The character after "/", which no key below the track reaches.
    after = `${layout.root}${first.track}0`
  }
}

async function firstPlace(storage: Storage, layout: TrackLayout, after: string): Promise<Place | undefined> {
  for await (const { key } of storage.list(layout.root, { after })) {
    const place = parsePlace(layout, key)
    if (place !== undefined) return place
  }
  return undefined
}

/** A checkpoint that was saved with and without its track becoming the current one counts as the former. */
function addPlace(places: Map<string, Place>, place: Place): void {
  const name = `${place.track}/${place.id || place.key}`
  const held = places.get(name)
  if (held === undefined || (held.aside && !place.aside)) places.set(name, place)
}

/** Lists the entries of a track that an older version numbered. */
export async function listNumbered(storage: Storage, layout: TrackLayout, track: string): Promise<Place[]> {
  const numbered: Place[] = []
  for await (const { key } of storage.list(`${layout.root}${track}/log/0`)) {
    const place = parsePlace(layout, key)
    if (place?.numbered) numbered.push(place)
  }
  return await withIds(storage, numbered)
}

/**
 * Adds the ids of numbered entries, which only their content has. A damaged one has none: it takes that of the entry
 * before it and sorts after it. `prefix` comes before the keys of all places.
 */
export async function withIds(storage: Storage, places: readonly Place[], prefix = ''): Promise<Place[]> {
  const read = await inParallel(places, parallelReads, async (place) => {
    if (!place.numbered) return place
    const stored = await storage.get(`${prefix}${place.key}`)
    const value = stored && decodeOrFault(() => parseStoredJson(place.key, stored.bytes))
    const { id, current } = fieldsOf(value)
    const isId = typeof id === 'string' && /^\d{8}T\d{9}Z-\d{9}$/.test(id)
    const aside = place.key.startsWith('checkpoints/') && current !== place.track
    return stored && { ...place, id: isId ? id : '', aside }
  })
  const found: Place[] = []
  for (const place of read) {
    if (place === undefined) continue
    const before = found.at(-1)
    const damaged = place.id === '' && before?.track === place.track
    found.push(damaged ? { ...place, id: `${before.id}.` } : place)
  }
  return found
}

function byId(a: Place, b: Place): number {
  return a.id < b.id ? -1 : a.id > b.id ? 1 : a.track < b.track ? -1 : 1
}

const day = 24 * 60 * 60 * 1000
/** Of a track in use the last month has its newest entry, of most others the last year. */
const recentDays = [30, 400]

/**
 * Yields the places of a track, the newest first. Lists the latest first: of a long track a listing of one page suffices
 * to find its newest entry.
 */
export async function* placesBack(
  storage: Storage,
  layout: TrackLayout,
  track: string,
): AsyncGenerator<Place> {
  const prefix = placePrefix(layout, track)
  const recent = recentDays.map((days) => ({ after: `${prefix}${stampOf(Date.now() - days * day)}` }))
  const seen = new Set<string>()
  for (const options of [...recent, {}]) {
    for (const place of (await listPlaces(storage, layout, track, options)).reverse()) {
      if (!seen.has(place.key)) yield place
      seen.add(place.key)
    }
  }
}

/** Options of {@link findNextTime}. */
export interface NextTimeOptions {
  /** When the work ended that is saved, if that was before now. @default now */
  readonly endedAt?: Date | undefined
  /** @default the clock */
  readonly now?: Date | undefined
}

/**
 * Returns the time for a new id of a track, so that its newest entry is the one whose work ended last: the time when it
 * ended, and a millisecond later than an entry of that very time. If another clock put entries into the future of this
 * one, work of the last day comes after them. `numbered` says that there are entries whose ids are not in their keys.
 */
export async function findNextTime(
  storage: Storage,
  layout: TrackLayout,
  track: string,
  { endedAt, now = new Date() }: NextTimeOptions,
): Promise<{ readonly time: Date; readonly numbered: boolean }> {
  const end = endedAt === undefined || !(endedAt < now) ? now : endedAt
  const isRecent = now.getTime() - end.getTime() < day
  let time = end.getTime()
  let numbered = false
  const prefix = placePrefix(layout, track)
  for await (const { key } of storage.list(prefix, { after: `${prefix}${stampOf(time)}` })) {
    const place = parsePlace(layout, key)
    numbered ||= place?.numbered ?? false
    if (place === undefined || place.numbered) continue
    const taken = Date.parse(createdAtOf(place.id))
    if (taken === time || (isRecent && taken > now.getTime())) time = taken + 1
    else if (!isRecent && taken > time) break
  }
  return { time: new Date(time), numbered }
}

function stampOf(time: number): string {
  return new Date(time).toISOString().replace(/[-:.]/g, '')
}
