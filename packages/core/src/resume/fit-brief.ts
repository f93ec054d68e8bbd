import { type FitOptions, fitBlocks } from '../brief/fit-blocks.ts'
import { pausing } from '../session/pauses.ts'

// A module of its own, loaded only for a brief that may be too long: the bundler then splits it from what every brief needs.

export async function fitBrief(options: FitOptions, signal: AbortSignal | undefined): Promise<string> {
  return await pausing(fitBlocks(options), signal)
}
