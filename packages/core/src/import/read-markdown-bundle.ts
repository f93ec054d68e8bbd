import { type BundleKind, bundleKinds } from '../bundle/bundle-names.ts'
import type { BundleFields } from '../given/bundle-fields.ts'
import { known } from '../session/known.ts'
import { type ForeignBundle, notesOfLeft, timeOf } from './foreign-bundle.ts'
import {
  filesIn,
  listIn,
  type MarkdownDocument,
  openDocument,
  type Section,
  stepsIn,
} from './markdown-document.ts'

/**
 * Whether a text is a bundle that people or agents write by hand: titled `# Plan Bundle: …`, or with a kind in its front
 * matter, or with several of the sections of one.
 */
export function isMarkdownBundle(text: string): boolean {
  const document = openDocument(text.slice(0, 200_000))
  if (kindOf(document) !== undefined) return true
  const names = new Set(document.sections.map(({ title }) => sectionOf(title)))
  names.delete(undefined)
  return names.size >= 3 && [...telling].some((name) => names.has(name))
}

/** The sections that can be in one, by what their titles begin with. */
const titles = [
  [/^(?:executive )?summary\b/i, 'summary'],
  [/^(?:key )?findings\b/i, 'findings'],
  [/^decision$/i, 'decision'],
  [/^(?:key )?decisions?\b/i, 'decisions'],
  [/^files?\b.*\b(?:modif|chang|edit|touch|updat|creat)/i, 'filesChanged'],
  [/^files? read\b|^key files read\b/i, 'filesRead'],
  [/^(?:key |relevant )?files\b/i, 'files'],
  [/^next (?:steps?|actions?)\b/i, 'nextSteps'],
  [/^(?:approved |chosen )?approach\b/i, 'approach'],
  [/^(?:implementation )?steps\b|^implementation plan\b/i, 'steps'],
  [/^risks?\b/i, 'risks'],
  [/^(?:session )?resume (?:point|instructions)\b|^resume$/i, 'resume'],
  [/^status\b/i, 'status'],
  [/^(?:completed|done)\b/i, 'completed'],
  [/^in progress\b/i, 'inProgress'],
  [/^(?:remaining|to ?do)\b/i, 'remaining'],
  [/^current (?:state|work)\b/i, 'currentState'],
  [/^constraints\b/i, 'constraints'],
  [/^(?:open questions|pending decisions)\b/i, 'openQuestions'],
  [/^blockers\b/i, 'blockers'],
] as const

type SectionName = (typeof titles)[number][1]

/** Titles that other documents rarely have. */
const telling: ReadonlySet<SectionName> = new Set([
  'resume',
  'nextSteps',
  'findings',
  'currentState',
  'inProgress',
])

function sectionOf(title: string): SectionName | undefined {
  return titles.find(([pattern]) => pattern.test(title))?.[1]
}

function kindOf({ title, front }: MarkdownDocument): BundleKind | undefined {
  const named =
    /^(research|plan|progress|context) bundle\b/i.exec(title)?.[1] ?? front.get('type') ?? front.get('kind')
  return bundleKinds.find((kind) => kind === named?.toLowerCase().replace(/[ _-]?bundle$/, ''))
}

/** Reads a bundle in Markdown. What has no field goes to the notes, in its own words. */
export function readMarkdownBundle(text: string): ForeignBundle {
  const document = openDocument(text)
  const { title, front } = document
  const found = new Map<SectionName, Section>()
  const left: string[] = []
  for (const section of document.sections) {
    const name = sectionOf(section.title)
    if (name !== undefined && !found.has(name)) found.set(name, section)
    else left.push(`${section.title}: ${section.lines.join(' ')}`)
  }
  const kind = kindOf(document) ?? kindOfSections(found)
  const prose = (name: SectionName): string | undefined => textOf(found.get(name))
  const list = (name: SectionName): string[] | undefined => nonEmpty(listIn(found.get(name)))
  const fields: BundleFields = known({
    kind,
    ...frontFields(front),
    title: title.replace(/^(?:research|plan|progress|context) bundle\s*:?\s*/i, '') || undefined,
    summary:
      [textOf({ title: '', lines: document.intro }), prose('summary')].filter(Boolean).join('\n') ||
      undefined,
    findings: list('findings'),
    decisions: nonEmpty([
      ...(kind === 'research' ? [] : listIn(found.get('decision'))),
      ...listIn(found.get('decisions')),
    ]),
    constraints: list('constraints'),
    openQuestions: list('openQuestions'),
    blockers: list('blockers'),
    nextSteps: list('nextSteps') ?? nonEmpty(nextOf(found)),
    resumeInstructions: prose('resume'),
    files: nonEmpty([
      ...filesIn(found.get('filesRead'), 'read'),
      ...filesIn(
        found.get('filesChanged'),
        /\bto\b/i.test(found.get('filesChanged')?.title ?? '') ? 'named' : 'modified',
      ),
      ...filesIn(found.get('files'), 'named'),
    ]),
    ...ofKind(kind, found),
  })
  const unused = unusedSections(kind, found).map((section) => `${section.title}: ${section.lines.join(' ')}`)
  return {
    format: 'markdown-bundle',
    fields,
    notes: notesOfLeft([...leftOfFront(front), ...left, ...unused]),
  }
}

