import { createHash } from 'node:crypto'
import { createRedaction, type Redactor, secretRedactor } from '@tenfold/redact'
import { newBundleId } from '../bundle/bundle-id.ts'
import { compressionRatio } from '../bundle/compression-schema.ts'
import { bundleToMarkdown } from '../bundle/markdown.ts'
import { parseBundle } from '../bundle/parse-bundle.ts'
import type { ContextBundle } from '../bundle/schema.ts'
import { type FieldsForm, type WrittenForm, withEmptySections } from '../bundle/section-contents.ts'
import { kindOf } from '../bundle/sections.ts'
import { InvalidBundleError } from '../errors.ts'
import { shortTitle } from '../facts/session-title.ts'
import { readGit } from '../git/read-git.ts'
import { cleanLine, cleanText } from '../session/clean-text.ts'
import { known } from '../session/known.ts'
import type { Note } from '../session/note.ts'
import { foldersToIgnore } from '../storage/folders-to-ignore.ts'
import type { BundleStore } from '../store/bundle-store.ts'
import type { SavedBundle } from '../store/save-to-store.ts'
import { tiktokenCounter } from '../tokens/tiktoken-counter.ts'
import type { TokenCounter } from '../tokens/token-counter.ts'
import { type BundleFields, parseBundleFields, saidForms } from './bundle-fields.ts'

interface GivenSource {
  /** @default 'given' */
  readonly format?: string
  /** The document that held the fields. @default the fields as JSON */
  readonly document?: Uint8Array
}

/** Options of {@link completeBundle}. */
export interface CompleteOptions {
  readonly source?: GivenSource
  /** Notes on what was added, and on parts of the document that the fields do not hold. */
  readonly notes?: readonly Note[]
  /** Time of the id if the fields contain none. @default now */
  readonly now?: Date
  /** Used for the random part of the id. @default Math.random */
  readonly random?: () => number
  /** Find secrets in the texts, which are replaced by marks. @default secretRedactor() */
  readonly redactors?: readonly Redactor[]
  /** @default tiktokenCounter('o200k_base') */
  readonly counter?: TokenCounter
}

/**
 * Makes a complete, valid bundle from fields given by hand: adds an id, the time and all required fields. There is no
 * log, so it has no source tokens. Throws {@link InvalidBundleError}.
 */
export function completeBundle(fields: BundleFields, options: CompleteOptions = {}): ContextBundle {
  const given = parseBundleFields(fields)
  const { source = {}, notes = [], now = new Date(), random, redactors = [secretRedactor()] } = options
  const redaction = createRedaction(redactors)
  redaction.learnValue([given, notes])
  const said = redaction.redactValue(given)
  const document = source.document ?? new TextEncoder().encode(JSON.stringify(said))
  const time = given.createdAt === undefined ? now : new Date(given.createdAt)
  const kind = given.kind ?? ofKinds.find((name) => given[name] !== undefined) ?? 'context'
  const counter = options.counter ?? tiktokenCounter()
  const id = newBundleId(time, random)
  const draft = {
    schemaVersion: 1,
    id,
    kind,
    track: given.track ?? 'main',
    createdAt: time.toISOString(),
    ...known({ task: lineOf(said.task) }),
    source: {
      format: source.format ?? 'given',
      sessionId: lineOf(said.sessionId) ?? id,
      ...known({ title: lineOf(said.title) ?? shortTitle(said.summary ?? ''), cwd: lineOf(said.cwd) }),
      endedAt: time.toISOString(),
      models: [],
      files: 1,
      bytes: document.byteLength,
      events: 0,
      archived: false,
      sha256: createHash('sha256').update(document).digest('hex'),
    },
    ...sayings(said, kind),
    commands: [],
    errors: [],
    identifiers: [],
    trail: [],
    usage: { total: {}, byAgent: [], byModel: [] },
    compression: {
      counter: counter.name,
      sourceTokens: 0,
      bundleTokens: 0,
      ratio: 0,
      band: 'small',
      summarizer: 'none',
      readTokens: 0,
      unverified: 0,
      calls: [],
    },
    notes: notes.map((note) => ({
      ...note,
      message: cleanLine(redaction.redact(note.message)) || note.code,
    })),
  }
  const bundle = parseBundle(withEmptySections(draft, (section) => kindOf(section) === kind))
  if (isEmpty(bundle))
    throw new InvalidBundleError('not the fields of a bundle: give at least a summary or a next step', [])
  return withSize(bundle, counter)
}

/** Returns the given fields in the form of a bundle. Throws if they have a section of another kind. */
function sayings(said: BundleFields, kind: ContextBundle['kind']) {
  const other = ofKinds.find((name) => name !== kind && said[name] !== undefined)
  if (other !== undefined)
    throw new InvalidBundleError(`not the fields of a bundle: expected ${other} only with kind ${other}`, [])
  const { validation, git = {} } = said
  const { workflow, rest, files } = saidForms()
  const own = kind === 'progress' ? withSteps(said.progress) : kind === 'context' ? {} : said[kind]
  return {
    summary: textOf(said.summary),
    workflow: completed(workflow, said),
    ...completed(rest, { ...said, ...(kind !== 'context' && { [kind]: own ?? {} }) }),
    ...completed(files, said),
    ...(validation !== undefined && {
      validation: { ...validation, ...known({ command: lineOf(validation.command) }), evidence: [] },
    }),
    git: {
      ...known({ branch: lineOf(git.branch), head: lineOf(git.head), dirty: git.dirty }),
      commits: [],
    },
  }
}

