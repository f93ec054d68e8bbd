import { createHash } from 'node:crypto'
import { createRedaction, type Redactor, secretRedactor } from '@tenfold/redact'
import { newBundleId } from '../bundle/bundle-id.ts'
import { compressionRatio } from '../bundle/compression-schema.ts'
import { bundleToMarkdown } from '../bundle/markdown.ts'
import { parseBundle } from '../bundle/parse-bundle.ts'
import type { ContextBundle } from '../bundle/schema.ts'
import { withEmptySections } from '../bundle/section-contents.ts'
import { kindOf } from '../bundle/sections.ts'
import type { SummaryItem } from '../bundle/session-summary.ts'
import { InvalidBundleError } from '../errors.ts'
import { shortTitle } from '../facts/session-title.ts'
import { cleanLine, cleanText } from '../session/clean-text.ts'
import { known } from '../session/known.ts'
import type { Note } from '../session/note.ts'
import { tiktokenCounter } from '../tokens/tiktoken-counter.ts'
import type { TokenCounter } from '../tokens/token-counter.ts'
import { type BundleFields, parseBundleFields } from './bundle-fields.ts'

/** Where given fields come from. */
interface GivenSource {
  /** @default 'given' */
  readonly format?: string
  /** The document that held them. @default the fields as JSON */
  readonly document?: Uint8Array
}

/** Options of {@link completeBundle}. */
export interface CompleteOptions {
  readonly source?: GivenSource
  /** What was added, and what of the document the fields do not hold. */
  readonly notes?: readonly Note[]
  /** Time of the id, if the fields give none. @default now */
  readonly now?: Date
  /** For the random part of the id. @default Math.random */
  readonly random?: () => number
  /** Find secrets in the texts, which are replaced by marks. @default secretRedactor() */
  readonly redactors?: readonly Redactor[]
  /** @default tiktokenCounter('o200k_base') */
  readonly counter?: TokenCounter
}

/**
 * Makes a whole, valid bundle of what somebody gives by hand: adds id, time and everything that a bundle must have.
 * There is no log behind it, so it has no source tokens. Throws {@link InvalidBundleError}.
 */
