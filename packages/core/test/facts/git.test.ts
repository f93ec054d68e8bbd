import { describe, expect, it } from 'vitest'
import { extractFacts } from '../../src/facts/extract-facts.ts'
import type { EventDraft } from '../../src/session/event.ts'
import { log, read } from '../readers/claude-code-log.ts'
import { expectCpuBelow } from '../support/cpu-time.ts'
import { makeSession, shell, toolCall, user } from '../support/session.ts'

const gitOf = (drafts: EventDraft[]) =>
  extractFacts(makeSession(drafts, { cwd: '/w/shop', branch: 'main', commit: 'aaaaaa1' })).git

describe('the state of Git', () => {
  it.each<[string, EventDraft[], object]>([
    ['metadata', [], { branch: 'main', head: 'aaaaaa1' }],
    [
      'a new branch',
      shell('1', 'git checkout -b feat/x', "Switched to a new branch 'feat/x'"),
      { branch: 'feat/x', head: 'aaaaaa1' },
    ],
    [
      'a new branch without a word',
      shell('1', 'git switch -q -c feat/x'),
      { branch: 'feat/x', head: 'aaaaaa1' },
    ],
    [
      'a new branch, even if the next command fails',
      shell('1', 'git checkout -b feat/x -q && ls b.ts', 'ls: b.ts: No such file or directory', {
        status: 'error',
      }),
      { branch: 'feat/x', head: 'aaaaaa1' },
    ],
    [
      'no new branch after a command that failed',
      shell('1', 'npm test && git checkout -b feat/x -q', '1 failed', { status: 'error' }),
      { branch: 'main', head: 'aaaaaa1' },
    ],
    ['its name', shell('1', 'git checkout old -q && git branch --show-current', 'old'), { branch: 'old' }],
    ['another branch', shell('1', 'git checkout old', "Switched to branch 'old'"), { branch: 'old' }],
    [
      'a file',
      shell('1', 'git checkout -- a.ts', 'Updated 1 path from the index'),
      { branch: 'main', head: 'aaaaaa1' },
    ],
    [
      'rev-parse',
      shell('1', 'git rev-parse HEAD', 'bbbbbb2bbbbbb2bbbbbb2\n'),
      { branch: 'main', head: 'bbbbbb2bbbbbb2bbbbbb2' },
    ],
    ['log', shell('1', 'git log --oneline -3', 'ccccc33 x\nddddd44 y'), { branch: 'main', head: 'ccccc33' }],
    [
      'log of another branch',
      shell('1', 'git log --oneline origin/x', 'ccccc33 x'),
      { branch: 'main', head: 'aaaaaa1' },
    ],
    [
      'reset',
      shell('1', 'git reset --hard HEAD~1', 'HEAD is now at eeeee55 z'),
      { branch: 'main', head: 'eeeee55', dirty: false },
    ],
    [
      'pull',
      shell('1', 'git pull', 'Updating aaaaaa1..fffff66\nFast-forward'),
      { branch: 'main', head: 'fffff66' },
    ],
    [
      'clean',
      shell('1', 'git status', 'On branch dev\nnothing to commit, working tree clean'),
      { branch: 'dev', head: 'aaaaaa1', dirty: false },
    ],
    [
      'dirty',
      shell('1', 'git status', 'On branch main\nChanges not staged for commit:'),
      { branch: 'main', head: 'aaaaaa1', dirty: true },
    ],
    [
      'short and clean',
      shell('1', 'git status --short', ''),
      { branch: 'main', head: 'aaaaaa1', dirty: false },
    ],
    [
      'short and dirty',
      shell('1', 'git status -sb', '## dev...origin/dev\n M a.ts'),
      { branch: 'dev', head: 'aaaaaa1', dirty: true },
    ],
    [
      'another repository',
      shell('1', 'cd /w/other && git status', 'On branch x'),
      { branch: 'main', head: 'aaaaaa1' },
    ],
    [
      'another repository by option',
      shell('1', 'git -C ../other status', 'On branch x'),
      { branch: 'main', head: 'aaaaaa1' },
    ],
  ])('is read from a log: %s', (_, drafts, expected) => {
    expect(gitOf(drafts)).toEqual({ ...expected, commits: [] })
  })

  it('is that of the folder named in a log of Claude Code, wherever a command changed to', async () => {
    const { call, result, user: says } = log()
    const records = [
      says('Test the failing remote.'),
      call('1', 'Bash', { command: 'cd /tmp && rm -rf t && git init --bare t && cd t && git branch' }),
      result('1', 'Initialized empty Git repository in /tmp/t/'),
      call('2', 'Bash', { command: 'git add -A && git commit -m "Test it"' }),
      result('2', '[main 1234567] Test it\n 1 file changed, 9 insertions(+)'),
      call('3', 'Bash', { command: 'git status' }, { cwd: '/tmp/t' }),
      result('3', 'On branch x\nChanges not staged for commit:', {}, { cwd: '/tmp/t' }),
    ]
    expect(extractFacts(await read(records)).git).toEqual({
      branch: 'main',
      head: '1234567',
      commits: [{ sha: '1234567', subject: 'Test it', event: 'e5' }],
    })
  })

  it('lists commits in order, and amended ones once', () => {
    const drafts = [
      ...shell('1', 'git add -A && git commit -m "One"', '[main 1111111] One\n 1 file changed'),
      ...shell('2', 'git commit -m Two', 'hook failed', { status: 'error', exitCode: 1 }),
      ...shell('3', 'git commit -m Two', '[main 2222222] Two'),
      ...shell('4', 'git commit --amend --no-edit', '[main 3333333] Two'),
      ...shell('5', 'echo "[main 4444444] no commit"', '[main 4444444] no commit'),
    ]
    expect(gitOf(drafts)).toEqual({
      branch: 'main',
      head: '3333333',
      commits: [
        { sha: '1111111', subject: 'One', event: 'e2' },
        { sha: '3333333', subject: 'Two', event: 'e8' },
      ],
    })
  })

  it('is found after a script of thousands of Git commands, in little time', async () => {
    const script = `${'git rebase \n'.repeat(20_000)}git checkout -b late`
    const output = `${'git rebase \n'.repeat(20_000)}Switched to a new branch 'late'`
    // Each of them would search the whole output.
    await expectCpuBelow(3000, () =>
      expect(gitOf(shell('1', script, output))).toMatchObject({ branch: 'late' }),
    )
  })

  it('is dirty after an edit of a clean tree', () => {
    const status = shell('1', 'git status --porcelain', '')
    expect(gitOf([...status, ...toolCall('2', 'Edit', { file_path: 'a.ts' })]).dirty).toBe(true)
  })

  it('is unknown after a status of an unknown format', () => {
    const before = shell('1', 'git status', 'On branch main\nChanges to be committed:')
    expect(gitOf([...before, ...shell('2', 'git status', 'main: 5 untracked')]).dirty).toBeUndefined()
  })

  it('includes a quiet commit that the next log shows', () => {
    const text = 'git add -A && git commit -qm "two" && git log --oneline -2'
    expect(gitOf(shell('1', text, 'eeeeee5 two\naaaaaa1 one'))).toEqual({
      branch: 'main',
      head: 'eeeeee5',
      commits: [{ sha: 'eeeeee5', subject: 'two', event: 'e2' }],
    })
  })
})

