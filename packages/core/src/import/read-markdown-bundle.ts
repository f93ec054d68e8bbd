import { type BundleKind, bundleKinds } from '../bundle/bundle-names.ts'
import { InvalidBundleError } from '../errors.ts'
import { known } from '../session/known.ts'
import { type ForeignBundle, readContextBundle } from './foreign-bundle.ts'
import { notesOfLeft } from './taken-fields.ts'

type Field = readonly [
  title: RegExp,
  form: 'text' | 'list' | 'steps' | 'files',
  name: string,
  of?: BundleKind,
]

const fields: readonly Field[] = [
  [/^(?:executive )?summary\b/i, 'text', 'summary'],
  [/^(?:key )?findings\b/i, 'list', 'findings'],
  [/^decision$/i, 'text', 'decision', 'research'],
  [/^(?:key )?decisions?\b/i, 'list', 'decisions'],
  [/^files? to (?:modif|chang|edit|touch|updat|creat)/i, 'files', 'files'],
  [/^files?\b.*\b(?:modif|chang|edit|touch|updat|creat)/i, 'files', 'filesModified'],
  [/^files? read\b|^key files read\b/i, 'files', 'filesRead'],
  [/^(?:key |relevant )?files\b/i, 'files', 'files'],
  [/^next (?:steps?|actions?)\b/i, 'list', 'nextSteps'],
  [/^(?:approved |chosen )?approach\b/i, 'text', 'approach', 'plan'],
  [/^(?:implementation )?steps\b|^implementation plan\b/i, 'steps', 'steps', 'plan'],
  [/^risks?\b/i, 'list', 'risks', 'plan'],
  [/^(?:session )?resume (?:point|instructions)\b|^resume$/i, 'text', 'resumeInstructions'],
  [/^status\b/i, 'text', 'status', 'progress'],
  [/^(?:completed|done)\b/i, 'list', 'completed', 'progress'],
  [/^in progress\b/i, 'list', 'inProgress', 'progress'],
  [/^(?:remaining|to ?do)\b/i, 'list', 'remaining', 'progress'],
  [/^current (?:state|work)\b/i, 'text', 'currentState', 'progress'],
  [/^constraints\b/i, 'list', 'constraints'],
  [/^(?:open questions|pending decisions)\b/i, 'list', 'openQuestions'],
  [/^blockers\b/i, 'list', 'blockers'],
]

/** Fields whose titles are rare in other documents. */
const telling = ['resumeInstructions', 'nextSteps', 'findings', 'currentState', 'inProgress']

function fieldOf(title: string): Field | undefined {
  return fields.find(([pattern]) => pattern.test(title))
}

/**
 * Whether a text is a bundle written by hand by people or agents: titled `# Plan Bundle: …`, with a kind in its front
 * matter, or with several typical sections.
 */
export function isMarkdownBundle(text: string): boolean {
  const document = openDocument(text.slice(0, 200_000))
  if (kindOf(document) !== undefined) return true
  const names = new Set(document.sections.flatMap(({ title }) => fieldOf(title)?.[2] ?? []))
  return names.size >= 3 && telling.some((name) => names.has(name))
}

function kindOf({ title, front }: MarkdownDocument): BundleKind | undefined {
  const named = /^(research|plan|progress|context) bundle\b/i.exec(title)?.[1] ?? front.type ?? front.kind
  return bundleKinds.find((kind) => kind === named?.toLowerCase().replace(/[ _-]?bundle$/, ''))
}

/** Reads a bundle in Markdown. Content without a field becomes notes. Throws {@link InvalidBundleError}. */
export function readMarkdownBundle(text: string): ForeignBundle {
  const document = openDocument(text)
  const found = new Map<string, Section>()
  const left: Section[] = []
  for (const section of document.sections) {
    const name = fieldOf(section.title)?.[2]
    if (name === undefined || found.has(name)) left.push(section)
    else found.set(name, section)
  }
  if (kindOf(document) === undefined && document.title === '' && found.size === 0)
    throw new InvalidBundleError(notABundle, [])
  const kind = kindOf(document) ?? kindOfSections(found)
  const ofKind: Record<string, unknown> = {}
  const { type: _, kind: __, ...front } = document.front
  const record: Record<string, unknown> = {
    ...front,
    kind,
    title: document.title.replace(/^(?:research|plan|progress|context) bundle\s*:?\s*/i, ''),
    [kind]: ofKind,
  }
  for (const [name, section] of found) {
    const [, form = 'text', , of] = fieldOf(section.title) ?? []
    const value = { text: textOf, list: listIn, steps: stepsIn, files: filesIn }[form](section)
    if (of === undefined) record[name] = value
    else if (of === kind) ofKind[name] = value
    else if (name !== 'decision') left.push(section)
  }
  if (kind !== 'research')
    record.decisions = ['decision', 'decisions'].flatMap((name) => listIn(found.get(name)))
  const { status, ...state } = ofKind
  const [, done, total] = /\b(\d{1,6}) (?:of|\/|out of) (\d{1,6})\b/.exec(String(status)) ?? []
  if (kind === 'progress')
    record.progress = { ...state, ...(done && { steps: { done: Number(done), total: Number(total) } }) }
  record.summary = [document.intro.join('\n').trim(), record.summary].filter(Boolean).join('\n')
  record.nextSteps ??= nextOf(found)
  const { notes, ...bundle } = readContextBundle(record, 'markdown-bundle')
  const unread = left.map((section) => `${section.title}: ${section.lines.join(' ')}`)
  return { ...bundle, notes: [...notesOfLeft(unread), ...notes] }
}

