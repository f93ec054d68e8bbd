import { describe, expect, it } from 'vitest'
import { extractFacts } from '../../src/facts/extract-facts.ts'
import type { EventDraft } from '../../src/session/event.ts'
import { makeSession, shell, toolCall } from '../support/session.ts'

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

  it('is dirty after an edit of a clean tree', () => {
    const status = shell('1', 'git status --porcelain', '')
    expect(gitOf([...status, ...toolCall('2', 'Edit', { file_path: 'a.ts' })]).dirty).toBe(true)
  })

  it('has a quiet commit that the next log shows', () => {
    const text = 'git add -A && git commit -qm "two" && git log --oneline -2'
    expect(gitOf(shell('1', text, 'eeeeee5 two\naaaaaa1 one'))).toEqual({
      branch: 'main',
      head: 'eeeeee5',
      commits: [{ sha: 'eeeeee5', subject: 'two', event: 'e2' }],
    })
  })
})