describe('commits of other repositories', () => {
  const edit = (path: string) => toolCall(path, 'Edit', { file_path: path })
  const commit = (folder: string, files: string, sha: string) =>
    shell(sha, `cd ${folder} && git add ${files} && git commit -m "Add ${sha}"`, `[dev ${sha}] Add ${sha}`)

  it('are those of the session where it edited files', () => {
    const drafts = [
      ...edit('/w/shop/a.ts'),
      ...edit('/w/till/pkg/b.go'),
      ...commit('/w/till', '.', '2222222'),
      ...commit('/w/shop', '-A', '1111111'),
      ...commit('/w/docs', '-A', '3333333'),
    ]
    expect(gitOf(drafts)).toEqual({
      branch: 'dev',
      head: '1111111',
      commits: [
        { sha: '2222222', subject: 'Add 2222222', event: 'e6', folder: '/w/till' },
        { sha: '1111111', subject: 'Add 1111111', event: 'e8' },
      ],
    })
  })

  it('are those of a worktree, also from a folder in it, and of the repository around the folder of the session', () => {
    const drafts = [
      ...edit('/w/shop/.worktrees/x/src/a.ts'),
      ...commit('/w/shop/.worktrees/x/src', '.', '2222222'),
      ...edit('/w/shop/a.ts'),
      ...commit('/w', 'shop/a.ts', '1111111'),
    ]
    expect(gitOf(drafts).commits.map(({ sha, folder }) => [sha, folder])).toEqual([
      ['2222222', '.worktrees/x'],
      ['1111111', undefined],
    ])
  })
})