export function completeBundle(fields: BundleFields, options: CompleteOptions = {}): ContextBundle {
  const given = parseBundleFields(fields)
  const { source = {}, notes = [], now = new Date(), random, redactors = [secretRedactor()] } = options
  const redaction = createRedaction(redactors)
  redaction.learnValue([given, notes])
  const said = redaction.redactValue(given)
  const document = source.document ?? new TextEncoder().encode(JSON.stringify(said))
  const time = given.createdAt === undefined ? now : new Date(given.createdAt)
  const kind = given.kind ?? kindOfSections(given)
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
    ...sayings(said),
    ...ofKind(said, kind),
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

/** The sections that every bundle has. */
function sayings(said: BundleFields) {
  const { validation } = said
  return {
    summary: textOf(said.summary),
    workflow: {
      ...known({ phase: lineOf(said.phase), currentTask: lineOf(said.currentTask) }),
      tasksCompleted: items(said.tasksCompleted),
      tasksRemaining: items(said.tasksRemaining),
      blockers: items(said.blockers),
    },
    findings: items(said.findings),
    decisions: (said.decisions ?? []).flatMap((decision) => decisionOf(decision)),
    constraints: items(said.constraints),
    openQuestions: items(said.openQuestions),
    nextSteps: (said.nextSteps ?? []).flatMap((step) => nextStepOf(step)),
    resumeInstructions: textOf(said.resumeInstructions),
    files: (said.files ?? []).flatMap((file) => fileOf(file)),
    ...(validation !== undefined && {
      validation: { ...validation, ...known({ command: lineOf(validation.command) }), evidence: [] },
    }),
    git: {
      ...known({ branch: lineOf(said.git?.branch), head: lineOf(said.git?.head), dirty: said.git?.dirty }),
      commits: [],
    },
  }
}

/** The kind of fields that do not name it. */
function kindOfSections(given: BundleFields): ContextBundle['kind'] {
  return (['plan', 'progress', 'research'] as const).find((kind) => given[kind] !== undefined) ?? 'context'
}

/** The sections of the kind. Those of another kind are an error of who gives them. */
function ofKind(said: BundleFields, kind: ContextBundle['kind']) {
  const others = (['plan', 'progress', 'research'] as const).filter(
    (name) => name !== kind && said[name] !== undefined,
  )
  if (others.length > 0)
    throw new InvalidBundleError(
      `not the fields of a bundle: expected ${others[0]} only with kind ${others[0]}`,
      [],
    )
  const { plan = {}, progress = {}, research = {} } = said
  if (kind === 'plan')
    return {
      plan: {
        approach: textOf(plan.approach),
        steps: (plan.steps ?? []).flatMap((step) => {
          const { text, done = false } = typeof step === 'string' ? { text: step } : step
          return items([text]).map((item) => (done ? { ...item, done: true } : item))
        }),
        risks: items(plan.risks),
      },
    }
  if (kind === 'progress') {
    const lists = {
      completed: items(progress.completed),
      inProgress: items(progress.inProgress),
      remaining: items(progress.remaining),
    }
    const total = lists.completed.length + lists.inProgress.length + lists.remaining.length
    const counted = total === 0 ? undefined : { done: lists.completed.length, total }
    return {
      progress: {
        currentState: textOf(progress.currentState),
        ...lists,
        ...known({ steps: progress.steps ?? counted }),
      },
    }
  }
  return kind === 'research' ? { research: { decision: textOf(research.decision) } } : {}
}

type Given<K extends 'decisions' | 'nextSteps' | 'files'> = NonNullable<BundleFields[K]>[number]

function decisionOf(given: Given<'decisions'>) {
  const {
    choice,
    topic,
    rationale,
    alternatives = [],
    by = 'agent',
    at,
  } = typeof given === 'string' ? { choice: given } : given
  const line = lineOf(choice)
  if (line === undefined) return []
  const time = at === undefined ? undefined : new Date(at).toISOString()
  return [
    {
      choice: line,
      by,
      evidence: [],
      ...known({ topic: lineOf(topic), rationale: lineOf(rationale), at: time }),
      alternatives: alternatives.flatMap((text) => lineOf(text) ?? []),
    },
  ]
}

function nextStepOf(given: Given<'nextSteps'>) {
  const { action, command } = typeof given === 'string' ? { action: given } : given
  const line = lineOf(action)
  return line === undefined ? [] : [{ action: line, ...known({ command: lineOf(command) }), evidence: [] }]
}

function fileOf(given: Given<'files'>) {
  const { path, status = 'read', reason, sections = [] } = typeof given === 'string' ? { path: given } : given
  const line = lineOf(path)
  const parts = sections.flatMap((section) => lineOf(section) ?? [])
  if (line === undefined) return []
  const more = known({ reason: lineOf(reason), sections: parts.length > 0 ? parts : undefined })
  return [{ path: line, status, ...more, evidence: [] }]
}

function items(given: BundleFields['findings'] = []): SummaryItem[] {
  return given.flatMap((item) => {
    const text = lineOf(typeof item === 'string' ? item : item.text)
    return text === undefined ? [] : [{ text, evidence: [] }]
  })
}

function lineOf(text: string | undefined): string | undefined {
  return cleanLine(text ?? '') || undefined
}

function textOf(text = ''): string {
  return cleanText(text).trim()
}

/** Whether it says nothing that helps whoever resumes. */
function isEmpty(bundle: ContextBundle): boolean {
  const {
    summary,
    resumeInstructions,
    workflow,
    nextSteps,
    findings,
    decisions,
    files,
    plan,
    progress,
    research,
  } = bundle
  const texts = [summary, resumeInstructions, plan?.approach, progress?.currentState, research?.decision]
  const lists = [nextSteps, findings, decisions, files, plan?.steps, progress?.completed, progress?.remaining]
  return (
    texts.every((text) => !text) &&
    lists.every((list) => !list?.length) &&
    workflow.currentTask === undefined &&
    workflow.tasksRemaining.length === 0
  )
}

/** Sets the bundle's own size. The number counts itself, so it is raised until it is true. */
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
