import type { FitOptions } from '../brief/block.ts'
import { fitBlocks } from '../brief/fit-blocks.ts'
import { pausing } from '../session/pauses.ts'

// A separate module, imported only for briefs that may be too long, so that the bundler splits it from the code for
// every brief.

export async function fitBrief(options: FitOptions, signal: AbortSignal | undefined): Promise<string> {
  return await pausing(fitBlocks(options), signal)
}