describe('files that no commit holds', () => {
  const edit = (path: string) => toolCall(path, 'Edit', { file_path: path })
  const commit = (text: string) => shell(text, text, '[main 1111111] One')
  const edits = ['/w/shop/src/a.ts', '/w/shop/b.ts', '/root/.agent/plan.md'].flatMap(edit)

  it.each([
    ['nothing', [], ['src/a.ts', 'b.ts']],
    ['git commit -m One', [], []],
    ['git add -A && git commit -m One', [], []],
    ['git add -A && git commit -m One; # and touch', shell('9', 'touch b.ts', ''), []],
    ['git add src && git commit -m One', [], ['b.ts']],
    ['git add b.ts && git commit -am One', [], []],
    ['cd src && git add a.ts ../b.ts && git commit -m One', edit('/w/shop/b.ts'), ['b.ts']],
    [
      'git add src && git commit -m One',
      shell('9', 'git status', 'nothing to commit, working tree clean'),
      [],
    ],
    ['git add src && git commit -m One', shell('9', 'git status --short', '?? docs/'), []],
    ['the user commits', shell('9', 'git status -sb', '## main\n?? src/\n M c.ts'), ['src/a.ts']],
    [
      'another program',
      shell('9', 'rtk git status', 'main: 2 files\n  c.ts\n  1 more'),
      ['src/a.ts', 'b.ts'],
    ],
  ])('are known after %s', (text, after, expected) => {
    expect(gitOf([...edits, ...commit(text), ...after]).uncommitted ?? []).toEqual(expected)
  })

  it.each([
    ['staged', shell('8', 'git add src b.ts', '')],
    ['listed by a status', shell('8', 'git status --short', ' M src/a.ts\n M b.ts')],
  ])('include those %s before a log shows a head for the first time', (_, before) => {
    const drafts = [
      ...edits,
      user('Commit it.'),
      ...before,
      ...shell('9', 'git log --oneline -2', 'ccccc33 Old'),
    ]
    const { git } = extractFacts(makeSession(drafts, { cwd: '/w/shop', branch: 'main' }))
    expect(git.uncommitted).toEqual(['src/a.ts', 'b.ts'])
  })

  it.each([
    ['--soft', []],
    ['--mixed', ['src/a.ts']],
  ])('are known after git reset %s and another commit', (mode, expected) => {
    const drafts = [
      ...edits,
      ...commit('git add src && git commit -m One'),
      ...shell('8', `git reset ${mode} HEAD~1`, ''),
      ...shell('9', 'git add b.ts && git commit -m All', '[main 2222222] All'),
    ]
    expect(gitOf(drafts).uncommitted ?? []).toEqual(expected)
  })
})