const ofKinds = ['plan', 'progress', 'research'] as const

function withSteps(progress: BundleFields['progress'] = {}): BundleFields['progress'] {
  const { completed: done = [], inProgress = [], remaining = [], steps } = progress
  const total = done.length + inProgress.length + remaining.length
  return { ...progress, steps: steps ?? (total === 0 ? undefined : { done: done.length, total }) }
}

const byDefault: Readonly<Record<string, string>> = { by: 'agent', status: 'read' }

function completed({ of, main }: FieldsForm, given: object): Record<string, unknown> {
  const fields: Readonly<Record<string, unknown>> = { ...given }
  const entries = Object.entries(of).map(([name, form]) => [
    name,
    completedValue(form, fields[name] ?? byDefault[name]),
  ])
  return { ...known(Object.fromEntries(entries)), ...(main !== undefined && { evidence: [] }) }
}

function completedValue(form: WrittenForm, given: unknown): unknown {
  if (given === undefined && form.optional) return undefined
  if (form.holds === 'line') return lineOf(String(given ?? ''))
  if (form.holds === 'text') return textOf(String(given ?? ''))
  if (form.holds === 'time') return new Date(String(given)).toISOString()
  if (form.holds === 'flag') return given === true ? true : undefined
  if (form.holds === 'list') {
    const items = ((given ?? []) as unknown[]).flatMap((item) => completedValue(form.of, item) ?? [])
    return items.length === 0 && form.optional ? undefined : items
  }
  if (form.holds !== 'fields') return given
  const { main } = form
  const fields = completed(
    form,
    typeof given === 'string' && main !== undefined ? { [main]: given } : Object(given),
  )
  return main !== undefined && fields[main] === undefined ? undefined : fields
}

function lineOf(text: string | undefined): string | undefined {
  return cleanLine(text ?? '') || undefined
}

function textOf(text = ''): string {
  return cleanText(text).trim()
}

function isEmpty(bundle: ContextBundle): boolean {
  const { nextSteps, findings, decisions, files, workflow, plan, progress, research } = bundle
  const own = [plan?.approach, progress?.currentState, research?.decision]
  const ofKind = [plan?.steps, progress?.completed, progress?.remaining]
  const texts = [bundle.summary, bundle.resumeInstructions, workflow.currentTask, ...own]
  const lists = [nextSteps, findings, decisions, files, workflow.tasksRemaining, ...ofKind]
  return texts.every((text) => !text) && lists.every((list) => !list?.length)
}

/** Sets the bundle's own size. The number is part of the bundle, so it is raised until it covers itself. */
function withSize(bundle: ContextBundle, counter: TokenCounter): ContextBundle {
  let sized = bundle
  for (let bundleTokens = 0; ; ) {
    const ratio = compressionRatio({ bundleTokens, sourceTokens: 0 })
    sized = { ...bundle, compression: { ...bundle.compression, bundleTokens, ratio } }
    const counted = counter.count(bundleToMarkdown(sized))
    if (counted <= bundleTokens) return sized
    bundleTokens = counted
  }
}

/** Options of {@link saveBundle}. */
export interface SaveBundleOptions extends Omit<CompleteOptions, 'now'> {
  /** The folder whose repository is read, unless the fields give its state. @default process.cwd() */
  readonly cwd?: string
  /** Folders whose files do not count as changed. @default the folder of the store */
  readonly ignore?: readonly string[]
  /** Has no effect once the bundle is committed. */
  readonly signal?: AbortSignal
}

/**
 * Saves a bundle that is given by hand: adds id, time and the state of the Git repository, validates it and makes it
 * the newest of its track. Throws {@link InvalidBundleError} before anything is written, or {@link StorageError}.
 */
export async function saveBundle(
  store: BundleStore,
  fields: BundleFields,
  options: SaveBundleOptions = {},
): Promise<SavedBundle & { readonly bundle: ContextBundle }> {
  const { cwd = process.cwd(), signal, ignore: ignored, ...complete } = options
  const given = parseBundleFields(fields)
  const ignore = foldersToIgnore(ignored, store.storage)
  // Invalid fields are reported before git and the store are read.
  completeBundle(given, complete)
  const git = given.git ?? (await gitState(cwd, known({ ignore, signal })))
  const endedAt = given.createdAt === undefined ? {} : { endedAt: new Date(given.createdAt) }
  const time = await store.nextTime(given.track ?? 'main', endedAt)
  const whole = { ...given, cwd: given.cwd ?? cwd, createdAt: time.toISOString(), ...known({ git }) }
  const bundle = completeBundle(whole, complete)
  return { ...(await store.save(bundle, known({ signal }))), bundle }
}

async function gitState(
  cwd: string,
  options: { readonly ignore?: readonly string[]; readonly signal?: AbortSignal },
): Promise<BundleFields['git']> {
  const git = await readGit(cwd, options)
  return git.state === 'repository'
    ? known({ branch: git.branch, head: git.head, dirty: git.dirty })
    : undefined
}
