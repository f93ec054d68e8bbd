export const bundleKinds = ['research', 'plan', 'progress', 'context'] as const
/** The phase of work that a bundle records; each kind has additional sections. */
export type BundleKind = (typeof bundleKinds)[number]

export const sessionStates = ['finished', 'waiting', 'in-progress', 'interrupted', 'failed'] as const
/** State of the session at the end of its log. */
export type SessionState = (typeof sessionStates)[number]

/** Pattern of a track's name, which excludes names that a file system reserves. */
export const trackPattern =
  /^(?!(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$))[a-z0-9](?:[a-z0-9._-]{0,126}[a-z0-9_-])?$/i

/** Whether a name is valid for a track, whose name becomes a folder of the store. */
export function isTrackName(name: string): boolean {
  return trackPattern.test(name)
}