describe('a merge', () => {
  const merged = "Merge made by the 'ort' strategy.\n src/a.ts | 2 +-\n 1 file changed"

  it('is a commit that a later log shows', () => {
    const text = 'git merge --no-ff topic -m "Merge topic"; git log --oneline -2'
    const shown = shell('1', text, `${merged}\n\nccccccc Merge topic\nbbbbbbb two`)
    expect(gitOf(shown)).toMatchObject({
      head: 'ccccccc',
      commits: [{ sha: 'ccccccc', subject: 'Merge topic', event: 'e2' }],
    })
  })

  it('is not a commit if it did not happen', () => {
    const text = 'git merge topic && git log --oneline -2'
    expect(gitOf(shell('1', text, 'Already up to date.\nbbbbbbb two')).commits).toEqual([])
  })
})

describe('commits that are gone', () => {
  const one = shell('1', 'git commit -m One', '[main 1111111] One')
  const two = shell('2', 'git commit -m Two', '[main 2222222] Two')
  const shas = (...drafts: EventDraft[][]) => gitOf(drafts.flat()).commits.map(({ sha }) => sha)

  it.each([
    ['git reset --soft HEAD~1', '', ['1111111', '3333333']],
    ['git reset HEAD~2', '', ['3333333']],
    ['git reset --soft HEAD^', '', ['1111111', '3333333']],
    ['git reset --soft origin/dev', '', ['3333333']],
    ['git reset --hard 1111111', 'HEAD is now at 1111111 One', ['1111111', '3333333']],
    ['git reset HEAD a.ts', '', ['1111111', '2222222', '3333333']],
    ['git reset src/a.ts', '', ['1111111', '2222222', '3333333']],
    ['git reset --hard', 'HEAD is now at 2222222 Two', ['1111111', '2222222', '3333333']],
  ])('are left out after %s', (command, output, expected) => {
    const three = shell('4', 'git commit -m Three', '[main 3333333] Three')
    expect(shas(one, two, shell('3', command, output), three)).toEqual(expected)
  })

  it('stay if the branch moves to a commit that was pushed', () => {
    const push = shell('3', 'git push', 'To x\n   aaaaaa1..2222222  main -> main')
    expect(shas(one, two, push, shell('4', 'git reset --hard origin/main', 'x'))).toHaveLength(2)
    expect(shas(one, two, shell('4', 'git reset --hard origin/main', 'x'))).toHaveLength(0)
  })

  it('have the ids that the log shows after a rebase', () => {
    const rebase = shell('3', 'git pull --rebase', 'Successfully rebased and updated refs/heads/main.')
    const log = shell('4', 'git log --oneline -2', '4444444 Two\naaaaaa1 x')
    expect(gitOf([...one, ...two, ...rebase, ...log]).commits).toEqual([
      { sha: '1111111', subject: 'One', event: 'e2', rebased: true },
      { sha: '4444444', subject: 'Two', event: 'e4' },
    ])
    const push = shell('4', 'git push', 'To x\n   aaaaaa1..5555555  main -> main')
    expect(shas(one, two, rebase, push)).toEqual(['1111111', '5555555'])
  })
})

