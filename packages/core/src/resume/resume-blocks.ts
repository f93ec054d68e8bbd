import { bundleOrigin, lookUp } from '../brief/brief.ts'
import { type BundleBlock, bundleBlocks, stateWords } from '../brief/bundle-blocks.ts'
import { type Block, block } from '../brief/fit-blocks.ts'
import type { ContextBundle } from '../bundle/schema.ts'
import { itemLine } from '../bundle/sections.ts'
import type { Checkpoint } from '../checkpoint/schema.ts'
import { findingLines } from '../git/finding-lines.ts'
import { gitLine } from '../git/git-line.ts'
import type { LiveCheck } from '../git/live-check.ts'
import { shownNames, shownPath } from '../git/shown-path.ts'
import { cleanLine } from '../session/clean-text.ts'
import { cutHead } from '../session/cut-text.ts'
import type { Gathered } from './gather.ts'
import { quote } from './quote.ts'

/**
 * Returns all blocks of a resume brief, in their order: where to continue, what no longer holds, what binds, what
 * happened.
 */
export function resumeBlocks(gathered: Gathered, live: LiveCheck | undefined, folder: string): Block[] {
  const { bundle, checkpoints } = gathered
  const newest = checkpoints.at(-1)
  const [first, ...later] = bundle?.nextSteps ?? []
  const step = first ?? stepOf(bundle)
  const point = newest === undefined ? stepLines(step, bundle) : pointLines(newest)
  const ofBundle =
    bundle === undefined
      ? []
      : newest === undefined
        ? bundleBlocks({ ...bundle, nextSteps: later }, marksOf(live), step.action)
        : bundleBlocks(bundle, marksOf(live))
  // Without a newer checkpoint the bundle itself says where to continue.
  const isGuide = ({ part }: BundleBlock): boolean => newest === undefined && part === 'guide'
  const isPoint = ({ lines }: BundleBlock): boolean => cleanLine(lines.join('\n')) === step.action
  return [
    block('Resume point', 0.5, point, 300),
    ...(live === undefined ? [] : [liveBlock(live, folder)]),
    block('Note of that checkpoint', 0.15, newest === undefined ? [] : [quote(newest.note)]),
    block('Extra of that checkpoint', 0.05, newest === undefined ? [] : extraLines(newest)),
    // The resume point gives the state.
    ...ofBundle.filter((of) => isGuide(of) && of.title !== 'State' && !isPoint(of)).map(afterFirst),
    ...ofBundle.filter(({ part }) => part === 'binding'),
    checkpointsBlock(checkpoints.slice(0, -1)),
    block('Other bundles of this work', 0.1, linkedLines(gathered)),
    ...(bundle === undefined ? [] : [historyBlock(bundle, gathered)]),
    ...ofBundle.filter((of) => of.part !== 'binding' && !isGuide(of)).map(asHistory),
  ]
}

/** The resume point of a bundle without next steps. */
function stepOf(bundle: ContextBundle | undefined): ContextBundle['nextSteps'][number] {
  return { action: bundle === undefined ? nothingRecorded : pointOf(bundle), evidence: [] }
}

function pointOf(bundle: ContextBundle): string {
  const { state, source, resumeInstructions, workflow, trail } = bundle
  if (state === 'finished') return 'Nothing is open: the last request was answered'
  // A bundle that was given by hand has no log: its author wrote the instructions to continue by.
  const isGiven = source.events === 0
  const given = isGiven ? cleanLine(resumeInstructions) || workflow.tasksRemaining[0]?.text : undefined
  if (given) return cutHead(given, maxGivenPoint)
  const asked = trail.some(({ label, agent }) => label === 'user' && agent === 'main')
  return asked ? `${nothingRecorded}: see the last words of the user` : nothingRecorded
}

const nothingRecorded = 'no next step is recorded'
const maxGivenPoint = 400

