import { known } from '../session/known.ts'
import type { ContextBundle } from './schema.ts'
import { saysNothingOpen, toolMark } from './session-summary.ts'
import { isStep } from './sorts.ts'

/**
 * Returns a bundle with the steps to go on with: if its session left nothing open, those that the newest earlier session
 * left. What only tools said is none.
 */
export function withStepsLeft(bundle: ContextBundle): ContextBundle {
  const { nextSteps, carried = [] } = bundle
  const steps = carried.filter((item) => isStep(item) && !item.text.includes(toolMark))
  const left = steps.filter(({ from }) => from === steps.at(-1)?.from)
  if (left.length === 0 || !nextSteps.every(saysNothingOpen)) return bundle
  return {
    ...bundle,
    nextSteps: left.map(({ text, command }) => ({ action: text, ...known({ command }), evidence: [] })),
    carried: carried.filter((item) => !left.includes(item)),
  }
}
