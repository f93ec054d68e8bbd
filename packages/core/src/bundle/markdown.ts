import { InvalidBundleError } from '../errors.ts'
import { known } from '../session/known.ts'
import { shortLine } from '../session/short-line.ts'
import { createdAtOf } from './bundle-id.ts'
import { formatCost, formatUsage, parseCost, parseUsage } from './markdown-usage.ts'
import { type ContextBundle, compressionRatio, parseBundle } from './schema.ts'
import { type Section, withValue } from './section.ts'
import { withEmptySections } from './section-contents.ts'
import { kindOf, sectionEntries, sections } from './sections.ts'

/**
 * Returns the canonical Markdown of a bundle: front matter (YAML) and sections, empty ones left out. It holds
 * everything that the JSON holds, and its tokens are the bundle tokens.
 */
export function bundleToMarkdown(bundle: ContextBundle): string {
  return [headToMarkdown(bundle), ...sectionPieces(bundle)].join('')
}

/** Returns what precedes the sections in the canonical Markdown of a bundle. */
export function headToMarkdown(bundle: ContextBundle): string {
  const front = frontMatter(bundle).map(([key, value]) => `${key}: ${yamlValue(value)}\n`)
  return `---\n${front.join('')}---\n\n${titleOf(bundle)}\n`
}

/** The heading of the whole, for people: `# Plan Bundle: …`. */
function titleOf({ kind, source: { title } }: ContextBundle): string {
  const words = `# ${kind[0]?.toUpperCase()}${kind.slice(1)} Bundle`
  return title === undefined ? words : `${words}: ${shortLine(title, 60)}`
}

/** A section of a usual size is one piece. */
const pieceLength = 256 * 1024

/**
 * Yields the canonical Markdown of a bundle without its front matter, in pieces: that of a large log has a million
 * lines. Each piece but the first begins with an item or an entry.
 */
export function* sectionPieces(bundle: ContextBundle): Generator<string, void> {
  let text = ''
  for (const [, section] of sectionEntries) {
    let isFirst = true
    for (const piece of piecesOf(section, bundle)) {
      if (isFirst) text += `\n${piece}`
      else {
        yield text
        text = piece
      }
      isFirst = false
    }
  }
  if (text !== '') yield text
}

/** Yields the Markdown of one section, with its heading, in such pieces; nothing if it is empty. */
export function* piecesOf(section: Section, bundle: ContextBundle): Generator<string, void> {
  let lines: string[] = []
  let length = 0
  let isFirst = true
  for (const line of section.write(bundle)) {
    if (isFirst) lines.push(`## ${section.title}\n`)
    else if (length > pieceLength && beginsItem.test(line)) {
      yield lines.join('')
      lines = []
      length = 0
    }
    isFirst = false
    lines.push(`${line}\n`)
    length += line.length + 1
  }
  if (lines.length > 0) yield lines.join('')
}

const beginsItem = /^(?:- |### )/

/** Parses a bundle from its Markdown. Throws {@link InvalidBundleError} that says what is wrong with it. */
export function bundleFromMarkdown(markdown: string): ContextBundle {
  const lines = markdown.replaceAll('\r\n', '\n').split('\n')
  const end = lines.indexOf('---', 1)
  if (lines[0] !== '---' || end === -1)
    throw new InvalidBundleError('not a bundle: expected front matter between two lines "---"', [])
  const front = new Map<string, string>()
  for (const line of lines.slice(1, end)) {
    const colon = line.indexOf(': ')
    if (colon === -1)
      throw new InvalidBundleError(
        `front matter: expected "key: value", got ${JSON.stringify(line.slice(0, 60))}`,
        [],
      )
    front.set(line.slice(0, colon), line.slice(colon + 2))
  }
  try {
    let bundle = emptyBundle(front)
    const isTitled =
      lines
        .slice(end + 1)
        .find((line) => line !== '')
        ?.startsWith('# ') ?? false
    for (const [title, body] of splitSections(lines.slice(end + 1))) {
      const section = sectionEntries.find(([, candidate]) => candidate.title === title)?.[1]
      if (section === undefined) throw new SyntaxError(`unknown section ${JSON.stringify(title)}`)
      bundle = withValue(bundle, section.path, section.read(isTitled ? body : withBoxes(title, body)))
    }
    return parseBundle(bundle)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw new InvalidBundleError(`not a bundle in Markdown: ${error.message}`, [error.message], {
      cause: error,
    })
  }
}

function splitSections(lines: readonly string[]): [title: string, body: string[]][] {
  const found: [string, string[]][] = []
  for (const line of lines) {
    const body = found.at(-1)?.[1]
    if (line.startsWith('## ')) found.push([line.slice(3), []])
    else if (body !== undefined) body.push(line)
    else if (line !== '' && !line.startsWith('# '))
      throw new SyntaxError(`text before the first section: ${JSON.stringify(line.slice(0, 60))}`)
  }
  // The blank line before the next heading, or the end of the file.
  for (const [, body] of found) if (body.at(-1) === '') body.pop()
  return found
}

/** Earlier versions wrote no title, and no boxes: such a text may begin with one of its own. */
function withBoxes(title: string, body: readonly string[]): readonly string[] {
  return boxedTitles.has(title) ? body.map((line) => line.replace(/^- ("?)/, '- $1[ ] ')) : body
}

const boxedTitles: ReadonlySet<string> = new Set(
  [sections.steps, sections.completed, sections.inProgress, sections.remaining].map(({ title }) => title),
)

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

function emptyBundle(front: ReadonlyMap<string, string>): object {
  const get = (key: string): string | undefined => {
    const value = front.get(key)
    return value?.startsWith('"') ? String(JSON.parse(value)) : value
  }
  const id = get('id') ?? ''
  const kind = get('kind') ?? ''
  const log = /^(\d+) bytes, (\d+) files, (\d+) events(, archived)?$/.exec(get('log') ?? '')
  const tokens = /^(\d+) -> (\d+) (.+), read (\d+)$/.exec(get('tokens') ?? '')
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
    track: get('track'),
    createdAt: createdAtOf(id),
    ...known({ task: get('task'), previous: get('previous'), state: get('state') }),
    source: {
      format: get('format'),
      ...known({
        agentVersion: get('agent-version'),
        title: get('title'),
        startedAt: get('started'),
        endedAt: get('ended'),
        cwd: get('cwd'),
        eventsDigest: get('events'),
      }),
      sessionId: get('session'),
      models,
      bytes: Number(log[1]),
      files: Number(log[2]),
      events: Number(log[3]),
      sha256: get('sha256'),
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
      band: get('band'),
      summarizer: get('summarizer'),
      ...known({ model: get('summarizer-model'), promptVersion: get('prompt'), fallback: get('fallback') }),
      ...(spent === undefined ? {} : { usage: parseUsage(spent) }),
      ...(cost === undefined ? {} : { cost: parseCost(cost) }),
      readTokens: Number(tokens[4]),
      unverified: Number(get('unverified') ?? 0),
    },
  }
  return withEmptySections(bundle, (section) => (kindOf(section) ?? kind) === kind)
}