const notABundle =
  'not a bundle: expected JSON such as {"summary": "…", "nextSteps": ["…"]}, or Markdown with a title or a section such as "## Summary" or "## Next Steps"'

function kindOfSections(found: ReadonlyMap<string, Section>): BundleKind {
  if (found.has('approach') || found.has('steps')) return 'plan'
  if (found.has('completed') || found.has('inProgress') || found.has('currentState')) return 'progress'
  return found.has('findings') && found.has('decision') ? 'research' : 'context'
}

/** Returns the next step if none are listed: from the current state, otherwise the first step that is not done. */
function nextOf(found: ReadonlyMap<string, Section>): string[] {
  const state = listIn(found.get('currentState')).find((line) => /^next (?:action|step)\s*:/i.test(line))
  const step = stepsIn(found.get('steps')).find(({ done }) => !done)?.text
  const open = listIn(found.get('inProgress'))[0] ?? listIn(found.get('remaining'))[0]
  const next = state?.replace(/^[^:]*:\s*/, '') ?? step ?? open
  return next === undefined ? [] : [next]
}

interface Section {
  readonly title: string
  readonly lines: readonly string[]
}

interface MarkdownDocument {
  readonly front: Readonly<Record<string, string>>
  /** Text of the first level-1 heading; empty if there is none. */
  readonly title: string
  readonly intro: readonly string[]
  /** Split at level-2 headings; deeper headings are lines of their section. */
  readonly sections: readonly Section[]
}

/** Splits a document at its headings. Lines in fenced code are text. */
function openDocument(text: string): MarkdownDocument {
  const lines = text
    .replace(/^\ufeff/, '')
    .replaceAll(/\r\n?/g, '\n')
    .split('\n')
  const end = lines[0] === '---' ? lines.indexOf('---', 1) : -1
  const front = lines.slice(1, Math.max(1, end)).flatMap((line): [string, string][] => {
    const [, name, value = ''] = /^([A-Za-z][\w-]*):\s*(.*)$/.exec(line) ?? []
    return name === undefined ? [] : [[name, value.trim().replace(/^(["'])(.*)\1$/, '$2')]]
  })
  const intro: string[] = []
  const sections: { title: string; lines: string[] }[] = []
  let title: string | undefined
  let fenced = false
  for (const line of lines.slice(end + 1)) {
    if (/^\s{0,3}(?:```|~~~)/.test(line)) fenced = !fenced
    const [, marks, heading = ''] = fenced ? [] : (/^(#{1,2})\s+(.*?)(?:\s#*)?$/.exec(line) ?? [])
    if (marks === '#' && title === undefined) title = heading.trim()
    else if (marks !== undefined) sections.push({ title: heading.trim(), lines: [] })
    else (sections.at(-1)?.lines ?? intro).push(line)
  }
  return { front: Object.fromEntries(front), title: title ?? '', intro, sections }
}

function textOf({ lines }: Section): string {
  return lines.join('\n').trim()
}

const bullet = /^(\s*)(?:[-*+•]|\d{1,4}[.)])\s+(.*)$/
const box = /^\[([ xX~-])\]\s*/

/** Returns the items of a section's lists without bullets, numbers and boxes; its paragraphs if it has no list. */
function listIn(section: Section | undefined): string[] {
  return stepsIn(section).map(({ text }) => text)
}

/** Returns the items of a section's lists; `done` if the box is ticked. */
function stepsIn(section: Section | undefined): { text: string; done: boolean }[] {
  return itemsIn(section)
    .map((item) => ({ text: item.replace(box, ''), done: /x/i.test(box.exec(item)?.[1] ?? '') }))
    .filter(({ text }) => text !== '')
}

/** Lines that continue an item are joined to it; nested items are separate items. */
function itemsIn(section: Section | undefined): string[] {
  const items: string[] = []
  let open = false
  for (const line of section?.lines ?? []) {
    const item = bullet.exec(line)?.[2]
    if (line.trim() === '') open = false
    else if (item !== undefined || !open) {
      items.push((item ?? line).trim())
      open = true
    } else items.push(`${items.pop()} ${line.trim()}`)
  }
  return items
}

/** Returns the files of a list, or of a table whose first column is the path. */
function filesIn(section: Section): (string | { path: string; reason?: string })[] {
  const rows = section.lines.filter((line) => /^\s*\|/.test(line))
  if (rows.length === 0) return itemsIn(section)
  const cells = rows.map((row) =>
    row
      .trim()
      .replace(/^\||\|$/g, '')
      .split('|')
      .map((cell) => cell.trim()),
  )
  const head = cells.findIndex((row) => row.every((cell) => /^:?-+:?$/.test(cell)))
  return cells.slice(head + 1).flatMap(([path = '', ...rest]) => {
    const bare = path.replace(/^`(.*)`$/, '$1')
    return bare === '' ? [] : [{ path: bare, ...known({ reason: rest.join('; ') || undefined }) }]
  })
}
