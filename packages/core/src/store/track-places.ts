import { createdAtOf } from '../bundle/bundle-id.ts'
import type { Storage } from '../storage/storage.ts'

/** Location of track entries: `tracks/<track>/<id>.json` or `checkpoints/<track>/log/<id>.json`. */
export interface TrackLayout {
  /** Prefix of all entries. */
  readonly root: 'tracks/' | 'checkpoints/'
  /** Folder between track and id. */
  readonly folder: '' | 'log/'
}

export const bundleLayout: TrackLayout = { root: 'tracks/', folder: '' }
export const checkpointLayout: TrackLayout = { root: 'checkpoints/', folder: 'log/' }

export interface Place {
  readonly track: string
  /** Id of the bundle or checkpoint; ids sort in the order of the track. */
  readonly id: string
  readonly key: string
  /** True if the save did not change the current track. */
  readonly aside: boolean
}

function placePrefix({ root, folder }: TrackLayout, track: string): string {
  return `${root}${track}/${folder}`
}

export function placeKey(layout: TrackLayout, { track, id, aside }: Omit<Place, 'key'>): string {
  return `${placePrefix(layout, track)}${id}${aside ? '.aside' : ''}.json`
}

/** Parses the key of an entry; undefined for any other key. */
export function parsePlace({ root, folder }: TrackLayout, key: string): Place | undefined {
  const end = key.indexOf('/', root.length)
  if (!key.startsWith(root) || !key.startsWith(folder, end + 1)) return undefined
  const [, id, aside] = entryName.exec(key.slice(end + 1 + folder.length)) ?? []
  return id === undefined
    ? undefined
    : { track: key.slice(root.length, end), id, key, aside: aside !== undefined }
}

const entryName = /^(\d{8}T\d{9}Z-\d{9})(\.aside)?\.json$/

/**
 * Lists the entries of a track, or of all tracks, in the order of ids; of one track also only those since a time. A
 * checkpoint saved both with and without changing the current track counts as changing it, since that key sorts last.
 */
export async function listPlaces(
  storage: Storage,
  layout: TrackLayout,
  track?: string,
  since?: number,
): Promise<Place[]> {
  const places: Place[] = []
  const prefix = track === undefined ? layout.root : placePrefix(layout, track)
  const after = track === undefined || since === undefined ? '' : `${prefix}${stampOf(since)}`
  for await (const { key } of storage.list(prefix, { after, sizes: false })) {
    const place = parsePlace(layout, key)
    if (place === undefined) continue
    const last = places.at(-1)
    if (last?.id === place.id && last.track === place.track) places.pop()
    places.push(place)
  }
  return places.sort(byId)
}

/** Returns the names of all tracks with entries, sorted. Lists only the first keys of each track. */
export async function listTracks(storage: Storage, layout: TrackLayout): Promise<string[]> {
  const tracks: string[] = []
  for (let after = ''; ; ) {
    let track: string | undefined
    for await (const { key } of storage.list(layout.root, { after, sizes: false })) {
      track = parsePlace(layout, key)?.track
      if (track !== undefined) break
    }
    if (track === undefined) return tracks.sort()
    tracks.push(track)
    // "0" is the character after "/", so this is after all keys of the track.
    after = `${layout.root}${track}0`
  }
}

function byId(a: Place, b: Place): number {
  return a.id < b.id ? -1 : a.id > b.id ? 1 : a.track < b.track ? -1 : 1
}

const day = 24 * 60 * 60 * 1000
/** Days to list first: a busy track has its newest entry in the last days, most others in the last year. */
const recentDays = [3, 400]
/** In a remote storage, each listing is a request, with pages of a thousand entries. */
const recentDaysRemote = [400]

/**
 * Yields the places of a track, newest first. Lists the latest period first, so that one page of a long track is enough
 * to find its newest entry.
 */
export async function* placesBack(
  storage: Storage,
  layout: TrackLayout,
  track: string,
): AsyncGenerator<Place> {
  const seen = new Set<string>()
  const recent = storage.remote === true ? recentDaysRemote : recentDays
  for (const since of [...recent.map((days) => Date.now() - days * day), undefined]) {
    for (const place of (await listPlaces(storage, layout, track, since)).reverse()) {
      if (!seen.has(place.key)) yield place
      seen.add(place.key)
    }
  }
}

/** Options of {@link findNextTime}. */
export interface NextTimeOptions {
  /** When the saved work ended, if that was before now. @default now */
  readonly endedAt?: Date | undefined
  /** @default the clock */
  readonly now?: Date | undefined
}

/**
 * Returns the time for a new id of a track, so that the newest entry is the one whose work ended last: the time when it
 * ended, or a millisecond after an entry of the same time. If another clock dated entries into the future, work of the
 * last day is placed after them.
 */
export async function findNextTime(
  storage: Storage,
  layout: TrackLayout,
  track: string,
  { endedAt, now = new Date() }: NextTimeOptions,
): Promise<Date> {
  const end = endedAt === undefined || !(endedAt < now) ? now : endedAt
  const isRecent = now.getTime() - end.getTime() < day
  let time = end.getTime()
  const prefix = placePrefix(layout, track)
  for await (const { key } of storage.list(prefix, { after: `${prefix}${stampOf(time)}`, sizes: false })) {
    const place = parsePlace(layout, key)
    if (place === undefined) continue
    const taken = Date.parse(createdAtOf(place.id))
    if (taken === time || (isRecent && taken > now.getTime())) time = taken + 1
    else if (!isRecent && taken > time) break
  }
  return new Date(time)
}

function stampOf(time: number): string {
  return new Date(time).toISOString().replace(/[-:.]/g, '')
}
