import type { ClosingLines } from './closing-lines.ts'

export const managedRunners: readonly ClosingLines[] = [
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
]
