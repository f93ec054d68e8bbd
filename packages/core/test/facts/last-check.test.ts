import { describe, expect, it } from 'vitest'
import { extractFacts } from '../../src/facts/extract-facts.ts'
import type { EventDraft } from '../../src/session/event.ts'
import { assistant, makeSession, shell, toolCall, user } from '../support/session.ts'

const ok = { exitCode: 0 }
const failed = { status: 'error', exitCode: 1 } as const
const edit = (path: string): EventDraft[] =>
  toolCall(`edit ${path}`, 'Edit', { file_path: `/repo/${path}`, old_string: 'a', new_string: 'b' })
const checkOf = (...drafts: EventDraft[][]) =>
  extractFacts(makeSession(drafts.flat(), { cwd: '/repo', format: 'claude-code' })).validation
const shown = (...drafts: EventDraft[][]) => {
  const check = checkOf(...drafts)
  return check === undefined
    ? undefined
    : [check.command, check.status, check.stale === true ? 'stale' : 'valid']
}

describe('the last check', () => {
  it('is stale if a file of the project was edited after it', () => {
    expect(shown(shell('1', 'npm test', '', ok), edit('src/a.ts'))).toEqual(['npm test', 'ok', 'stale'])
    expect(shown(edit('src/a.ts'), shell('1', 'npm test', '', ok))).toEqual(['npm test', 'ok', 'valid'])
  })

  it.each<[string, EventDraft[]]>([
    ['a document', edit('docs/guide.md')],
    ['a scratch file', toolCall('w', 'Write', { file_path: '/tmp/x.ts', content: 'a' })],
    [
      'a note of the agent',
      toolCall('w', 'Write', { file_path: '/home/me/.claude/memory/a.ts', content: 'a' }),
    ],
    ['a commit', shell('c', 'git add -A && git commit -m "Add it"', '[main 1a2b3c4] Add it', ok)],
    ['a merge of nothing', shell('m', 'git merge main', 'Already up to date.', ok)],
  ])('stays valid after %s', (_, later) => {
    expect(shown(shell('1', 'npm test', '', ok), later)?.[2]).toBe('valid')
  })

  it.each<[string, EventDraft[]]>([
    ['sed -i', shell('s', "sed -i 's/a/b/' src/a.ts", '', ok)],
    ['a heredoc', shell('s', 'cat > src/a.ts <<EOF\nb\nEOF', '', ok)],
    ['a merge', shell('s', 'git merge main', 'Merge made by the ort strategy.', ok)],
    ['a checkout of a file', shell('s', 'git checkout -- src/a.ts', '', ok)],
  ])('is stale after %s', (_, later) => {
    expect(shown(shell('1', 'npm test', '', ok), later)?.[2]).toBe('stale')
  })

  it('covers the documents that it names', () => {
    const check = shell('1', "python - <<'EOF'\nassert 'a' in open('SKILL.md').read()\nEOF", '', ok)
    expect(shown(check, edit('SKILL.md'))?.slice(1)).toEqual(['ok', 'stale'])
    expect(shown(check, edit('OTHER.md'))?.slice(1)).toEqual(['ok', 'valid'])
  })

  it('is the failed one if another passed after the same edits', () => {
    const drafts = [edit('src/a.ts'), shell('1', 'npm test', '', failed), shell('2', 'npm run lint', '', ok)]
    expect(shown(...drafts)).toEqual(['npm test', 'error', 'valid'])
    expect(shown(...drafts, edit('src/a.ts'), shell('3', 'npm run lint', '', ok))?.[0]).toBe('npm run lint')
  })

  it.each([
    ['npm run lint:fix'],
    ['npx prettier --write .'],
    ['go test -run x -bench . ./...'],
    ['cargo bench'],
    ['cmake --install build'],
  ])('is not %s', (command) => {
    expect(shown(shell('1', 'npm test', '', ok), shell('2', command, '', ok))?.[0]).toBe('npm test')
  })

  it.each([
    ['gofmt -w a.go && go vet ./... && go test ./...'],
    ['npx eslint --fix src && npx tsc --noEmit'],
    ['npx tsc --noEmit | grep -i "error\\|warning"'],
  ])('may be %s, although a part of it repairs or has a similar option', (command) => {
    expect(
      shown(shell('1', 'npm test', '', failed), edit('src/a.ts'), shell('2', command, '', ok))?.[0],
    ).toBe(command)
  })

  it.each([
    ['./scripts/Verify-Sums.ps1'],
    ['npm run validate'],
    ['git diff --check'],
    ['node --check a.js'],
    ['cmake -DA=b -B build -S .'],
    ['python reproduce_issue.py'],
    ["node - <<'EOF'\nif (!text.includes('a')) throw new Error('no a')\nEOF"],
    ['python -c "assert 1 == 1"'],
  ])('may be %s', (command) => {
    expect(shown(shell('1', command, '', ok))?.[0]).toBe(command)
  })

  it('is not a script that writes files, even if it throws', () => {
    const script = "node - <<'EOF'\nfs.writeFileSync('a', b)\nif (!b) throw new Error('no b')\nEOF"
    expect(shown(shell('1', script, '', ok))).toBeUndefined()
  })

  it('may have been run by the hook of a commit', () => {
    const output = '$ tsc --noEmit\na.ts(1,2): error TS2304: no\nhusky - pre-commit script failed (code 2)'
    expect(shown(shell('1', 'git commit -m a', output, failed))).toEqual([
      'git commit -m a',
      'error',
      'valid',
    ])
    expect(
      shown(shell('1', 'git commit -m a', 'nothing to commit, working tree clean', failed)),
    ).toBeUndefined()
    const passed =
      'husky - pre-commit\n$ vitest run\nerror: the queue is full\n 9 pass\nno changes added to commit'
    expect(shown(shell('1', 'git commit -m a', passed, failed))).toBeUndefined()
    expect(
      shown(shell('1', 'git commit -m a', output, failed), shell('2', 'git reset HEAD b.ts', '', ok))?.[2],
    ).toBe('stale')
  })

  it('is named without the commit and the push around it', () => {
    const part = (command: string, output = '') => checkOf(shell('1', command, output, ok))?.part
    expect(part('git commit -m a && mise run lint:gofmt && git push 2>&1 | tail -3')).toBe(
      'mise run lint:gofmt',
    )
    expect(part("npm test -- -t 'a b' && git commit -m a")).toBe("npm test -- -t 'a b'")
    expect(part('npm run lint && npm test')).toBeUndefined()
    const output = '[main 1a2b3c4] a\n$ bun test src/\n 3 pass\n$ tsc --noEmit\n'
    expect(part('git add a.ts && git commit -m a', output)).toBe(
      'git commit (its hook ran: bun test src/; tsc --noEmit)',
    )
    expect(part('git add a.ts && git commit -m a && git status', output)).toBe(
      'git commit (its hook ran: bun test src/; tsc --noEmit)',
    )
    expect(part('git commit -m a', '✔ Preparing lint-staged...')).toBe('git commit (its hook)')
  })

  it('failed if a wrapper of git reports it, whatever its exit code', () => {
    const said =
      'ok 1 file changed\nFAILED: git commit\n$ tsc --noEmit\nhusky - pre-commit script failed (code 2)'
    expect(checkOf(shell('1', 'rtk git commit -m a', said, ok))?.status).toBe('error')
  })

  it('reports that other changes were staged after the hook of a commit', () => {
    const hook = shell('1', 'git commit -m a', '$ tsc --noEmit\na.ts(1,2): error TS2304: no', failed)
    expect(checkOf(hook, shell('2', 'git add b.ts', '', ok))).toMatchObject({ stale: true, restaged: true })
    expect(checkOf(hook, edit('src/a.ts'), shell('2', 'git add b.ts', '', ok))?.restaged).toBeUndefined()
  })

  it('is no git diff --check before later edits', () => {
    expect(shown(shell('1', 'git diff --check', '', ok), edit('src/a.ts'))).toBeUndefined()
  })

  it('is git diff --check only if nothing else was checked', () => {
    const script = 'node -e "if (!a) throw new Error(\'no a\')"'
    const diff = shell('2', 'git diff --check', '', ok)
    expect(shown(shell('1', script, '', ok), diff)?.[0]).toBe(script)
    expect(shown(shell('1', 'npm test', '', ok), edit('src/a.ts'), diff)).toEqual(['npm test', 'ok', 'stale'])
    expect(shown(edit('src/a.ts'), diff)?.[0]).toBe('git diff --check')
  })

  it('may have been run by the user, who pasted its output', () => {
    const pasted = user('❯ npm test\nTests: 1 failed, 2 passed, 3 total\nnpm ERR! Test failed.\n❯')
    expect(shown([pasted], edit('src/a.ts'))).toEqual(['npm test', 'error', 'stale'])
    expect(shown([user('> npm test is what I would like you to run\nthank you')])).toBeUndefined()
  })

  it('is a script of any name that failed and ran again after an edit', () => {
    const run = (id: string, end: object) => shell(id, './run.sh', '', end)
    expect(shown(run('1', failed), edit('a.ts'), run('2', ok))).toEqual(['./run.sh', 'ok', 'valid'])
    expect(shown(run('1', failed), [assistant('Again.')], run('2', ok))).toBeUndefined()
  })
})