describe('a push', () => {
  const commit = shell('1', 'git commit -m One', '[main 1111111] One')
  const failed = { status: 'error', exitCode: 1 } as const

  it.each<[string, EventDraft[], string | undefined]>([
    [
      'in the command of the commit',
      shell(
        '1',
        'git commit -m One && git push',
        '[main 1111111] One\nTo x\n   aaaaaa1..1111111  main -> main',
      ),
      'e2',
    ],
    [
      'that a later step followed',
      [
        ...commit,
        ...shell('2', 'git push && gh pr create', 'To x\n * [new branch]      main -> main\nno', failed),
      ],
      'e4',
    ],
    [
      'whose output was cut',
      [
        ...commit,
        ...shell(
          '2',
          'git push -u origin main 2>&1 | tail -1',
          "branch 'main' set up to track 'origin/main'.",
        ),
      ],
      'e4',
    ],
    ['of nothing new', [...commit, ...shell('2', 'git push', 'Everything up-to-date')], 'e4'],
    ['without a word', [...commit, ...shell('2', 'git push -q', '', { exitCode: 0 })], 'e4'],
    [
      'without a word, in a pipe',
      [...commit, ...shell('2', 'git push -q | cat', '', { exitCode: 0 })],
      'unknown',
    ],
    ['without a result', [...commit, ...toolCall('2', 'Bash', { command: 'git push' }, null)], 'unknown'],
    ['by the user', [...commit, user('I pushed the changes manually. Go on.')], 'e3'],
    [
      'that was refused',
      [...commit, ...shell('2', 'git push', ' ! [rejected]        main -> main (fetch first)', failed)],
      undefined,
    ],
    [
      'of a tag',
      [...commit, ...shell('2', 'git push origin v1.0', 'To x\n * [new tag]         v1.0 -> v1.0')],
      undefined,
    ],
    [
      'of another branch',
      [...commit, ...shell('2', 'git push origin dev', 'To x\n   aaaaaa1..bbbbbb2  dev -> dev')],
      undefined,
    ],
    [
      'after a fetch that printed the same',
      [
        ...commit,
        ...shell('2', 'git pull; git push', 'From x\n   aaaaaa1..bbbbbb2  main -> main\nfatal: no', failed),
      ],
      undefined,
    ],
    ['before a commit', [...shell('2', 'git push', 'Everything up-to-date'), ...commit], undefined],
    [
      'that git status reports',
      [
        ...commit,
        ...shell('2', 'git status', "On branch main\nYour branch is up to date with 'origin/main'."),
      ],
      'e4',
    ],
  ])('is known: %s', (_, drafts, expected) => {
    expect(gitOf(drafts).pushed).toBe(expected)
  })

  it('shows the head', () => {
    const push = shell('2', 'git push', 'To x\n   aaaaaa1..bbbbbb2  main -> main')
    expect(gitOf([...commit, ...push]).head).toBe('bbbbbb2')
  })
})

describe('the head', () => {
  it.each([
    ['git show --stat HEAD', 'commit ccccc33ccccc33\nAuthor: a'],
    ['git status -sb && git log --oneline -2', '## main\nccccc33ccccc33 (HEAD -> main) x'],
    ['rtk git log --oneline -1', 'ccccc33ccccc33 x'],
  ])('is shown by %s', (command, output) => {
    expect(gitOf(shell('1', command, output)).head).toBe('ccccc33ccccc33')
  })

  it('is that of a commit in the output of a call that failed later', () => {
    const text =
      'failed in sandbox: exit code: 128, stdout: [main 1111111] One\n 1 file changed\n, stderr: fatal: no'
    expect(
      gitOf(shell('1', 'git commit -m One && git push', text, { status: 'error', exitCode: 128 })),
    ).toEqual({
      branch: 'main',
      head: '1111111',
      commits: [{ sha: '1111111', subject: 'One', event: 'e2' }],
    })
  })

  it('include commits and pushes that git printed after the command went on in the background', () => {
    const poll = (callId: string, session: number, text: string, exitCode: number) =>
      toolCall(callId, 'write_stdin', { session_id: session, chars: '' }, { text, exitCode })
    const start = (callId: string, cmd: string, session: number) =>
      toolCall(callId, 'exec_command', { cmd }, { text: `Process running with session ID ${session}\n` })
    const drafts = [
      ...toolCall('1', 'exec_command', { cmd: 'git status --short' }, { text: ' M a.ts', exitCode: 0 }),
      ...start('2', 'git commit -am "Add rates"', 11),
      ...poll('3', 11, '[main bbbbbb2] Add rates\n 1 file changed, 2 insertions(+)', 0),
      ...start('4', 'git push', 12),
      ...poll('5', 12, 'error: failed to push some refs', 1),
    ]
    expect(gitOf(drafts)).toEqual({
      branch: 'main',
      head: 'bbbbbb2',
      commits: [{ sha: 'bbbbbb2', subject: 'Add rates', event: 'e6' }],
    })
    expect(
      gitOf([...drafts.slice(0, 8), ...poll('5', 12, 'To x\n   aaaaaa1..bbbbbb2  main -> main', 0)]),
    ).toMatchObject({
      pushed: 'e10',
    })
  })
})

