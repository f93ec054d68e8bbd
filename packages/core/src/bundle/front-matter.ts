import * as json from '../session/json.ts'
import { createdAtOf } from './bundle-id.ts'
import { type BundleUsage, compressionRatio } from './compression-schema.ts'
import { formatCost, formatUsage, parseCost, parseUsage } from './markdown-usage.ts'
import type { ContextBundle } from './schema.ts'
import { type SectionPath, valueAt, withValue } from './section.ts'
import { withEmptySections } from './section-contents.ts'
import { kindOf } from './sections.ts'

interface FrontField<T = never> {
  readonly key: string
  readonly path: SectionPath
  /** Returns undefined to leave out the field. */
  readonly write?: (value: T) => string | undefined
  /** Throws SyntaxError. A returned object is merged into the fields that were read before. */
  readonly read?: (text: string) => unknown
  /** Default for reading the Markdown of a small bundle, which leaves out this field although every bundle has it. */
  readonly notShown?: string
}

function field<T>(key: string, path: string, form: Omit<FrontField<T>, 'key' | 'path'> = {}): FrontField {
  return { key, path: path.split('.'), ...form }
}

const usage = (empty: string | undefined) => ({
  write: (value: BundleUsage) => formatUsage(value) || empty,
  read: parseUsage,
})

const log = {
  write: ({ bytes, files, events, archived }: ContextBundle['source']) =>
    `${bytes} bytes, ${files} files, ${events} events${archived ? ', archived' : ''}`,
  read(text: string) {
    const log = /^(\d+) bytes, (\d+) files, (\d+) events(, archived)?$/.exec(text)
    if (log === null) throw new SyntaxError('front matter: expected "log: N bytes, N files, N events"')
    const [bytes, files, events] = log.slice(1, 4).map(Number)
    return { bytes, files, events, archived: log[4] !== undefined }
  },
  notShown: '0 bytes, 0 files, 0 events',
}

const tokens = {
  write: ({ sourceTokens, bundleTokens, counter, readTokens }: ContextBundle['compression']) =>
    `${sourceTokens} -> ${bundleTokens} ${counter}, read ${readTokens}`,
  read(text: string) {
    const tokens = /^(\d+) -> (\d+) (.+), read (\d+)$/.exec(text)
    if (tokens === null) throw new SyntaxError('front matter: expected "tokens: N -> N counter, read N"')
    const size = { sourceTokens: Number(tokens[1]), bundleTokens: Number(tokens[2]) }
    return { counter: tokens[3], ...size, ratio: compressionRatio(size), readTokens: Number(tokens[4]) }
  },
  notShown: '0 -> 0 unknown, read 0',
}

/** The fields of the front matter, in order. */
const fields: readonly FrontField[] = [
  field('tenfold', 'schemaVersion', { read: Number }),
  field('id', 'id'),
  field('kind', 'kind', { notShown: 'context' }),
  field('track', 'track', { notShown: 'main' }),
  field('task', 'task'),
  field('previous', 'previous'),
  field('format', 'source.format', { notShown: 'unknown' }),
  field('agent-version', 'source.agentVersion'),
  field('session', 'source.sessionId', { notShown: 'unknown' }),
  field('title', 'source.title'),
  field('started', 'source.startedAt'),
  field('ended', 'source.endedAt'),
  field('cwd', 'source.cwd'),
  field('branch', 'git.branch'),
  field('head', 'git.head'),
  field('dirty', 'git.dirty', { read: (text) => text === 'true' }),
  field('model', 'source.models'),
  field('state', 'state'),
  field('phase', 'workflow.phase'),
  field('current', 'workflow.currentTask'),
  field('log', 'source', log),
  field('sha256', 'source.sha256', { notShown: '0'.repeat(64) }),
  field('events', 'source.eventsDigest'),
  field('usage', 'usage.total', usage(undefined)),
  field('tokens', 'compression', tokens),
  field('band', 'compression.band', { notShown: 'small' }),
  field('summarizer', 'compression.summarizer', { notShown: 'unknown' }),
  field('summarizer-model', 'compression.model'),
  field('prompt', 'compression.promptVersion'),
  field('unverified', 'compression.unverified', {
    write: (count: number) => (count === 0 ? undefined : `${count}`),
    read: Number,
  }),
  field('spent', 'compression.usage', usage('unknown')),
  field('cost', 'compression.cost', { write: formatCost, read: parseCost }),
  field('fallback', 'compression.fallback'),
]

/** Keys of models: `model`, `model-2`, `model-3`. */
const modelKey = /^model(-\d+)?$/

export function formatFront(bundle: ContextBundle): string {
  const without = new Set(bundle.shown?.without)
  const lines = fields.flatMap(({ key, path, write = String }) => {
    const value = valueAt(bundle, path)
    if (value === undefined || without.has(key)) return []
    if (Array.isArray(value))
      return value.map((model, index) => [index === 0 ? key : `${key}-${index + 1}`, String(model)] as const)
    const text = write(value as never)
    return text === undefined ? [] : [[key, text] as const]
  })
  return lines.map(([key, text]) => `${key}: ${yamlValue(text)}\n`).join('')
}

/** Plain if YAML reads it as the same text, otherwise in double quotes, whose escapes YAML shares with JSON. */
function yamlValue(value: string): string {
  return /^[A-Za-z0-9/(~][A-Za-z0-9 _.,()/@+=>~:-]*$/.test(value) && !/: |:$| $| #/.test(value)
    ? value
    : JSON.stringify(value)
}

export function readFront(lines: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    lines.map((line) => {
      const colon = line.indexOf(': ')
      if (colon === -1)
        throw new SyntaxError(`front matter: expected "key: value", got ${JSON.stringify(line.slice(0, 60))}`)
      return [line.slice(0, colon), line.slice(colon + 2)]
    }),
  )
}

/**
 * Returns an empty bundle with the values of front matter. That of a small session may have only an id: the JSON next
 * to it has the rest. Throws SyntaxError.
 */
export function bundleOfFront(front: ReadonlyMap<string, string>): object {
  const get = (key: string): string | undefined => {
    const value = front.get(key)
    return value?.startsWith('"') ? String(JSON.parse(value)) : value
  }
  const models = [...front.keys()].filter((key) => modelKey.test(key)).map(get)
  const without = fields.filter(({ key, notShown }) => notShown !== undefined && !front.has(key))
  const empty: object = {
    createdAt: createdAtOf(get('id') ?? ''),
    source: { models },
    workflow: {},
    git: {},
    usage: { total: {} },
    compression: { unverified: 0 },
    ...(without.length > 0 && { shown: { without: without.map(({ key }) => key) } }),
  }
  const bundle = fields.reduce((read, { key, path, read: parse = String, notShown }) => {
    const text = get(key) ?? notShown
    if (text === undefined || modelKey.test(key)) return read
    const value = parse(text)
    const before = json.object(valueAt(read, path))
    return withValue(read, path, before === undefined ? value : { ...before, ...json.object(value) })
  }, empty)
  const kind = valueAt(bundle, ['kind'])
  return withEmptySections(bundle, (section) => (kindOf(section) ?? kind) === kind)
}
