import type { ContextBundle } from '@tenfold/core'
import type { Gold } from './load-gold.ts'
import { overlap } from './words.ts'

/** Whether the first next step is the right one. A doubtful one needs review. */
export interface Verdict {
  readonly is: 'right' | 'wrong' | 'doubtful'
  readonly said: string
  readonly expected: string
}

/** Share of the label's rare words that makes a step the same. */
const sameFrom = 0.35

/**
 * Rates the first next step by its words. For a finished session it is right if it says that nothing is open, or only
 * that the last request was answered; a command that the label does not name is wrong; otherwise the closest of the right
 * and, unless it only waits, the wrong steps decides, if any is close.
 */
export function resumeVerdict(bundle: ContextBundle, gold: Gold): Verdict {
  const [step] = bundle.nextSteps
  const { resume } = gold
  const state: unknown = Reflect.get(bundle, 'state')
  // Without a step, a brief begins with how to resume.
  const said =
    step === undefined
      ? `(none) ${bundle.resumeInstructions ?? ''}`
      : `${step.action}${step.command ? ` | ${step.command}` : ''}`
  const verdict = (is: Verdict['is']): Verdict => ({ is, said, expected: resume.action })
  const command = step?.command
  const known = [resume.action, resume.command, ...resume.alsoRight].join('\n')
  if (command !== undefined && !known.includes(command.slice(0, 40))) return verdict('wrong')
  const nothingOpen = step === undefined || saysNothingOpen.test(step.action)
  if (gold.state === 'finished' && (state === 'finished' || state === undefined) && nothingOpen)
    return verdict('right')
  const closest = (texts: readonly string[]) => Math.max(0, ...texts.map((text) => overlap(text, said)))
  const right = closest([`${resume.action} ${resume.command}`, ...resume.alsoRight])
  // Who waits for the user does nothing of what would be wrong.
  const isWaiting = gold.state.startsWith('waiting') && state === 'waiting' && waits.test(said)
  const wrong = isWaiting ? 0 : closest(resume.wrong)
  if (Math.max(right, wrong) < sameFrom || right === wrong) return verdict('doubtful')
  return verdict(right > wrong ? 'right' : 'wrong')
}

const waits = /\bwaits for\b/i
const saysNothingOpen = /^answered\b|\bnothing (?:else )?(?:is |was )?(?:left )?(?:open|left|remains)\b/i