describe('what the log shows of git later', () => {
  const edit = (path: string) => toolCall(path, 'Edit', { file_path: path })
  const fixed = 'b'.repeat(40)

  it('includes the branch in the records of Claude Code, also if the user changed it', async () => {
    const { call, result, user: says } = log()
    const on = (gitBranch: string, record: object) => ({ ...record, gitBranch })
    const records = [
      on('main', says('Add rates.')),
      on('main', call('1', 'Bash', { command: 'ls' })),
      on('main', result('1', 'a.ts')),
      on('feat/rates', says('Go on.')),
      on('feat/rates', call('2', 'Bash', { command: 'ls' })),
      on('feat/rates', result('2', 'a.ts')),
    ]
    expect(extractFacts(await read(records)).git.branch).toBe('feat/rates')
  })

  it.each<[string, string]>([
    ['git log -1 --format="%H %s" && git log -1 --format="%an"', `${fixed} One\nMe`],
    ['echo "== head ==" && git rev-parse HEAD && ls', `== head ==\n${fixed}\na.ts`],
    ['git status --short; git log --oneline -2', ` M a.ts\n${fixed} One\naaaaaa1 Zero`],
    ['git log --stat -1 | head -3', `commit ${fixed}\nAuthor: Me`],
  ])('is the head of a chain: %s', (command, output) => {
    expect(gitOf(shell('1', command, output)).head).toBe(fixed)
  })

  it.each<[string, string]>([
    ['git log --oneline | tail -1', 'ccccc33 First'],
    ['git log --oneline dev -1; git log --oneline -1', 'ccccc33 Other\nddddd44 One'],
  ])('is not the head if another command chose the line: %s', (command, output) => {
    expect(gitOf(shell('1', command, output)).head).toBe('aaaaaa1')
  })

  it.each<[string, EventDraft[], string[]]>([
    ['with the head', shell('1', 'git log -1 --format="%h %s"', 'ccccc33 Mine'), ['b.ts']],
    [
      'with a status in a chain',
      shell('1', 'git fetch -q; git status; ls', 'On branch main\n\nmodified:   b.ts\na.txt'),
      ['b.ts'],
    ],
    ['with the head it had', shell('1', 'git log -1 --format="%h %s"', 'aaaaaa1 Old'), ['a.ts', 'b.ts']],
  ])('is a commit of the user: %s', (_, shown, expected) => {
    const drafts = [user('Add a.'), ...edit('a.ts'), user('I put it into a commit. Add b.')]
    expect(gitOf([...drafts, ...edit('b.ts'), ...shown]).uncommitted).toEqual(expected)
    expect(gitOf([...drafts, ...edit('b.ts'), ...shown]).commits).toEqual([])
  })

  it.each<[string, string, string | undefined]>([
    ['git add -A && git commit -q -m One', '', 'One'],
    ['git add -A && git commit -q -F - <<EOF\nOne\n\nMore.\nEOF\nls', 'a.ts', 'One'],
    ['git commit -m "$(cat <<\'EOF\'\nOne\nEOF\n)" | tail -1', ' 1 file changed, 1 insertion(+)', 'One'],
    ['rtk git commit -m One', 'ok ✓ 1 file changed\nok ✓', 'One'],
    [
      'rtk git add a.ts && rtk git commit -m One',
      'ok ✓ 1 file changed\nFAILED: git commit\n1 fail',
      undefined,
    ],
    ['git commit -q -m One; ls', 'nothing to commit, working tree clean\na.ts', undefined],
    ['git commit -m One | tail -1', 'husky - pre-commit hook exited with code 1', undefined],
  ])('is a commit without an id: %s', (command, output, subject) => {
    expect(gitOf(shell('1', command, output)).commits).toEqual(
      subject === undefined ? [] : [{ sha: 'unknown', subject, event: 'e2' }],
    )
  })

  it('includes the id of a commit, or that it was not made', () => {
    const quiet = shell('1', 'git commit -q -m One', '')
    const log = (sha: string) => shell('2', 'git log --oneline -1', `${sha} One`)
    expect(gitOf([...quiet, ...log('ccccc33')]).commits).toMatchObject([{ sha: 'ccccc33', event: 'e2' }])
    expect(gitOf([...quiet, ...log('aaaaaa1')])).toMatchObject({ head: 'aaaaaa1', commits: [] })
  })

  it('includes the id of a commit that replaced one', () => {
    const one = shell('1', 'git commit -m One', '[main 1111111] One')
    const amend = shell(
      '2',
      'git commit --amend --no-edit -q && git show --stat --oneline HEAD',
      '2222222 One',
    )
    const silent = shell('2', 'git commit --amend --no-edit -q', '')
    const picked = shell('2', 'git log --oneline -1', '2222222 One')
    for (const after of [amend, [...silent, ...picked], picked])
      expect(gitOf([...one, ...after]).commits).toMatchObject([{ sha: '2222222', subject: 'One' }])
    expect(gitOf([...one, ...silent]).commits).toMatchObject([{ sha: 'unknown', subject: 'One' }])
  })

  it('does not include the head shown by a subagent whose calls are listed after later ones', () => {
    const commit = (sha: string) => shell(sha, `git commit -m ${sha}`, `[main ${sha}] ${sha}`)
    const drafts = [...commit('1111111'), ...commit('2222222')]
    const shown = shell(
      '3',
      'git log --oneline main..HEAD && git diff main',
      '1111111 1111111\ndiff --git a/a b/a',
    )
    expect(gitOf([...drafts, ...shown]).head).toBe('2222222')
  })

  it('includes which commits were pushed, by branch', () => {
    const commit = (branch: string, sha: string) =>
      shell(sha, `git commit -m ${sha}`, `[${branch} ${sha}] ${sha}`)
    const drafts = [
      ...commit('main', '1111111'),
      ...shell('2', 'git checkout -b dev', "Switched to a new branch 'dev'"),
      ...commit('dev', '2222222'),
      ...shell('3', 'git push -u origin dev | tail -2', ' * [new branch]      dev -> dev'),
      ...commit('dev', '3333333'),
      ...shell('4', 'git push origin dev | cat', ''),
      ...commit('dev', '4444444'),
    ]
    expect(gitOf(drafts).commits.map(({ sha, pushed }) => [sha, pushed])).toEqual([
      ['1111111', undefined],
      ['2222222', 'e8'],
      ['3333333', 'unknown'],
      ['4444444', undefined],
    ])
    const ahead = "On branch dev\nYour branch is ahead of 'origin/dev' by 1 commit."
    expect(
      gitOf([...drafts, ...shell('5', 'git status; ls', ahead)]).commits.map(({ pushed }) => pushed),
    ).toEqual([undefined, 'e8', 'e16', undefined])
  })

  it('does not include the goal of a call without a result', () => {
    const commit = toolCall('1', 'Bash', { command: 'git commit -qam One' }, null)
    expect(gitOf([...edit('a.ts'), ...commit])).toEqual({ branch: 'main', head: 'aaaaaa1', commits: [] })
  })
})
