import type { ClosingLines } from './closing-lines.ts'

export const scriptingRunners: readonly ClosingLines[] = [
  // Python
  {
    runner: 'pytest',
    passed: [
      /(?:=+ )?(?:\d+ (?:skipped|deselected|xfailed|xpassed|warnings?), )*\d+ passed\b(?!.{0,100}\b[1-9]\d* (?:failed|errors?)\b).{0,120} in [\d.:]+s/,
    ],
    failed: [
      /(?:=+ )?(?:\d+ [a-z]+, ){0,8}[1-9]\d* (?:failed|errors?)\b.{0,120} in [\d.:]+s/,
      /(?:=+ )?no tests ran in [\d.]+s/,
      /!+ (?:Interrupted: |stopping after )\d+ (?:errors?|failures?)/,
    ],
  },
  {
    runner: 'unittest',
    passed: [/OK(?: \((?:skipped|expected failures)=\d.{0,80}\))?$/],
    failed: [/FAILED \((?:failures|errors|unexpected successes)=\d/],
  },
  { runner: 'tox', passed: [/congratulations :\)/], failed: [/evaluation failed :\(/] },
  { runner: 'ruff', passed: [/All checks passed!$/], failed: [/Found [1-9]\d* errors?(?: \(|\.|$)/] },
  {
    runner: 'mypy',
    passed: [/Success: no issues found in /],
    failed: [/Found [1-9]\d* errors? in \d+ files?/],
  },
  { runner: 'pyright', passed: [/0 errors, \d+ warnings?/], failed: [/[1-9]\d* errors?, \d+ warnings?/] },
  {
    runner: 'black',
    passed: [/All done! ✨/, /\d+ files? would be left unchanged\.$/],
    failed: [/Oh no! 💥/, /[1-9]\d* files? would be reformatted/],
  },
  {
    runner: 'pip',
    passed: [/Successfully installed /, /Requirement already satisfied: /],
    failed: [
      /ERROR: (?:Could not|No matching|Cannot|Failed|ResolutionImpossible|pip's)/,
      /error: subprocess-exited-with-error/,
    ],
  },
  {
    runner: 'uv',
    passed: [/(?:Installed|Audited|Resolved) \d+ packages? in /],
    failed: [/× (?:No solution found|Failed to )/],
  },
  { runner: 'python', error: [/Traceback \(most recent call last\):/, /SyntaxError: /, /E\s{3,}\w+Error\b/] },
  // Ruby
  {
    runner: 'rspec',
    passed: [/\d+ examples?, 0 failures(?!.{0,60}[1-9]\d* errors? occurred)/],
    failed: [
      /\d+ examples?, [1-9]\d* failures?/,
      /\d+ examples?, 0 failures.{0,60}[1-9]\d* errors? occurred/,
    ],
  },
  {
    runner: 'minitest',
    passed: [/\d+ (?:runs|tests), \d+ assertions, 0 failures, 0 errors/],
    failed: [/\d+ (?:runs|tests), \d+ assertions, (?:[1-9]\d* failures?|\d+ failures?, [1-9]\d* errors?)/],
  },
  {
    runner: 'rubocop',
    passed: [/\d+ files? inspected, no offenses detected/],
    failed: [/\d+ files? inspected, [1-9]\d* offenses? detected(?!, [1-9]\d* offenses? corrected$)/],
  },
  { runner: 'rake', failed: [/rake aborted!/] },
  {
    runner: 'bundler',
    passed: [/Bundle complete! /],
    failed: [/An error occurred while installing /, /Could not find gem /],
  },
  // PHP
  {
    runner: 'phpunit',
    passed: [/OK \(\d+ tests?, \d+ assertions?\)/, /OK, but /],
    failed: [/(?:FAILURES|ERRORS)!$/, /Tests: \d+, Assertions: \d+, (?:Errors|Failures): [1-9]/],
  },
  {
    runner: 'pest',
    passed: [/Tests:\s+(?:\d+ \w+, )*\d+ passed \(\d+ assertions?\)/],
    failed: [/Tests:\s+[1-9]\d* failed/],
  },
  { runner: 'phpstan', passed: [/\[OK\] No errors/], failed: [/\[ERROR\] Found [1-9]\d* errors?/] },
  { runner: 'php', error: [/(?:PHP )?(?:Fatal|Parse) error: /] },
]
