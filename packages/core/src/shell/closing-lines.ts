// "Task 2 failed" is about one item of several, and may be printed by a program under test.
const numbered =
  'attempt batch build case chunk code example item iteration job line node page part phase process request retry round row run scenario shard stage step task test thread try worker'
    .split(' ')
    .map((noun) => `[${noun.charAt(0).toUpperCase()}${noun.charAt(0)}]${noun.slice(1)}`)
    .join('|')
const countedFailures = String.raw`(?:.{0,100}[^\d\w.-])?(?<!\b(?:${numbered})[ #]{1,2})[1-9]\d* (?:tests? |checks? )?(?:failed|failing|failures?)\b`

/**
 * Lines that state how test runners, compilers and package managers ended. `+`: a summary of success; `-`: a summary of
 * failure; `!`: a single error, which is a failure unless a summary reports success. A pattern matches from the
 * beginning of a trimmed line without terminal escapes.
 */
const text = String.raw`
# JavaScript and TypeScript: tests
jest + Tests:\s+(?:\d+ (?:skipped|todo), )*\d+ passed, \d+ total
jest - Tests:\s+[1-9]\d* failed
jest - Test Suites:\s+[1-9]\d* failed
vitest + Tests\s{2,}\d+ passed
vitest - (?:Test Files|Tests)\s{2,}[1-9]\d* failed
vitest - No test files found, exiting with code 1
mocha + \d+ passing\b
mocha - [1-9]\d* failing\b
node:test + (?:# |ℹ )fail 0$
node:test - (?:# |ℹ )(?:fail|cancelled) [1-9]\d*$
node:test - ✖ failing tests:
tap + # ok$
tap + All \d+ tests? passed
tap - # failed [1-9]
tap - # not ok$
tap - Bail out!
ava + ✔ \d+ tests? passed
ava + \d+ tests? passed$
ava - ✘ [1-9]\d* tests? failed
ava - [1-9]\d* (?:tests? failed|uncaught exceptions?)$
playwright + \d+ passed \([\d.]+m?s\)
playwright - [1-9]\d* failed$
playwright - [1-9]\d* flaky.{0,40}[1-9]\d* failed
cypress + ✔\s{1,4}All specs passed!
cypress - ✖\s{1,4}\d+ of \d+ failed
bun + 0 fail$
bun - [1-9]\d* fail$
bun - error: script ".{1,100}" exited with code [1-9]
deno + ok \| \d+ passed
deno - FAILED \| \d+ passed
deno - error: (?:Test failed|Type checking failed)
karma + TOTAL: \d+ SUCCESS
karma + Executed \d+ of \d+ SUCCESS
karma - Executed \d+ of \d+ \([1-9]\d* FAILED\)
# JavaScript and TypeScript: types, style, builds, packages
tsc + (?:\[?[\d:]{7,8}(?: [AP]M)?\]? (?:- )?)?Found 0 errors\b
tsc - (?:\[?[\d:]{7,8}(?: [AP]M)?\]? (?:- )?)?Found [1-9]\d* errors?\b
tsc ! .{0,300}?\berror TS\d+:
svelte-check + svelte-check found 0 errors
svelte-check - svelte-check found [1-9]\d* errors?
eslint + ✖ \d+ problems? \(0 errors,
eslint - ✖ \d+ problems? \([1-9]\d* errors?,
eslint - Oops! Something went wrong!
eslint - ESLint found too many warnings
biome + Checked \d+ files? in [\d.]+.{0,3}s\. (?:No fixes applied|Fixed \d+ files?)\.
biome - Found [1-9]\d* errors?\.
prettier + All matched files use Prettier code style!
prettier - (?:\[warn\] )?Code style issues (?:found|were found)\b
oxlint + Found \d+ warnings? and 0 errors\.
oxlint - Found \d+ warnings? and [1-9]\d* errors?\.
vite + ✓ built in[ ]
vite - error during build:
webpack + webpack [\d.]+ compiled (?:successfully|with \d+ warnings?)
webpack - webpack [\d.]+ compiled with [1-9]\d* errors?
next + ✓ Generating static pages
next - Failed to compile\.?$
next - > Build (?:error occurred|failed)
esbuild + ⚡ Done in[ ]
esbuild - [1-9]\d* errors?$
esbuild - Build failed with [1-9]\d* errors?
rollup + created .{1,200} in [\d.]+m?s$
rollup - \[!\] (?:\(.{1,60}\) )?\w*Error\b
tsup + (?:ESM|CJS|DTS) ⚡️ Build success
tsup - (?:ESM|CJS|DTS) Build error
turbo + Tasks:\s+\d+ successful, \d+ total
turbo - Failed:\s{2,}\S+#\S+
turbo - ERROR\s+run failed: command\s+exited
nx + NX\s+Successfully ran targets?[ ]
nx - NX\s+(?:Ran targets? .{1,200} failed|Running targets? .{1,200} failed)
npm + (?:added|removed|changed) \d+ packages?\b
npm + up to date(?:,| in)
npm + found 0 vulnerabilities$
npm - npm (?:ERR!|error)(?:\s|$)
pnpm + Done in [\d.]+m?s(?: using pnpm .{1,40})?$
pnpm + Already up to date$
pnpm - ERR_PNPM_\w+
pnpm - (?:.{0,60}\s)?ELIFECYCLE\b.{0,40}[Cc]ommand failed
yarn + ✨\s+Done in [\d.]+s\.
yarn + ➤ YN0000: · Done
yarn - error Command failed with exit code [1-9]
yarn - ➤ YN0000: · Failed with errors
# Go
go + ok\s{1,8}\S+\s+(?:[\d.]+s|\(cached\))
go + PASS$
go - FAIL(?:$|\s+\S+)
go - --- FAIL:[ ]
go - panic: (?:runtime error|test timed out)
go ! .{1,200}\.go:\d+:\d+:[ ]
golangci-lint + 0 issues\.$
golangci-lint - [1-9]\d* issues?:$
gotestsum + DONE \d+ tests in[ ]
gotestsum - DONE \d+ tests.{0,40}, [1-9]\d* (?:failures?|errors?)
ginkgo + SUCCESS! -- \d+ Passed
ginkgo - FAIL! -- \d+ Passed
# Rust
cargo + test result: ok\.
cargo + Finished \x60?[\w-]+\x60? (?:profile|\[)
cargo + Summary \[.{1,20}\] \d+ tests? run: \d+ passed(?!.{0,60}[1-9]\d* failed)
cargo - test result: FAILED\.
cargo - error: could not compile[ ]
cargo - error: test failed,[ ]
cargo - error: aborting due to[ ]
cargo - error: no such command:[ ]
cargo - Summary \[.{1,20}\] \d+ tests? run: .{0,60}[1-9]\d* failed
cargo ! error\[E\d{4}\]:[ ]
cargo ! thread '.{1,100}' (?:\(\d+\) )?panicked at[ ]
# C, C++ and their builds
gcc and clang - [1-9]\d* errors? generated\.$
gcc and clang - collect2: error: ld returned [1-9]
gcc and clang - compilation terminated\.$
gcc and clang ! .{1,300}?:\d+(?::\d+)?: (?:fatal )?error:[ ]
gcc and clang ! .{0,200}?undefined reference to[ ]
cmake + -- Build files have been written to:[ ]
cmake + \[100%\] Built target[ ]
cmake - CMake Error\b
cmake - -- Configuring incomplete, errors occurred!
make + g?make(?:\[\d+\])?: (?:Nothing to be done for|['\x60].{1,200}' is up to date)
make - g?make(?:\[\d+\])?: \*\*\*[ ]
make - error: Recipe \x60.{1,100}\x60 failed
ninja + ninja: no work to do\.
ninja - ninja: (?:build stopped|error): ?
ninja - FAILED: \S
ctest + 100% tests passed
ctest - \d{1,2}% tests passed, [1-9]
ctest - The following tests FAILED:
gtest + \[ {2}PASSED {2}\] \d+ tests?
gtest - \[ {2}FAILED {2}\] [1-9]\d* tests?
meson + Fail:\s+0$
meson - Fail:\s+[1-9]\d*$
bazel + INFO: Build completed successfully
bazel - (?:ERROR|FAILED): Build did NOT complete successfully
zig + All \d+ tests passed\.
zig - \d+ passed; (?:\d+ skipped; )?[1-9]\d* failed\.
# Swift and Dart
swift + Build complete!
swift + Executed \d+ tests?, with 0 failures
swift + ✔ Test run with \d+ tests? .{0,60}passed
swift - Executed \d+ tests?, with [1-9]\d* failures?
swift - error: (?:fatalError|emit-module command failed)
swift - ✘ Test run with[ ]
xcodebuild + \*\* (?:BUILD|TEST|ARCHIVE) SUCCEEDED \*\*
xcodebuild - \*\* (?:BUILD|TEST|ARCHIVE) FAILED \*\*
dart and flutter + (?:[\d:]+ \+\d+: )?All tests passed!
dart and flutter + No issues found!
dart and flutter + ✓ Built[ ]
dart and flutter - (?:[\d:]+ \+\d+ -\d+: )?Some tests failed\.
dart and flutter - [1-9]\d* issues? found\.
# Elixir, Haskell
mix + \d+ (?:doctests?, \d+ )?tests?, 0 failures
mix - \d+ (?:doctests?, \d+ )?tests?, [1-9]\d* failures?
mix - \*\* \(Mix\)[ ]
mix - == Compilation error[ ]
cabal and stack + \d+ of \d+ test suites? \(\d+ of \d+ test cases?\) passed\.
cabal and stack - [1-9]\d* of \d+ test suites? .{0,40}failed
cabal and stack - Test suite .{1,100}: FAIL
cabal and stack - Error: \[?Cabal-\d+
# JVM
maven + (?:\[INFO\] )?BUILD SUCCESS$
maven - (?:\[(?:INFO|ERROR)\] )?BUILD FAILURE$
maven - \[ERROR\] Failed to execute goal[ ]
gradle + BUILD SUCCESSFUL in[ ]
gradle - BUILD FAILED(?: in |$)
gradle - FAILURE: Build (?:failed|completed with)
sbt + \[success\] Total time:[ ]
sbt - \[error\] (?:Total time: |\(.{1,100}\) )
javac - [1-9]\d* errors?$
javac ! .{1,300}\.(?:java|kt):\d+:(?:\d+:)? error:[ ]
javac ! e: file:\/\/
lein + 0 failures, 0 errors\.$
lein - [1-9]\d* failures?, \d+ errors?\.$
lein - \d+ failures, [1-9]\d* errors?\.$
# .NET
dotnet + Build succeeded\.?$
dotnet + Build succeeded (?:in|with)[ ]
dotnet + Passed!\s+- Failed:\s+0,
dotnet + Test Run Successful\.
dotnet + Test summary: total: \d+, failed: 0,
dotnet - Build FAILED\.?
dotnet - Build failed with [1-9]\d* error
dotnet - Failed!\s+- Failed:\s+[1-9]
dotnet - Test Run Failed\.
dotnet - Test summary: total: \d+, failed: [1-9]
dotnet ! .{0,300}?: error (?:CS|MSB|NU|FS|BC)\d+:
# Python
pytest + (?:=+ )?(?:\d+ (?:skipped|deselected|xfailed|xpassed|warnings?), )*\d+ passed\b(?!.{0,100}\b[1-9]\d* (?:failed|errors?)\b).{0,120} in [\d.:]+s
pytest - (?:=+ )?(?:\d+ [a-z]+, ){0,8}[1-9]\d* (?:failed|errors?)\b.{0,120} in [\d.:]+s
pytest - (?:=+ )?no tests ran in [\d.]+s
pytest - !+ (?:Interrupted: |stopping after )\d+ (?:errors?|failures?)
unittest + OK(?: \((?:skipped|expected failures)=\d.{0,80}\))?$
unittest - FAILED \((?:failures|errors|unexpected successes)=\d
tox + congratulations :\)
tox - evaluation failed :\(
ruff + All checks passed!$
ruff - Found [1-9]\d* errors?(?: \(|\.|$)
mypy + Success: no issues found in[ ]
mypy - Found [1-9]\d* errors? in \d+ files?
pyright + 0 errors, \d+ warnings?
pyright - [1-9]\d* errors?, \d+ warnings?
black + All done! ✨
black + \d+ files? would be left unchanged\.$
black - Oh no! 💥
black - [1-9]\d* files? would be reformatted
pip + Successfully installed[ ]
pip + Requirement already satisfied:[ ]
pip - ERROR: (?:Could not|No matching|Cannot|Failed|ResolutionImpossible|pip's)
pip - error: subprocess-exited-with-error
uv + (?:Installed|Audited|Resolved) \d+ packages? in[ ]
uv - × (?:No solution found|Failed to )
python ! Traceback \(most recent call last\):
python ! SyntaxError:[ ]
python ! E\s{3,}\w+Error\b
# Ruby
rspec + \d+ examples?, 0 failures(?!.{0,60}[1-9]\d* errors? occurred)
rspec - \d+ examples?, [1-9]\d* failures?
rspec - \d+ examples?, 0 failures.{0,60}[1-9]\d* errors? occurred
minitest + \d+ (?:runs|tests), \d+ assertions, 0 failures, 0 errors
minitest - \d+ (?:runs|tests), \d+ assertions, (?:[1-9]\d* failures?|\d+ failures?, [1-9]\d* errors?)
rubocop + \d+ files? inspected, no offenses detected
rubocop - \d+ files? inspected, [1-9]\d* offenses? detected(?!, [1-9]\d* offenses? corrected$)
rake - rake aborted!
bundler + Bundle complete![ ]
bundler - An error occurred while installing[ ]
bundler - Could not find gem[ ]
# PHP
phpunit + OK \(\d+ tests?, \d+ assertions?\)
phpunit + OK, but[ ]
phpunit - (?:FAILURES|ERRORS)!$
phpunit - Tests: \d+, Assertions: \d+, (?:Errors|Failures): [1-9]
pest + Tests:\s+(?:\d+ \w+, )*\d+ passed \(\d+ assertions?\)
pest - Tests:\s+[1-9]\d* failed
phpstan + \[OK\] No errors
phpstan - \[ERROR\] Found [1-9]\d* errors?
php ! (?:PHP )?(?:Fatal|Parse) error:[ ]
# Any runner: the words that most share
any + (?:.{0,60}\b)?\d+ (?:tests? |checks? )?passed, 0 failed\b
any + (?:.{0,60}\b)?0 (?:failed|failures|errors), \d+ passed\b
any + (?:Script completed|Your command ran) successfully
any - ${countedFailures}
any - (?:(?:BUILD|TESTS?|CHECKS?|LINT|VALIDATION) FAILED)\b
# Hooks, containers, infrastructure, shells
pre-commit - .{1,120}\.{3,}Failed$
pre-commit - husky - .{1,40} (?:script|hook) (?:failed|exited)
pre-commit - ✖ .{0,20}lint-staged failed
git + \[[^\]]{1,200} [\da-f]{7,40}\][ ]
git + [\da-f]{7,40}\.\.[\da-f]{7,40}\s+\S+ -> \S+
git + \* \[new (?:branch|tag)\]\s+\S+ -> \S+
git + Everything up-to-date$
git - fatal:[ ]
git - error: failed to push some refs
git - [ ]! \[(?:rejected|remote rejected)\]
git - ! \[(?:rejected|remote rejected)\]
docker + Successfully (?:built|tagged) \S+
docker + #\d+ naming to \S+.{0,40} done
docker - ERROR: failed to (?:solve|build)
docker - Error response from daemon:[ ]
docker - The command '.{1,300}' returned a non-zero code: [1-9]
terraform + Success! The configuration is valid
terraform + Apply complete![ ]
terraform - │? ?Error:[ ]
just - error: Recipe \x60.{1,100}\x60 failed
apt - E: (?:Unable to|Could not|Failed to|Package )
mise - \[.{1,100}\] ERROR task failed
mise - mise ERROR[ ]
node - Node\.js v\d+\.\d+\.\d+$
node ! Uncaught \w*Error\b
node ! \w*Error \[ERR_\w+\]:[ ]
shell + (?:Exit code|exit code|Exit status|exit status|Command exited with code|Process exited with code)[:=]? ?0$
shell - (?:Exit code|exit code|Exit status|exit status|Command exited with code|Process exited with code)[:=]? ?[1-9]\d{0,9}$
shell ! (?:[\w./-]{1,60}: )?(?:line \d+: |\d+: )?.{1,200}: (?:command )?not found$
shell ! zsh: command not found:[ ]
shell ! .{1,100}: The term '.{1,200}' is not recognized[ ]
shell ! '.{1,200}' is not recognized as an internal or external command
shell ! (?:\/(?:usr\/)?bin\/)?(?:ba|z|da)?sh: .{1,200}: (?:No such file or directory|Permission denied|cannot execute)
shell ! (?:python\d?|node|ruby|perl|php|bash|sh|cd|cat|ls|cp|mv|rm|grep|head|tail|sed|find|make): .{1,300}: No such file or directory$
shell ! Segmentation fault\b|Aborted \(core dumped\)|Killed$
`

export const closingLines = text.split('\n').flatMap((line) => {
  const [, runner = '', says = '', pattern] = /^([^#].*?) ([+!-]) (.+)$/.exec(line) ?? []
  return pattern === undefined ? [] : [{ runner, says, pattern }]
})
