import { type Block, block } from '../brief/block.ts'
import { briefTexts, bundleOrigin, bundleTitle } from '../brief/brief.ts'
import { stepLine } from '../brief/brief-rules.ts'
import { type BundleBlock, bundleBlocks, stateWords } from '../brief/bundle-blocks.ts'
import { trailBlock } from '../brief/trail-choice.ts'
import { pointParts } from '../bundle/point-line.ts'
import type { ContextBundle } from '../bundle/schema.ts'
import type { LiveCheck } from '../git/live-check.ts'
import { cleanLine } from '../session/clean-text.ts'
import { cutHead } from '../session/cut-text.ts'
import { liveBlock, olderBlock, pointBlock, pointLines, wordBlocks } from './checkpoint-blocks.ts'
import type { Gathered } from './gather.ts'

export interface GatheredBundle extends Gathered {
  readonly bundle: ContextBundle
}

/**
 * Returns the parts of a brief about a bundle and the checkpoints after it, in order: where to continue, what no longer
 * holds, what binds, what happened.
 */
export function bundleRecord(
  given: GatheredBundle,
  { live, folder, maxTokens }: { live?: LiveCheck | undefined; folder: string; maxTokens: number },
) {
  const bundle = briefTexts(given.bundle)
  const gathered = { ...given, bundle }
  const [newest] = bundle.track === given.track ? [] : given.checkpoints.slice(-1)
  return {
    title: newest === undefined ? bundleTitle(bundle) : `track ${newest.track}: ${newest.step}`,
    origin: bundleOrigin(bundle, maxTokens),
    blocks: resumeBlocks(gathered, live, folder),
    chosen: () => trailBlock(bundle),
  }
}

function resumeBlocks(gathered: GatheredBundle, live: LiveCheck | undefined, folder: string): Block[] {
  const { bundle, checkpoints } = gathered
  const newest = checkpoints.at(-1)
  const [step = { action: pointOf(bundle), evidence: [] }, ...later] = bundle.nextSteps
  const ofBundle =
    newest === undefined
      ? bundleBlocks({ ...bundle, nextSteps: later }, marksOf(live))
      : bundleBlocks(bundle, marksOf(live))
  // Without a newer checkpoint, the bundle is where to continue.
  const isCurrent = ({ part }: BundleBlock): boolean =>
    part === 'binding' || (newest === undefined && part === 'guide')
  const isPoint = ({ lines }: BundleBlock): boolean => cleanLine(lines.join('\n')) === step.action
  return [
    pointBlock(newest === undefined ? stepLines(step, bundle) : pointLines(newest)),
    ...(live === undefined ? [] : [liveBlock(live, folder)]),
    ...(newest === undefined ? [] : wordBlocks(newest)),
    // The resume point already includes the state.
    ...ofBundle
      .filter((of) => isCurrent(of) && of.title !== 'State' && !isPoint(of))
      .map((of) => (of.title === 'Next steps' ? { ...of, title: 'Next steps after that' } : of)),
    olderBlock(checkpoints),
    historyBlock(gathered),
    ...ofBundle
      .filter((of) => !isCurrent(of))
      .map((of) => (of.part === 'guide' ? { ...of, title: `${of.title} at that time` } : of)),
    block('Other bundles of this work', 0.03, linkedLines(gathered), 0),
  ]
}

function pointOf(bundle: ContextBundle): string {
  const { state, source, resumeInstructions, workflow, trail } = bundle
  // A bundle given by hand has no log; its author wrote the resume instructions.
  const isGiven = source.events === 0
  const given = isGiven ? cleanLine(resumeInstructions) || workflow.tasksRemaining[0]?.text : undefined
  if (given) return cutHead(given, maxGivenPoint)
  if (state === 'finished') return ''
  const asked = trail.some(({ label, agent }) => label === 'user' && agent === 'main')
  return asked ? `${nothingRecorded}: see the last words of the user` : nothingRecorded
}

const nothingRecorded = 'no next step is recorded'
const maxGivenPoint = 400

function stepLines(step: ContextBundle['nextSteps'][number], bundle: ContextBundle): string[] {
  const parts = step.action === '' ? [] : pointParts(step.action)
  const lines = parts.map((action, at) =>
    at === parts.length - 1 ? stepLine({ ...step, action }) : `- ${action}`,
  )
  // Between two calls it was cut off as within one.
  const isCut = bundle.state === 'in-progress' && parts.at(-1)?.startsWith('Last: ')
  const state = isCut ? 'interrupted' : bundle.state
  return state === undefined ? lines : [...lines, `- state: ${stateWords[state]}`]
}

function marksOf(live: LiveCheck | undefined): Map<string, string> {
  const marks = new Map<string, string>()
  for (const { code, path } of live?.findings ?? [])
    if (path !== undefined)
      marks.set(path, code === 'file-gone' ? ' (stale: gone now)' : ' (stale: changed since)')
  return marks
}

function linkedLines({ linked, bundle }: GatheredBundle): string[] {
  return linked
    .map((entry) => {
      const isPrevious = entry.id === bundle.previous
      const previous = isPrevious ? ', continued by this one' : ''
      // Valid items of the previous bundle are carried over; its next step may be done or cancelled.
      const next = isPrevious ? undefined : entry.nextStep
      const about = entry.title ?? next ?? `session ${entry.sessionId}`
      return `- ${entry.kind} ${entry.id} on track ${entry.track}${previous}: ${about}`
    })
    .reverse()
}

/** Marks the bundle as history after a newer checkpoint, or if it is of another track, whose step may still be open. */
function historyBlock({ bundle, track, checkpoints }: GatheredBundle): Block {
  const isOther = bundle.track !== track
  const line = 'What follows was true when the session ended: check it before you build on it.'
  const title = `History: ${bundle.kind} bundle${isOther ? ` of track ${bundle.track}` : ''}`
  const [step] = bundle.nextSteps
  const lines = isOther && step !== undefined ? [stepLine(step), line] : [line]
  return block(title, 0.15, isOther || checkpoints.length > 0 ? lines : [])
}
