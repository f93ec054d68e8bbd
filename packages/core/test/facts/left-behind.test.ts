import { describe, expect, it } from 'vitest'
import { extractFacts } from '../../src/facts/extract-facts.ts'
import { isOpenError } from '../../src/facts/facts.ts'
import type { EventDraft } from '../../src/session/event.ts'
import { makeSession, shell, toolCall } from '../support/session.ts'

const ok = { exitCode: 0 }
const failed = { status: 'error', exitCode: 1 } as const
const errorsOf = (...drafts: readonly (EventDraft | readonly EventDraft[])[]) =>
  extractFacts(makeSession(drafts.flat(), { cwd: '/repo', format: 'claude-code' })).errors
const openOf = (...drafts: readonly (EventDraft | readonly EventDraft[])[]) =>
  errorsOf(...drafts)
    .filter(isOpenError)
    .map(({ message }) => message)
const powershell = (id: string, command: string, text: string, result: object = ok) =>
  toolCall(id, 'powershell', { command }, { text, ...result }).map((draft) =>
    draft.type === 'tool_call' ? { ...draft, kind: 'execute' as const } : draft,
  )

describe('a failed check is not open', () => {
  const lint = shell('1', 'make lint', 'src/a.go:1:2: error: unused', failed)
  const types = shell('1', 'npx tsc --noEmit', 'src/a.ts(1,2): error TS2304: no', failed)
  const build = shell('1', 'go build ./...', './a.go:1:2: undefined: b', failed)

  it.each<[string, EventDraft[]]>([
    [
      'if it is the first link of a chain that ended well, in a pipe',
      [...lint, ...shell('2', 'make lint && make test | tail -3', 'ok  \tshop/cart\t0.3s', ok)],
    ],
    [
      'if a script that passed names it',
      [...types, ...shell('2', 'npm run check', '> shop@1.0.0 check\n> tsc --noEmit\n', ok)],
    ],
    [
      'if a task that passed names it',
      [...types, ...shell('2', 'mise run ci', '[types] $ tsc --noEmit\n[docs] $ hugo', ok)],
    ],
    [
      'if a check that is silent when it passes printed only headings',
      [
        ...build,
        ...shell('2', 'echo "=== build ==="; go build ./...; echo "=== end"', '=== build ===\n=== end', ok),
      ],
    ],
    [
      'if it is silent before a check whose errors are looked for',
      [...build, ...shell('2', 'go build ./... 2>&1 | head; go vet ./cart | grep -E "[.]go:"', '', ok)],
    ],
    [
      'if a search for errors in it found none',
      [
        ...shell('1', 'npm run lint', '2 errors', failed),
        ...shell('2', 'npm run lint 2>&1 | grep "error" | head -5', '(no output)', ok),
      ],
    ],
    [
      'if its last lines show no error later',
      [
        ...shell('1', 'npm run build', 'src/a.ts(1,2): error TS2304: no', failed),
        ...shell('2', 'npm run build 2>&1 | tail -3', 'copied 3 assets', ok),
      ],
    ],
    [
      'if no file was to be checked',
      [
        ...shell(
          '1',
          'npx biome check vendor/a.js',
          '× No files were processed in the specified paths.',
          failed,
        ),
        ...shell('2', 'node build.js', '', ok),
      ],
    ],
    [
      'if PowerShell printed its exit code later',
      [
        ...powershell('1', './scripts/Test-All.ps1', 'boom', failed),
        ...powershell(
          '2',
          './scripts/Test-All.ps1 2>&1 | Select-Object -Last 2; "exit=$LASTEXITCODE"',
          '9 files\nexit=0',
        ),
      ],
    ],
  ])('%s', (_, drafts) => {
    expect(openOf(drafts)).toEqual([])
  })

  it.each<[string, EventDraft[]]>([
    [
      'its part of a chain is hidden by a pipe',
      [...lint, ...shell('2', 'make lint | head -1 && make docs', 'done', ok)],
    ],
    ['the chain went on in any case', [...lint, ...shell('2', 'make lint | head -1; make docs', 'done', ok)]],
    [
      'the script that names it failed',
      [...types, ...shell('2', 'npm run check', '> tsc --noEmit\n> knip', failed)],
    ],
    [
      'only the first lines are shown later',
      [
        ...shell('1', 'npm run build', 'src/a.ts(1,2): error TS2304: no', failed),
        ...shell('2', 'npm run build 2>&1 | head -3', 'building', ok),
      ],
    ],
    [
      'a heading is what runs if it fails',
      [...build, ...shell('2', 'go build ./... || echo broken', 'broken', ok)],
    ],
    [
      'a search for one file found nothing',
      [...types, ...shell('2', 'npx tsc --noEmit | grep "src/b.ts" | head', '', ok)],
    ],
    [
      'PowerShell printed that it failed again',
      [
        ...powershell('1', './scripts/Test-All.ps1', 'boom', failed),
        ...powershell(
          '2',
          './scripts/Test-All.ps1 2>&1 | Select-Object -Last 2; "exit=$LASTEXITCODE"',
          '2 bad\nexit=1',
        ),
      ],
    ],
  ])('unless %s', (_, drafts) => {
    expect(openOf(drafts)).not.toEqual([])
  })
})

describe('a commit or push', () => {
  const noCommit = shell('1', 'git commit -m a', "error: pathspec 'b' did not match", failed)
  const noPush = shell('1', 'git push', 'fatal: Could not read from remote repository.', failed)

  it('that succeeds settles an earlier failure, however the whole command ended', () => {
    const committed = '[main 1a2b3c4] Add carts\n 1 file changed'
    expect(openOf(noCommit, shell('2', 'git commit -F m.txt; git log -1', committed, ok))).toEqual([])
    const both = shell('2', 'git commit -m a && git push', `${committed}\nfatal: no remote`, failed)
    expect(openOf(noCommit, both)).toEqual(['fatal: no remote'])
    const pushed = 'To git.example:shop\n   1a2b3c4..2b3c4d5  main -> main'
    expect(openOf(noPush, shell('2', 'git push; git status', pushed, ok))).toEqual([])
    expect(openOf(noPush, shell('2', 'git push; git status', ' ! [rejected] main -> main', ok))).not.toEqual(
      [],
    )
  })

  it('is no error if there was nothing to commit, even after the checks of a hook', () => {
    const text = 'husky - pre-commit\n$ vitest run\nerror: all tests of the queue\nno changes added to commit'
    expect(openOf(shell('1', 'git commit -m a', text, failed), shell('2', 'git log'))).toEqual([])
  })
})

describe('what a harness says of a call', () => {
  it.each([
    ["Agent type 'librarian' not found. Available agents: Plan"],
    ['Unknown skill: polish'],
    ['<tool_use_error>InputValidationError: no prompt</tool_use_error>'],
  ])('is no open error: %s', (text) => {
    expect(
      openOf(toolCall('1', 'Task', { prompt: 'x' }, { status: 'error', text }), shell('2', 'ls')),
    ).toEqual([])
  })
})

describe('a step', () => {
  it('is left behind by a file that a shell command wrote', () => {
    const step = shell('1', 'python3 run.py', 'ZeroDivisionError: division by zero', failed)
    expect(openOf(step, shell('2', "cat > run.py <<'EOF'\nprint(1)\nEOF", '', ok))).toEqual([])
    expect(openOf(step, shell('2', 'cat run.py', 'print(1)', ok))).toHaveLength(1)
  })
})
