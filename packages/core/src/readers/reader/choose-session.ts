import { LogReadError } from '../../errors.ts'
import type { SessionListing, SessionWriter } from './reader.ts'

/** Returns the requested session among `all`, or the last listed one, with a note. Throws `LogReadError`. */
export function chooseSession<Listing extends SessionListing>(
  listings: readonly Listing[],
  out: SessionWriter,
  all: readonly Listing[] = listings,
): Listing | undefined {
  if (out.sessionId !== undefined) {
    const found = [...listings, ...all].find(({ id }) => id === out.sessionId)
    if (found !== undefined) return found
    const fault = `${out.files[0]} has no session ${out.sessionId}; it has ${shown(all)}.`
    throw new LogReadError('session-missing', fault)
  }
  const last = listings.at(-1)
  const others = `Others are named as PATH#ID: ${shown(listings.slice(0, -1))}`
  if (listings.length > 1)
    out.note('other-sessions', `has ${listings.length} sessions; ${last?.id} was read. ${others}`)
  return last
}

function shown(listings: readonly SessionListing[]): string {
  const newest = listings.slice(-5).map(({ id }) => id)
  const more = listings.length - newest.length
  return listings.length === 0 ? 'none' : `${newest.join(', ')}${more > 0 ? ` and ${more} older` : ''}`
}
