import { statedOutcome } from '../../shell/stated-outcome.ts'
import type { ToolUse } from '../../tools/tool-uses.ts'

// Lines that hook runners print; `$ tsc --noEmit` is a script that one of them echoes.
const hookLine =
  /^(?:husky - |lefthook|🥊|✔ Preparing lint-staged|\[STARTED\]|→ lint-staged|pre-(?:commit|push)\b.{0,60}(?:hook|failed|passed)|.{1,120}\.{3,}(?:Passed|Failed)$|\$ (?:\S+ )?(?:tsc|eslint|biome|prettier|vitest|jest|bun test|npm (?:run|test)|ruff|mypy|pytest|go |cargo )|Running (?:pre-commit|pre-push) )/m

/**
 * Determines how the checks of a commit or push hook ended, from the output of `git commit` or `git push`; `undefined`
 * if it shows none.
 */
export function hookOutcome({ outcome, result }: ToolUse): 'ok' | 'error' | undefined {
  const text = result?.text ?? ''
  if (!hookLine.test(text.slice(-40_000))) return undefined
  // Git's own last lines do not belong to the hook.
  const printed = text.replace(/^(?:fatal|error|hint|To |\[[^\]\n]{1,200} [\da-f]{7,40}\]).{0,500}$/gm, '')
  if (outcome === 'ok') return 'ok'
  return outcome === 'error' && statedOutcome(printed) === 'error' ? 'error' : undefined
}
