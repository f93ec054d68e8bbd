import type { ClosingLines } from './closing-lines.ts'

// "Task 2 failed" names one of several: a program under test may print it.
const numbered =
  'attempt batch build case chunk code example item iteration job line node page part phase process request retry round row run scenario shard stage step task test thread try worker'
    .split(' ')
    .map((noun) => `[${noun.charAt(0).toUpperCase()}${noun.charAt(0)}]${noun.slice(1)}`)
    .join('|')
const countedFailures = new RegExp(
  String.raw`(?:.{0,100}[^\d\w.-])?(?<!\b(?:${numbered})[ #]{1,2})[1-9]\d* (?:tests? |checks? )?(?:failed|failing|failures?)\b`,
)

export const toolRunners: readonly ClosingLines[] = [
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
