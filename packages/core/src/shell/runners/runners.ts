import type { ClosingLines } from './closing-lines.ts'
import { compiledRunners } from './compiled.ts'
import { javascriptRunners } from './javascript.ts'
import { managedRunners } from './managed.ts'
import { scriptingRunners } from './scripting.ts'
import { toolRunners } from './tools.ts'

/** All runners with known closing lines. */
export const runners: readonly ClosingLines[] = [
  ...javascriptRunners,
  ...compiledRunners,
  ...managedRunners,
  ...scriptingRunners,
  ...toolRunners,
]
