import type { EventId, SessionEvent } from '../session/event.ts'
import type { Steps } from '../session/pauses.ts'
import { textAt } from '../tools/tool-uses.ts'
import type { ErrorFact, FileFact, Identifier, NamedFileFact } from './facts.ts'
import { isOpenError } from './facts.ts'
import { classifyIdentifier, scanIdentifiers } from './identifiers/find-identifiers.ts'
import { isSpilledOutput, type PathNormalizer } from './log-path.ts'

type Mentions = Map<string, EventId>

function mention(mentions: Mentions, token: string, event: EventId): void {
  mentions.delete(token)
  mentions.set(token, event)
}

const most = 60

/**
 * Returns files and folders that the user or the agent mentioned, in words or commands, and that a tool was given or
 * printed, but that no call opened: results of a search, subjects of a check, postponed ones. Folders end in `/`. In
 * order of the last mention.
 */
export function* namedFiles(
  events: readonly SessionEvent[],
  touched: readonly FileFact[],
  identifiers: ReadonlyMap<string, Identifier>,
  errors: readonly ErrorFact[],
  normalize: PathNormalizer,
): Steps<NamedFileFact[]> {
  const { mentions, counts } = yield* mentionsIn(events)
  for (const error of errors.filter(isOpenError))
    scanIdentifiers(error.message, (token) => {
      if (isFileName(token)) mention(mentions, token, error.event)
    })
  const printed = printedNames(identifiers, counts)
  const known = new Set(touched.flatMap(({ path, from }) => [path, ...(from === undefined ? [] : [from])]))
  const knownNames = new Set([...known].map(baseOf))
  const endings = [...known].map((path) => `/${path}`)
  const spaced = [...known].filter((path) => path.includes(' '))
  const named = new Map<string, EventId>()
  for (const [token, event] of mentions) {
    yield
    const isFolder = token.endsWith('/')
    if (!printed.has(isFolder ? token.replace(/^\.\//, '') : baseOf(token))) continue
    const place = normalize(token)
    if (place === undefined || known.has(place)) continue
    // A bare name of a touched file means that file.
    if (!isFolder && !token.includes('/') && knownNames.has(token)) continue
    // The end of a touched file whose name contains spaces.
    if (spaced.some((path) => path.endsWith(` ${token}`))) continue
    // Prompts name a file as `@src/a.ts`.
    const ending = `/${place.replace(/^@/, '')}`
    if (!isFolder && endings.some((path) => path.endsWith(ending))) continue
    const path = isFolder ? `${place}/` : place
    named.delete(path)
    named.set(path, event)
  }
  return [...named].slice(-most).map(([path, event]) => ({ path, event }))
}

function* mentionsIn(
  events: readonly SessionEvent[],
): Steps<{ mentions: Mentions; counts: Map<string, number> }> {
  const mentions: Mentions = new Map()
  const counts = new Map<string, number>()
  for (const event of events) {
    if (event.copied === true) continue
    yield
    const isSpoken = event.type === 'user' || event.type === 'assistant'
    scanIdentifiers(isSpoken ? event.text : commandOf(event), (token) => {
      if (!mentions.has(token) && !isFileName(token)) return
      mention(mentions, token, event.id)
      if (isSpoken) counts.set(token, (counts.get(token) ?? 0) + 1)
    })
  }
  return { mentions, counts }
}

/** Returns the command of a shell call: `git add CLAUDE.md` mentions a file too. */
function commandOf(event: SessionEvent): string {
  if (event.type !== 'tool_call' || event.kind !== 'execute') return ''
  return (textAt(event.input, 'command', 'cmd') ?? '').slice(0, maxCommandLength)
}

const maxCommandLength = 2000

// `Next.js` is a product; a path into installed packages is nobody's.
function isFileName(token: string): boolean {
  if (token.length > 200 || /^[A-Z]\w*\.js$/.test(token) || token.includes('node_modules/')) return false
  if (isSpilledOutput(token)) return false
  if (/^(?:[\w.@~-]+\/)+$/.test(token)) return /[A-Za-z]{2}/.test(token) && !commitId.test(token)
  return (
    classifyIdentifier(token) === 'path' && /[^/]\.\w{1,12}$|(?:^|\/)(?:Makefile|Dockerfile)$/.test(token)
  )
}

/** A piece of `s/^pick 2ff89c05/edit 2ff89c05/`. */
const commitId = /^[\da-f]{7,40}\/$/

/** Returns file names, and all folders, among the identifiers found outside of messages. */
function printedNames(
  identifiers: ReadonlyMap<string, Identifier>,
  counts: ReadonlyMap<string, number>,
): Set<string> {
  const names = new Set<string>()
  for (const { kind, text: printed, count } of identifiers.values()) {
    if (kind !== 'path' || count <= (counts.get(printed) ?? 0)) continue
    const text = printed.replace(/^\.\//, '')
    names.add(baseOf(text))
    for (let slash = text.indexOf('/'); slash !== -1; slash = text.indexOf('/', slash + 1)) {
      names.add(text.slice(0, slash + 1))
      const before = text.lastIndexOf('/', slash - 1)
      if (before !== -1) names.add(text.slice(before + 1, slash + 1))
    }
  }
  return names
}

function baseOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}