function afterFirst(of: Block): Block {
  return of.title === 'Next steps' ? { ...of, title: 'Next steps after that' } : of
}

function asHistory(of: BundleBlock): Block {
  return of.part === 'guide' ? { ...of, title: `${of.title} as of then` } : of
}

function stepLines(step: ContextBundle['nextSteps'][number], bundle: ContextBundle | undefined): string[] {
  const origin =
    bundle === undefined ? [] : [`- from ${bundle.kind} bundle ${bundle.id}. ${bundleOrigin(bundle)}`]
  const state = bundle?.state === undefined ? [] : [`- state: ${stateWords[bundle.state]}`]
  return [itemLine('nextSteps', step), ...state, ...origin]
}

function pointLines(checkpoint: Checkpoint): string[] {
  const { step, nextCommand, validation, git, createdAt, track, label } = checkpoint
  const files = checkpoint.files.map(({ path }) => path)
  return [
    `- step: ${step}`,
    nextCommand === undefined ? '' : `- next command then (shown, not run): ${nextCommand}`,
    `- validation: ${validation}`,
    `- saved ${createdAt} on track ${track}${label === undefined ? '' : `, label ${label}`}${git === undefined ? '' : `, ${gitLine(git)}`}`,
    files.length === 0 ? '' : `- files: ${shownNames(files, files.length, 20)}`,
  ]
}

/** Returns the block of what no longer holds, which comes first; findings about files take one line per kind. */
export function liveBlock({ findings, git, holds }: LiveCheck, folder: string): Block {
  const now = git.state === 'repository' ? [`- now: ${gitLine(git)}`] : []
  const place = shownPath(folder)
  if (holds) return block(`Checked in ${place}: what can be checked still holds`, 0.1, now)
  return block(`No longer holds (checked in ${place})`, 0.25, [...findingLines(findings), ...now])
}

function marksOf(live: LiveCheck | undefined): Map<string, string> {
  const marks = new Map<string, string>()
  for (const { code, path } of live?.findings ?? [])
    if (path !== undefined)
      marks.set(path, code === 'file-gone' ? ' (stale: gone now)' : ' (stale: changed since)')
  return marks
}

function checkpointsBlock(checkpoints: readonly Checkpoint[]): Block {
  const lines = checkpoints.map(({ createdAt, step, validation, nextCommand, note }) => {
    const about = [
      validation,
      ...(nextCommand === undefined ? [] : [`next: ${nextCommand}`]),
      ...(note === '' ? [] : [cutHead(note.replace(/\s+/g, ' '), 300)]),
    ]
    return `- ${createdAt} ${step} (${about.join('; ')})`
  })
  return { ...block('Checkpoints before it, oldest first (history)', 0.15, lines), newestLast: true }
}

function linkedLines({ linked, bundle }: Gathered): string[] {
  return linked
    .map((entry) => {
      const isPrevious = entry.id === bundle?.previous
      const previous = isPrevious ? ', continued by this one' : ''
      // What still holds of the previous one is carried over; its next step may be done or cancelled.
      const next = isPrevious ? undefined : entry.nextStep
      const about = entry.title ?? next ?? `session ${entry.sessionId}`
      return `- ${entry.kind} ${entry.id} on track ${entry.track}${previous}: ${about}`
    })
    .reverse()
}

function historyBlock(bundle: ContextBundle, { track, checkpoints }: Gathered): Block {
  const origin = checkpoints.length > 0 ? `${bundleOrigin(bundle)} ` : ''
  const of = bundle.track === track ? '' : ` of track ${bundle.track}`
  return block(`History: ${bundle.kind} bundle ${bundle.id}${of}`, 0.15, [
    `${origin}The following was true at that time; check it before you build on it. ${lookUp(bundle)}`,
  ])
}

function extraLines({ extra }: Checkpoint): string[] {
  return Object.entries(extra).map(([key, value]) => `- ${key}: ${String(value).replace(/\s+/g, ' ')}`)
}