const frontNames = {
  createdAt: ['timestamp', 'created_at', 'created', 'date', 'createdAt'],
  task: ['task', 'task_id', 'taskId'],
  sessionId: ['session', 'session_id', 'sessionId'],
  track: ['track'],
  phase: ['phase'],
} as const

function frontFields(front: ReadonlyMap<string, string>) {
  const value = (names: readonly string[]) =>
    names.map((name) => front.get(name)).find((text) => text !== undefined)
  const { createdAt, ...others } = frontNames
  const texts = Object.entries(others).map(([field, names]) => [field, value(names)])
  return {
    createdAt: timeOf(value(createdAt)),
    ...(Object.fromEntries(texts) as Record<keyof typeof others, string | undefined>),
  }
}

function leftOfFront(front: ReadonlyMap<string, string>): string[] {
  const used = new Set<string>(['type', 'kind', ...Object.values(frontNames).flat()])
  return [...front].filter(([name]) => !used.has(name)).map(([name, value]) => `${name}: ${value}`)
}

function kindOfSections(found: ReadonlyMap<SectionName, Section>): BundleKind {
  if (found.has('approach') || found.has('steps')) return 'plan'
  if (found.has('completed') || found.has('inProgress') || found.has('currentState')) return 'progress'
  return found.has('findings') && found.has('decision') ? 'research' : 'context'
}

const kindSections: Readonly<Record<BundleKind, readonly SectionName[]>> = {
  plan: ['approach', 'steps', 'risks'],
  progress: ['status', 'completed', 'inProgress', 'remaining', 'currentState'],
  research: [],
  context: [],
}

/** Sections that only bundles of another kind have. */
function unusedSections(kind: BundleKind, found: ReadonlyMap<SectionName, Section>): Section[] {
  const others = bundleKinds.filter((other) => other !== kind).flatMap((other) => kindSections[other])
  return others.flatMap((name) => found.get(name) ?? [])
}

function ofKind(kind: BundleKind, found: ReadonlyMap<SectionName, Section>): Partial<BundleFields> {
  const of = (name: SectionName) => found.get(name)
  if (kind === 'plan') {
    const plan = { approach: textOf(of('approach')), steps: stepsIn(of('steps')), risks: listIn(of('risks')) }
    return { plan: known(plan) }
  }
  if (kind === 'progress') {
    const [, done, total] = /\b(\d{1,6}) (?:of|\/|out of) (\d{1,6})\b/.exec(textOf(of('status')) ?? '') ?? []
    const lists = {
      completed: listIn(of('completed')),
      inProgress: listIn(of('inProgress')),
      remaining: listIn(of('remaining')),
    }
    const steps = done === undefined ? undefined : { done: Number(done), total: Number(total) }
    return { progress: { ...lists, ...known({ currentState: textOf(of('currentState')), steps }) } }
  }
  return kind === 'research' ? { research: known({ decision: textOf(of('decision')) }) } : {}
}

/** Where to go on if no next steps are listed: what the state says, otherwise the first step that is not done. */
function nextOf(found: ReadonlyMap<SectionName, Section>): string[] {
  const state = listIn(found.get('currentState')).find((line) => /^next (?:action|step)\s*:/i.test(line))
  const step = stepsIn(found.get('steps')).find(({ done }) => !done)?.text
  const open = listIn(found.get('inProgress'))[0] ?? listIn(found.get('remaining'))[0]
  const next = state?.replace(/^[^:]*:\s*/, '') ?? step ?? open
  return next === undefined ? [] : [next]
}

function textOf(section: Section | undefined): string | undefined {
  return section?.lines.join('\n').trim() || undefined
}

function nonEmpty<T>(list: T[]): T[] | undefined {
  return list.length === 0 ? undefined : list
}
