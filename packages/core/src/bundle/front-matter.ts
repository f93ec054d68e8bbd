import { known } from '../session/known.ts'
import { createdAtOf } from './bundle-id.ts'
import { compressionRatio } from './compression-schema.ts'
import { formatCost, formatUsage, parseCost, parseUsage } from './markdown-usage.ts'
import type { ContextBundle } from './schema.ts'
import { withEmptySections } from './section-contents.ts'
import { kindOf } from './sections.ts'

/** Returns the front matter of a bundle as lines of YAML, without what its Markdown leaves out. */
export function formatFront(bundle: ContextBundle): string {
  const without = new Set(bundle.shown?.without)
  return frontMatter(bundle)
    .filter(([key]) => !without.has(key.replace(/^model-\d+$/, 'model')))
    .map(([key, value]) => `${key}: ${yamlValue(value)}\n`)
    .join('')
}

/** Reads lines of front matter, the values still as YAML. Throws SyntaxError. */
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

/** The front matter of a bundle: what it is, where it comes from, how it was made. */
function frontMatter(bundle: ContextBundle): [key: string, value: string][] {
  const { source, git, compression, workflow } = bundle
  const values: [string, string | undefined][] = [
    ['tenfold', String(bundle.schemaVersion)],
    ['id', bundle.id],
    ['kind', bundle.kind],
    ['track', bundle.track],
    ['task', bundle.task],
    ['previous', bundle.previous],
    ['format', source.format],
    ['agent-version', source.agentVersion],
    ['session', source.sessionId],
    ['title', source.title],
    ['started', source.startedAt],
    ['ended', source.endedAt],
    ['cwd', source.cwd],
    ['branch', git.branch],
    ['head', git.head],
    ['dirty', git.dirty === undefined ? undefined : String(git.dirty)],
    ...source.models
      .map((model): [string, string] => ['model', model])
      .map(([key, model], index): [string, string] => [index === 0 ? key : `${key}-${index + 1}`, model]),
    ['state', bundle.state],
    ['phase', workflow.phase],
    ['current', workflow.currentTask],
    [
      'log',
      `${source.bytes} bytes, ${source.files} files, ${source.events} events${source.archived ? ', archived' : ''}`,
    ],
    ['sha256', source.sha256],
    ['events', source.eventsDigest],
    ['usage', Object.keys(bundle.usage.total).length === 0 ? undefined : formatUsage(bundle.usage.total)],
    [
      'tokens',
      `${compression.sourceTokens} -> ${compression.bundleTokens} ${compression.counter}, read ${compression.readTokens}`,
    ],
    ['band', compression.band],
    ['summarizer', compression.summarizer],
    ['summarizer-model', compression.model],
    ['prompt', compression.promptVersion],
    ['unverified', compression.unverified === 0 ? undefined : String(compression.unverified)],
    ['spent', compression.usage === undefined ? undefined : formatUsage(compression.usage) || 'unknown'],
    ['cost', compression.cost === undefined ? undefined : formatCost(compression.cost)],
    ['fallback', compression.fallback],
  ]
  return values.flatMap(([key, value]) => (value === undefined ? [] : [[key, value] as [string, string]]))
}

/** Plain if YAML reads it as the same text, otherwise in double quotes, whose escapes JSON shares. */
function yamlValue(value: string): string {
  return /^[A-Za-z0-9/(~][A-Za-z0-9 _.,()/@+=>~:-]*$/.test(value) && !/: |:$| $| #/.test(value)
    ? value
    : JSON.stringify(value)
}

/** What is read if a small bundle does not show it, although every bundle has it. */
const notShown = {
  kind: 'context',
  track: 'main',
  format: 'unknown',
  session: 'unknown',
  log: '0 bytes, 0 files, 0 events',
  sha256: '0'.repeat(64),
  tokens: '0 -> 0 unknown, read 0',
  band: 'small',
  summarizer: 'unknown',
} as const

/**
 * Returns an empty bundle with the values of front matter. That of a small session may have only an id: the rest is in the
 * JSON next to it. Throws SyntaxError.
 */
export function bundleOfFront(front: ReadonlyMap<string, string>): object {
  const get = (key: string): string | undefined => {
    const value = front.get(key)
    return value?.startsWith('"') ? String(JSON.parse(value)) : value
  }
  const id = get('id') ?? ''
  const kind = get('kind') ?? notShown.kind
  const log = /^(\d+) bytes, (\d+) files, (\d+) events(, archived)?$/.exec(get('log') ?? notShown.log)
  const tokens = /^(\d+) -> (\d+) (.+), read (\d+)$/.exec(get('tokens') ?? notShown.tokens)
  const without = Object.keys(notShown).filter((key) => !front.has(key))
  const cost = get('cost')
  const spent = get('spent')
  if (log === null) throw new SyntaxError('front matter: expected "log: N bytes, N files, N events"')
  if (tokens === null) throw new SyntaxError('front matter: expected "tokens: N -> N counter, read N"')
  const size = { sourceTokens: Number(tokens[1]), bundleTokens: Number(tokens[2]) }
  const models = [...front.keys()].filter((key) => /^model(-\d+)?$/.test(key)).map(get)
  const dirty = get('dirty')
  const bundle = {
    schemaVersion: Number(get('tenfold')),
    id,
    kind,
    track: get('track') ?? notShown.track,
    createdAt: createdAtOf(id),
    ...known({ task: get('task'), previous: get('previous'), state: get('state') }),
    source: {
      format: get('format') ?? notShown.format,
      ...known({
        agentVersion: get('agent-version'),
        title: get('title'),
        startedAt: get('started'),
        endedAt: get('ended'),
        cwd: get('cwd'),
        eventsDigest: get('events'),
      }),
      sessionId: get('session') ?? notShown.session,
      models,
      bytes: Number(log[1]),
      files: Number(log[2]),
      events: Number(log[3]),
      sha256: get('sha256') ?? notShown.sha256,
      archived: log[4] !== undefined,
    },
    workflow: known({ phase: get('phase'), currentTask: get('current') }),
    git: known({
      branch: get('branch'),
      head: get('head'),
      dirty: dirty === undefined ? undefined : dirty === 'true',
    }),
    usage: { total: parseUsage(get('usage') ?? '') },
    compression: {
      counter: tokens[3],
      ...size,
      ratio: compressionRatio(size),
      band: get('band') ?? notShown.band,
      summarizer: get('summarizer') ?? notShown.summarizer,
      ...known({ model: get('summarizer-model'), promptVersion: get('prompt'), fallback: get('fallback') }),
      ...(spent === undefined ? {} : { usage: parseUsage(spent) }),
      ...(cost === undefined ? {} : { cost: parseCost(cost) }),
      readTokens: Number(tokens[4]),
      unverified: Number(get('unverified') ?? 0),
    },
    ...(without.length > 0 && { shown: { without } }),
  }
  return withEmptySections(bundle, (section) => (kindOf(section) ?? kind) === kind)
}
