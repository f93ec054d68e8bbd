import type { ClosingLines } from './closing-lines.ts'
import { compiledRunners } from './compiled.ts'
import { javascriptRunners } from './javascript.ts'
import { managedRunners } from './managed.ts'
import { scriptingRunners } from './scripting.ts'
import { toolRunners } from './tools.ts'

/** All runners whose closing lines are known. */
export const runners: readonly ClosingLines[] = [
  ...javascriptRunners,
  ...compiledRunners,
  ...managedRunners,
  ...scriptingRunners,
  ...toolRunners,
]
