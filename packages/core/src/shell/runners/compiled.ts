import type { ClosingLines } from './closing-lines.ts'

export const compiledRunners: readonly ClosingLines[] = [
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
]
