import { describe, expect, it } from 'vitest'
import { closingLines } from '../../src/shell/closing-lines.ts'
import { statedOutcome } from '../../src/shell/stated-outcome.ts'
import { expectCpuBelow } from '../support/cpu-time.ts'

/** One output of each runner that passed, and one that failed. */
const outputs: readonly (readonly [runner: string, passed: string, failed: string])[] = [
  ['jest', 'Tests:       14 passed, 14 total\nTime: 2 s', 'Tests:       1 failed, 13 passed, 14 total'],
  ['vitest', ' Test Files  2 passed (2)\n      Tests  9 passed (9)', '      Tests  1 failed | 8 passed (9)'],
  ['mocha', '  12 passing (30ms)', '  11 passing (30ms)\n  1 failing'],
  ['node:test', 'ℹ pass 4\nℹ fail 0', '# pass 3\n# fail 1'],
  ['tap', '1..2\n# ok', 'not ok 2 - sum\n# failed 1 of 2 tests'],
  ['ava', '  ✔ 3 tests passed', '  ✘ 1 test failed'],
  ['playwright', '  5 passed (4.1s)', '  1 failed\n    a.spec.ts\n  4 passed (4.1s)'],
  ['cypress', '  ✔  All specs passed!', '  ✖  1 of 3 failed (33%)'],
  ['bun', ' 3 pass\n 0 fail\nRan 3 tests', ' 2 pass\n 1 fail'],
  ['deno', 'ok | 3 passed | 0 failed (12ms)', 'FAILED | 2 passed | 1 failed (12ms)'],
  ['karma', 'TOTAL: 8 SUCCESS', 'Executed 8 of 8 (1 FAILED) (0.1 secs)'],
  ['tsc', '[10:00:00 AM] Found 0 errors. Watching', "src/a.ts(3,5): error TS2304: Cannot find name 'x'."],
  ['svelte-check', 'svelte-check found 0 errors and 1 warning', 'svelte-check found 2 errors'],
  ['eslint', '✖ 3 problems (0 errors, 3 warnings)', '✖ 2 problems (1 error, 1 warning)'],
  [
    'biome',
    'Checked 20 files in 9ms. No fixes applied.',
    'Checked 20 files in 9ms. No fixes applied.\nFound 1 error.',
  ],
  ['prettier', 'All matched files use Prettier code style!', '[warn] Code style issues found in 2 files.'],
  ['oxlint', 'Found 2 warnings and 0 errors.', 'Found 0 warnings and 1 error.'],
  ['vite', '✓ built in 1.2s', 'error during build:\nCould not resolve "./x"'],
  [
    'webpack',
    'webpack 5.90.0 compiled successfully in 90 ms',
    'webpack 5.90.0 compiled with 1 error in 90 ms',
  ],
  ['next', ' ✓ Generating static pages (4/4)', 'Failed to compile.'],
  ['esbuild', '⚡ Done in 3ms', '1 error'],
  ['rollup', 'created dist/a.js in 91ms', '[!] RollupError: no default export'],
  ['tsup', 'ESM ⚡️ Build success in 9ms', 'DTS Build error'],
  ['turbo', ' Tasks:    3 successful, 3 total', ' Tasks:    2 successful, 3 total\nFailed:    web#build'],
  ['nx', ' NX   Successfully ran target test for project a', ' NX   Ran target test for project a failed'],
  ['npm', 'added 12 packages in 2s', 'npm error code ELIFECYCLE'],
  ['pnpm', 'Done in 1.4s using pnpm v9.1.0', ' ERR_PNPM_NO_MATCHING_VERSION  No matching version'],
  ['yarn', '✨  Done in 0.4s.', 'error Command failed with exit code 2.'],
  ['pytest', '===== 3 passed, 1 warning in 0.12s =====', '==== 1 failed, 2 passed in 0.12s ===='],
  ['unittest', 'Ran 3 tests in 0.001s\n\nOK', 'Ran 3 tests in 0.001s\n\nFAILED (failures=1)'],
  ['tox', '  congratulations :) (3 seconds)', '  evaluation failed :( (3 seconds)'],
  ['ruff', 'All checks passed!', 'Found 2 errors.'],
  ['mypy', 'Success: no issues found in 4 source files', 'Found 2 errors in 1 file (checked 4 source files)'],
  ['pyright', '0 errors, 1 warning, 0 informations', '1 error, 0 warnings, 0 informations'],
  ['black', 'All done! ✨ 🍰 ✨', 'Oh no! 💥 💔 💥\n1 file would be reformatted.'],
  ['pip', 'Successfully installed x-1.0', 'ERROR: No matching distribution found for x'],
  ['uv', 'Installed 3 packages in 9ms', '  × No solution found when resolving dependencies'],
  ['go', 'ok  \tex.org/a\t0.012s', '--- FAIL: TestA (0.00s)\nFAIL\tex.org/a\t0.012s'],
  ['golangci-lint', '0 issues.', '2 issues:\n* errcheck: 2'],
  ['gotestsum', 'DONE 14 tests in 1.2s', 'DONE 14 tests, 1 failure in 1.2s'],
  ['ginkgo', 'SUCCESS! -- 4 Passed | 0 Failed', 'FAIL! -- 3 Passed | 1 Failed'],
  [
    'cargo',
    'test result: ok. 3 passed; 0 failed; 0 ignored',
    'error: could not compile `a` (lib) due to 1 previous error',
  ],
  ['gcc and clang', '0 failures, 2 passed', 'a.c:3:5: error: expected expression\n1 error generated.'],
  ['cmake', '-- Build files have been written to: /b', 'CMake Error at CMakeLists.txt:3 (find_package):'],
  ['make', "make: Nothing to be done for 'all'.", 'make: *** [Makefile:3: all] Error 1'],
  ['ninja', 'ninja: no work to do.', 'ninja: build stopped: subcommand failed.'],
  ['ctest', '100% tests passed, 0 tests failed out of 3', '66% tests passed, 1 tests failed out of 3'],
  ['gtest', '[  PASSED  ] 4 tests.', '[  FAILED  ] 1 test, listed below:'],
  ['meson', 'Ok:                 3\nFail:               0', 'Fail:               1'],
  [
    'bazel',
    'INFO: Build completed successfully, 2 total actions',
    'FAILED: Build did NOT complete successfully',
  ],
  ['zig', 'All 3 tests passed.', '2 passed; 1 failed.'],
  ['maven', '[INFO] BUILD SUCCESS', '[INFO] BUILD FAILURE'],
  ['gradle', 'BUILD SUCCESSFUL in 3s', 'FAILURE: Build failed with an exception.'],
  ['sbt', '[success] Total time: 3 s', '[error] (test) sbt.TestsFailedException'],
  ['lein', '0 failures, 0 errors.', '1 failures, 0 errors.'],
  ['javac', '0 failures, 1 passed', "A.java:3: error: ';' expected\n1 error"],
  ['dotnet', 'Build succeeded.\n    0 Warning(s)', 'a.cs(3,5): error CS1002: ; expected\nBuild FAILED.'],
  ['rspec', '3 examples, 0 failures', '3 examples, 1 failure'],
  [
    'minitest',
    '3 runs, 5 assertions, 0 failures, 0 errors, 0 skips',
    '3 runs, 5 assertions, 0 failures, 1 errors',
  ],
  ['rubocop', '3 files inspected, no offenses detected', '3 files inspected, 2 offenses detected'],
  ['bundler', 'Bundle complete! 3 Gemfile dependencies', 'An error occurred while installing x (1.0)'],
  ['phpunit', 'OK (3 tests, 5 assertions)', 'FAILURES!\nTests: 3, Assertions: 5, Failures: 1.'],
  ['pest', '  Tests:    3 passed (4 assertions)', '  Tests:    1 failed, 2 passed (4 assertions)'],
  ['phpstan', ' [OK] No errors', ' [ERROR] Found 2 errors'],
  [
    'swift',
    'Executed 3 tests, with 0 failures (0 unexpected)',
    'Executed 3 tests, with 1 failure (0 unexpected)',
  ],
  ['xcodebuild', '** BUILD SUCCEEDED **', '** TEST FAILED **'],
  ['dart and flutter', '00:01 +3: All tests passed!', '00:01 +2 -1: Some tests failed.'],
  ['mix', '3 tests, 0 failures', '3 tests, 1 failure'],
  ['cabal and stack', '1 of 1 test suites (1 of 1 test cases) passed.', 'Test suite spec: FAIL'],
  ['git', '[main 1a2b3c4] Add a parser', 'fatal: not a git repository'],
  ['docker', 'Successfully built 1a2b3c4d5e6f', 'ERROR: failed to solve: exit code: 1'],
  ['terraform', 'Success! The configuration is valid.', '│ Error: Unsupported argument'],
  ['any', 'checks: 3 passed, 0 failed', 'suite a: 2 failed'],
  ['any', 'Script completed successfully, no errors.', 'LINT FAILED'],
]

