import type { ClosingLines } from './closing-lines.ts'

export const javascriptRunners: readonly ClosingLines[] = [
  // JavaScript and TypeScript: tests
  {
    runner: 'jest',
    passed: [/Tests:\s+(?:\d+ (?:skipped|todo), )*\d+ passed, \d+ total/],
    failed: [/Tests:\s+[1-9]\d* failed/, /Test Suites:\s+[1-9]\d* failed/],
  },
  {
    runner: 'vitest',
    passed: [/Tests\s{2,}\d+ passed/],
    failed: [/(?:Test Files|Tests)\s{2,}[1-9]\d* failed/, /No test files found, exiting with code 1/],
  },
  { runner: 'mocha', passed: [/\d+ passing\b/], failed: [/[1-9]\d* failing\b/] },
  {
    runner: 'node:test',
    passed: [/(?:# |ℹ )fail 0$/],
    failed: [/(?:# |ℹ )(?:fail|cancelled) [1-9]\d*$/, /✖ failing tests:/],
  },
  {
    runner: 'tap',
    passed: [/# ok$/, /All \d+ tests? passed/],
    failed: [/# failed [1-9]/, /# not ok$/, /Bail out!/],
  },
  {
    runner: 'ava',
    passed: [/✔ \d+ tests? passed/, /\d+ tests? passed$/],
    failed: [/✘ [1-9]\d* tests? failed/, /[1-9]\d* (?:tests? failed|uncaught exceptions?)$/],
  },
  {
    runner: 'playwright',
    passed: [/\d+ passed \([\d.]+m?s\)/],
    failed: [/[1-9]\d* failed$/, /[1-9]\d* flaky.{0,40}[1-9]\d* failed/],
  },
  {
    runner: 'cypress',
    passed: [/✔\s{1,4}All specs passed!/],
    failed: [/✖\s{1,4}\d+ of \d+ failed/],
  },
  {
    runner: 'bun',
    passed: [/0 fail$/],
    failed: [/[1-9]\d* fail$/, /error: script ".{1,100}" exited with code [1-9]/],
  },
  {
    runner: 'deno',
    passed: [/ok \| \d+ passed/],
    failed: [/FAILED \| \d+ passed/, /error: (?:Test failed|Type checking failed)/],
  },
  {
    runner: 'karma',
    passed: [/TOTAL: \d+ SUCCESS/, /Executed \d+ of \d+ SUCCESS/],
    failed: [/Executed \d+ of \d+ \([1-9]\d* FAILED\)/],
  },
  // JavaScript and TypeScript: types, style, builds, packages
  {
    runner: 'tsc',
    passed: [/(?:\[?[\d:]{7,8}(?: [AP]M)?\]? (?:- )?)?Found 0 errors\b/],
    failed: [/(?:\[?[\d:]{7,8}(?: [AP]M)?\]? (?:- )?)?Found [1-9]\d* errors?\b/],
    error: [/.{0,300}?\berror TS\d+:/],
  },
  {
    runner: 'svelte-check',
    passed: [/svelte-check found 0 errors/],
    failed: [/svelte-check found [1-9]\d* errors?/],
  },
  {
    runner: 'eslint',
    passed: [/✖ \d+ problems? \(0 errors,/],
    failed: [
      /✖ \d+ problems? \([1-9]\d* errors?,/,
      /Oops! Something went wrong!/,
      /ESLint found too many warnings/,
    ],
  },
  {
    runner: 'biome',
    passed: [/Checked \d+ files? in [\d.]+.{0,3}s\. (?:No fixes applied|Fixed \d+ files?)\./],
    failed: [/Found [1-9]\d* errors?\./],
  },
  {
    runner: 'prettier',
    passed: [/All matched files use Prettier code style!/],
    failed: [/(?:\[warn\] )?Code style issues (?:found|were found)\b/],
  },
  {
    runner: 'oxlint',
    passed: [/Found \d+ warnings? and 0 errors\./],
    failed: [/Found \d+ warnings? and [1-9]\d* errors?\./],
  },
  { runner: 'vite', passed: [/✓ built in /], failed: [/error during build:/] },
  {
    runner: 'webpack',
    passed: [/webpack [\d.]+ compiled (?:successfully|with \d+ warnings?)/],
    failed: [/webpack [\d.]+ compiled with [1-9]\d* errors?/],
  },
  {
    runner: 'next',
    passed: [/✓ Generating static pages/],
    failed: [/Failed to compile\.?$/, /> Build (?:error occurred|failed)/],
  },
  {
    runner: 'esbuild',
    passed: [/⚡ Done in /],
    failed: [/[1-9]\d* errors?$/, /Build failed with [1-9]\d* errors?/],
  },
  {
    runner: 'rollup',
    passed: [/created .{1,200} in [\d.]+m?s$/],
    failed: [/\[!\] (?:\(.{1,60}\) )?\w*Error\b/],
  },
  { runner: 'tsup', passed: [/(?:ESM|CJS|DTS) ⚡️ Build success/], failed: [/(?:ESM|CJS|DTS) Build error/] },
  {
    runner: 'turbo',
    passed: [/Tasks:\s+\d+ successful, \d+ total/],
    failed: [/Failed:\s{2,}\S+#\S+/, /ERROR\s+run failed: command\s+exited/],
  },
  {
    runner: 'nx',
    passed: [/NX\s+Successfully ran targets? /],
    failed: [/NX\s+(?:Ran targets? .{1,200} failed|Running targets? .{1,200} failed)/],
  },
  {
    runner: 'npm',
    passed: [/(?:added|removed|changed) \d+ packages?\b/, /up to date(?:,| in)/, /found 0 vulnerabilities$/],
    failed: [/npm (?:ERR!|error)(?:\s|$)/],
  },
  {
    runner: 'pnpm',
    passed: [/Done in [\d.]+m?s(?: using pnpm .{1,40})?$/, /Already up to date$/],
    failed: [/ERR_PNPM_\w+/, /(?:.{0,60}\s)?ELIFECYCLE\b.{0,40}[Cc]ommand failed/],
  },
  {
    runner: 'yarn',
    passed: [/✨\s+Done in [\d.]+s\./, /➤ YN0000: · Done/],
    failed: [/error Command failed with exit code [1-9]/, /➤ YN0000: · Failed with errors/],
  },
]
