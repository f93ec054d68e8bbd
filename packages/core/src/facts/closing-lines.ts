/**
 * What test runners, compilers and package managers print to say how they ended. Each pattern is held against one
 * trimmed line without terminal escapes, from its beginning.
 */
export interface ClosingLines {
  readonly runner: string
  /** Lines of a summary that say it passed. */
  readonly passed?: readonly RegExp[]
  /** Lines of a summary that say it failed. */
  readonly failed?: readonly RegExp[]
  /** Lines that report one error: a failure unless a summary says that it passed. */
  readonly error?: readonly RegExp[]
}

// "Task 2 failed" names one of several: a program under test may print it.
const numbered =
  'attempt batch build case chunk code example item iteration job line node page part phase process request retry round row run scenario shard stage step task test thread try worker'
    .split(' ')
    .map((noun) => `[${noun.charAt(0).toUpperCase()}${noun.charAt(0)}]${noun.slice(1)}`)
    .join('|')
const countedFailures = new RegExp(
  String.raw`(?:.{0,100}[^\d\w.-])?(?<!\b(?:${numbered})[ #]{1,2})[1-9]\d* (?:tests? |checks? )?(?:failed|failing|failures?)\b`,
)

export const closingLines: readonly ClosingLines[] = [
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
  // Go
  {
    runner: 'go',
    passed: [/ok\s{1,8}\S+\s+(?:[\d.]+s|\(cached\))/, /PASS$/],
    failed: [/FAIL(?:$|\s+\S+)/, /--- FAIL: /, /panic: (?:runtime error|test timed out)/],
    error: [/.{1,200}\.go:\d+:\d+: /],
  },
  { runner: 'golangci-lint', passed: [/0 issues\.$/], failed: [/[1-9]\d* issues?:$/] },
  {
    runner: 'gotestsum',
    passed: [/DONE \d+ tests in /],
    failed: [/DONE \d+ tests.{0,40}, [1-9]\d* (?:failures?|errors?)/],
  },
  { runner: 'ginkgo', passed: [/SUCCESS! -- \d+ Passed/], failed: [/FAIL! -- \d+ Passed/] },
  // Rust
  {
    runner: 'cargo',
    passed: [
      /test result: ok\./,
      /Finished `?[\w-]+`? (?:profile|\[)/,
      /Summary \[.{1,20}\] \d+ tests? run: \d+ passed(?!.{0,60}[1-9]\d* failed)/,
    ],
    failed: [
      /test result: FAILED\./,
      /error: could not compile /,
      /error: test failed, /,
      /error: aborting due to /,
      /error: no such command: /,
      /Summary \[.{1,20}\] \d+ tests? run: .{0,60}[1-9]\d* failed/,
    ],
    error: [/error\[E\d{4}\]: /, /thread '.{1,100}' (?:\(\d+\) )?panicked at /],
  },
  // C, C++ and their builds
  {
    runner: 'gcc and clang',
    failed: [
      /[1-9]\d* errors? generated\.$/,
      /collect2: error: ld returned [1-9]/,
      /compilation terminated\.$/,
    ],
    error: [/.{1,300}?:\d+(?::\d+)?: (?:fatal )?error: /, /.{0,200}?undefined reference to /],
  },
  {
    runner: 'cmake',
    passed: [/-- Build files have been written to: /, /\[100%\] Built target /],
    failed: [/CMake Error\b/, /-- Configuring incomplete, errors occurred!/],
  },
  {
    runner: 'make',
    passed: [/g?make(?:\[\d+\])?: (?:Nothing to be done for|['`].{1,200}' is up to date)/],
    failed: [/g?make(?:\[\d+\])?: \*\*\* /, /error: Recipe `.{1,100}` failed/],
  },
  {
    runner: 'ninja',
    passed: [/ninja: no work to do\./],
    failed: [/ninja: (?:build stopped|error): ?/, /FAILED: \S/],
  },
  {
    runner: 'ctest',
    passed: [/100% tests passed/],
    failed: [/\d{1,2}% tests passed, [1-9]/, /The following tests FAILED:/],
  },
  {
    runner: 'gtest',
    passed: [/\[ {2}PASSED {2}\] \d+ tests?/],
    failed: [/\[ {2}FAILED {2}\] [1-9]\d* tests?/],
  },
  { runner: 'meson', passed: [/Fail:\s+0$/], failed: [/Fail:\s+[1-9]\d*$/] },
  {
    runner: 'bazel',
    passed: [/INFO: Build completed successfully/],
    failed: [/(?:ERROR|FAILED): Build did NOT complete successfully/],
  },
  {
    runner: 'zig',
    passed: [/All \d+ tests passed\./],
    failed: [/\d+ passed; (?:\d+ skipped; )?[1-9]\d* failed\./],
  },
  // JVM
  {
    runner: 'maven',
    passed: [/(?:\[INFO\] )?BUILD SUCCESS$/],
    failed: [/(?:\[(?:INFO|ERROR)\] )?BUILD FAILURE$/, /\[ERROR\] Failed to execute goal /],
  },
  {
    runner: 'gradle',
    passed: [/BUILD SUCCESSFUL in /],
    failed: [/BUILD FAILED(?: in |$)/, /FAILURE: Build (?:failed|completed with)/],
  },
  {
    runner: 'sbt',
    passed: [/\[success\] Total time: /],
    failed: [/\[error\] (?:Total time: |\(.{1,100}\) )/],
  },
  {
    runner: 'javac',
    failed: [/[1-9]\d* errors?$/],
    error: [/.{1,300}\.(?:java|kt):\d+:(?:\d+:)? error: /, /e: file:\/\//],
  },
  {
    runner: 'lein',
    passed: [/0 failures, 0 errors\.$/],
    failed: [/[1-9]\d* failures?, \d+ errors?\.$/, /\d+ failures, [1-9]\d* errors?\.$/],
  },
  // .NET
  {
    runner: 'dotnet',
    passed: [
      /Build succeeded\.?$/,
      /Build succeeded (?:in|with) /,
      /Passed!\s+- Failed:\s+0,/,
      /Test Run Successful\./,
      /Test summary: total: \d+, failed: 0,/,
    ],
    failed: [
      /Build FAILED\.?/,
      /Build failed with [1-9]\d* error/,
      /Failed!\s+- Failed:\s+[1-9]/,
      /Test Run Failed\./,
      /Test summary: total: \d+, failed: [1-9]/,
    ],
    error: [/.{0,300}?: error (?:CS|MSB|NU|FS|BC)\d+:/],
  },
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
  // Swift and Dart
  {
    runner: 'swift',
    passed: [
      /Build complete!/,
      /Executed \d+ tests?, with 0 failures/,
      /✔ Test run with \d+ tests? .{0,60}passed/,
    ],
    failed: [
      /Executed \d+ tests?, with [1-9]\d* failures?/,
      /error: (?:fatalError|emit-module command failed)/,
      /✘ Test run with /,
    ],
  },
  {
    runner: 'xcodebuild',
    passed: [/\*\* (?:BUILD|TEST|ARCHIVE) SUCCEEDED \*\*/],
    failed: [/\*\* (?:BUILD|TEST|ARCHIVE) FAILED \*\*/],
  },
  {
    runner: 'dart and flutter',
    passed: [/(?:[\d:]+ \+\d+: )?All tests passed!/, /No issues found!/, /✓ Built /],
    failed: [/(?:[\d:]+ \+\d+ -\d+: )?Some tests failed\./, /[1-9]\d* issues? found\./],
  },
  // Elixir, Haskell, Erlang
  {
    runner: 'mix',
    passed: [/\d+ (?:doctests?, \d+ )?tests?, 0 failures/],
    failed: [/\d+ (?:doctests?, \d+ )?tests?, [1-9]\d* failures?/, /\*\* \(Mix\) /, /== Compilation error /],
  },
  {
    runner: 'cabal and stack',
    passed: [/\d+ of \d+ test suites? \(\d+ of \d+ test cases?\) passed\./],
    failed: [
      /[1-9]\d* of \d+ test suites? .{0,40}failed/,
      /Test suite .{1,100}: FAIL/,
      /Error: \[?Cabal-\d+/,
    ],
  },
  // Any runner: the words that most share
  {
    runner: 'any',
    passed: [
      /(?:.{0,60}\b)?\d+ (?:tests? |checks? )?passed, 0 failed\b/,
      /(?:.{0,60}\b)?0 (?:failed|failures|errors), \d+ passed\b/,
    ],
    failed: [countedFailures, /(?:(?:BUILD|TESTS?|CHECKS?|LINT|VALIDATION) FAILED)\b/],
  },
  // Hooks, containers, infrastructure, shells
  {
    runner: 'pre-commit',
    failed: [
      /.{1,120}\.{3,}Failed$/,
      /husky - .{1,40} (?:script|hook) (?:failed|exited)/,
      /✖ .{0,20}lint-staged failed/,
    ],
  },
  {
    runner: 'git',
    failed: [
      /fatal: /,
      /error: failed to push some refs/,
      / ! \[(?:rejected|remote rejected)\]/,
      /! \[(?:rejected|remote rejected)\]/,
    ],
    passed: [
      /\[[^\]]{1,200} [\da-f]{7,40}\] /,
      /[\da-f]{7,40}\.\.[\da-f]{7,40}\s+\S+ -> \S+/,
      /\* \[new (?:branch|tag)\]\s+\S+ -> \S+/,
      /Everything up-to-date$/,
    ],
  },
  {
    runner: 'docker',
    passed: [/Successfully (?:built|tagged) \S+/, /#\d+ naming to \S+.{0,40} done/],
    failed: [
      /ERROR: failed to (?:solve|build)/,
      /Error response from daemon: /,
      /The command '.{1,300}' returned a non-zero code: [1-9]/,
    ],
  },
  {
    runner: 'terraform',
    passed: [/Success! The configuration is valid/, /Apply complete! /],
    failed: [/│? ?Error: /],
  },
  { runner: 'just', failed: [/error: Recipe `.{1,100}` failed/] },
  { runner: 'apt', failed: [/E: (?:Unable to|Could not|Failed to|Package )/] },
  { runner: 'mise', failed: [/\[.{1,100}\] ERROR task failed/, /mise ERROR /] },
  {
    runner: 'node',
    failed: [/Node\.js v\d+\.\d+\.\d+$/],
    error: [/Uncaught \w*Error\b/, /\w*Error \[ERR_\w+\]: /],
  },
  {
    runner: 'shell',
    failed: [
      /(?:Exit code|exit code|Exit status|exit status|Command exited with code|Process exited with code)[:=]? ?[1-9]\d{0,9}$/,
    ],
    passed: [
      /(?:Exit code|exit code|Exit status|exit status|Command exited with code|Process exited with code)[:=]? ?0$/,
    ],
    error: [
      /(?:[\w./-]{1,60}: )?(?:line \d+: |\d+: )?.{1,200}: (?:command )?not found$/,
      /zsh: command not found: /,
      /.{1,100}: The term '.{1,200}' is not recognized /,
      /'.{1,200}' is not recognized as an internal or external command/,
      /(?:\/(?:usr\/)?bin\/)?(?:ba|z|da)?sh: .{1,200}: (?:No such file or directory|Permission denied|cannot execute)/,
      /(?:python\d?|node|ruby|perl|php|bash|sh|cd|cat|ls|cp|mv|rm|grep|head|tail|sed|find|make): .{1,300}: No such file or directory$/,
      /Segmentation fault\b|Aborted \(core dumped\)|Killed$/,
    ],
  },
]