/** Runners that only report failures. */
const failures: readonly (readonly [runner: string, failed: string])[] = [
  ['python', 'Traceback (most recent call last):\n  File "a.py", line 1\nValueError: bad'],
  ['rake', 'rake aborted!'],
  ['php', 'PHP Fatal error:  Uncaught TypeError'],
  ['pre-commit', 'trim trailing whitespace.......................Failed'],
  ['just', 'error: Recipe `test` failed on line 3 with exit code 1'],
  ['apt', 'E: Unable to locate package x'],
  ['mise', '[lint] ERROR task failed'],
  ['node', 'Error: boom\n    at a.js:1:1\n\nNode.js v20.1.0'],
  ['shell', 'bash: line 1: foo: command not found'],
]

describe('statedOutcome', () => {
  it.each(outputs)('recognizes how %s reports success and failure', (_, passed, failed) => {
    expect([statedOutcome(passed), statedOutcome(failed)]).toEqual(['ok', 'error'])
  })

  it.each(failures)('recognizes how %s reports failure', (_, failed) => {
    expect(statedOutcome(failed)).toBe('error')
  })

  it('does not treat the number of a failed task as a count of failures', () => {
    const logged = '[pool] Task 2 failed: boom\nerror: Item #3 failed'
    expect(statedOutcome(`${logged}\n 8 pass\n 0 fail\nRan 8 tests across 2 files.`)).toBe('ok')
    expect(statedOutcome(logged)).toBeUndefined()
    expect(statedOutcome(`${logged}\nsummary: 2 failed`)).toBe('error')
  })

  it.each(['[lint:go] ', '@app/web:test: ', 'web-1  | '])(
    'reads lines that a runner begins with %j',
    (task) => {
      expect(statedOutcome(`${task}running 3 checks\n${task}0 issues.`)).toBe('ok')
      expect(statedOutcome(`${task}      Tests  1 failed | 8 passed (9)`)).toBe('error')
    },
  )

  it('has an example of every runner', () => {
    const known = [...outputs, ...failures].map(([runner]) => runner)
    expect(closingLines.map(({ runner }) => runner).filter((runner) => !known.includes(runner))).toEqual([])
  })

  it.each([
    ['zsh: command not found: foo'],
    [
      "go: The term 'go' is not recognized as a name of a cmdlet, function, script file, or executable program.",
    ],
    ['sh: ./run: Permission denied'],
    ['some words\nexit code: 3'],
    ['\u001b[31mFAIL\u001b[39m src/a.test.ts'],
  ])('reads %j as a failure', (text) => {
    expect(statedOutcome(text)).toBe('error')
  })

  it.each([
    [''],
    ['hello'],
    ['Starting the server'],
    ['an error that is only spoken of'],
    ['> app@1.0.0 test'],
  ])('gives no outcome for %j', (text) => {
    expect(statedOutcome(text)).toBeUndefined()
  })

  it('prefers a summary to single errors, and a failure to a success', () => {
    expect(statedOutcome('Traceback (most recent call last):\n  expected\n=== 4 passed in 0.1s ===')).toBe(
      'ok',
    )
    expect(statedOutcome('ok  \tex.org/a\t0.1s\nFAIL\tex.org/b\t0.1s')).toBe('error')
  })

  it('takes little time for long lines and for many lines', async () => {
    const texts = [
      'a'.repeat(5_000_000),
      'x: '.repeat(2_000_000),
      '\n'.repeat(1_000_000),
      '1 '.repeat(1_000_000),
    ]
    await expectCpuBelow(3000, () => {
      for (const text of texts) expect(statedOutcome(text)).toBeUndefined()
    })
  })
})
