import { describe, expect, it } from 'vitest'
import { extractFacts } from '../../src/facts/extract-facts.ts'
import { isOpenError } from '../../src/facts/facts.ts'
import type { EventDraft } from '../../src/session/event.ts'
import { assistant, makeSession, shell, toolCall, user } from '../support/session.ts'

const ok = { exitCode: 0 }
const failed = { status: 'error', exitCode: 1 } as const
const edit = (path: string, result: object = {}): EventDraft[] =>
  toolCall(`edit ${path}`, 'Edit', { file_path: `/repo/${path}`, old_string: 'a', new_string: 'b' }, result)
const stop = (text: string): EventDraft => ({ type: 'context', origin: 'harness', text })
const openOf = (...drafts: readonly (EventDraft | readonly EventDraft[])[]) =>
  extractFacts(makeSession(drafts.flat(), { cwd: '/repo', format: 'claude-code' }))
    .errors.filter(isOpenError)
    .map(({ message }) => message)

describe('an error stays open', () => {
  it.each<[string, EventDraft[]]>([
    ['a check that was never green again', shell('1', 'npm test', 'boom', failed)],
    ['a push that was refused', shell('1', 'git push', 'boom', failed)],
    ['packages that could not be installed', shell('1', 'pip install x', 'boom', failed)],
  ])('if it is %s, even though the work went on', (_, drafts) => {
    expect(openOf(drafts, edit('src/a.ts'), shell('9', 'node run.js', '', ok))).toEqual(['boom'])
  })

  it('if no step of the work followed it', () => {
    expect(openOf(edit('a.ts', { status: 'error', text: 'no such text' }), assistant('Sorry.'))).toEqual([
      'no such text',
    ])
  })

  it('as an uncommitted merge once its conflicts are edited and checked', () => {
    const merge = shell('1', 'git merge main', 'CONFLICT (content): Merge conflict in a.ts', failed)
    const conflict = 'CONFLICT (content): Merge conflict in a.ts'
    const resolved = ['git merge main is under way: its conflicts are resolved, but not committed']
    expect(openOf(merge, edit('a.ts'))).toEqual([conflict])
    expect(openOf(merge, edit('b.ts'), shell('2', 'npm test', '', ok))).toEqual([conflict])
    expect(openOf(merge, edit('a.ts'), shell('2', 'npm test', '', ok))).toEqual(resolved)
    expect(openOf(merge, edit('a.ts'), shell('2', 'git add a.ts', '', ok))).toEqual(resolved)
  })

  it('unless it was a lookup with a foreign tool, or a difference that was only shown', () => {
    expect(openOf(toolCall('1', 'mcp__kiln__list', {}, { ...failed, text: 'no kiln' }))).toEqual([])
    expect(openOf(toolCall('1', 'mcp__kiln__fire', {}, { ...failed, text: 'no kiln' }))).toEqual(['no kiln'])
    expect(openOf(shell('1', 'gofmt -d kiln.go', 'diff kiln.go.orig kiln.go', failed))).toEqual([])
  })

  it('if a check of another kind is green', () => {
    expect(openOf(shell('1', 'npm test', 'boom', failed), shell('2', 'npm run lint', '', ok))).toEqual([
      'boom',
    ])
  })
})

describe('an error', () => {
  it.each<[string, EventDraft[]]>([
    [
      'by a check of the same kind',
      [...shell('1', 'npm test', 'boom', failed), ...shell('2', 'npx vitest run', '', ok)],
    ],
    [
      'by a build, if types were wrong',
      [...shell('1', 'npx tsc', 'boom', failed), ...shell('2', 'npm run build', '', ok)],
    ],
    [
      'by another installer',
      [...shell('1', 'npm install', 'boom', failed), ...shell('2', 'pnpm add x', '', ok)],
    ],
    [
      'by the commit that ends a merge',
      [
        ...shell('1', 'git merge main', 'CONFLICT (content): a.ts', failed),
        ...shell('2', 'git commit -m a', '', ok),
      ],
    ],
    [
      'by the next step of the work',
      [...shell('1', 'node a.js', 'boom', failed), ...shell('2', 'node b.js', '', ok)],
    ],
    [
      'if it is an edit and another file was edited instead',
      [...edit('a.ts', { status: 'error', text: 'no' }), ...edit('b.ts')],
    ],
    [
      'if the failed call only looked for a file',
      [...shell('1', 'ls types', 'no such file', failed), assistant('It is not there.')],
    ],
    [
      'if git had nothing to commit',
      [...shell('1', 'git commit -m a', 'nothing to commit', failed), ...shell('2', 'ls')],
    ],
    [
      'if the harness corrected the call',
      toolCall(
        '1',
        'Edit',
        { file_path: '/repo/a' },
        {
          status: 'error',
          text: '<tool_use_error>File has not been read yet. Read it first.</tool_use_error>',
        },
      ),
    ],
    [
      'if the script that failed was thrown away',
      [
        ...shell('0', 'touch check_a.py'),
        ...shell('1', 'python ./check_a.py', 'boom', failed),
        ...shell('2', 'rm check_a.py'),
      ],
    ],
    [
      'if the check could not start, and the work went on',
      [...shell('1', 'npm run lint', 'npm error Missing script: "lint"', failed), ...edit('a.ts')],
    ],
  ])('is resolved or left behind %s', (_, drafts) => {
    expect(openOf(drafts)).toEqual([])
  })

  it('is left behind by a run of the same check that failed in another way', () => {
    const runs = [shell('1', 'npm test', 'first boom', failed), shell('2', 'npm test', 'second boom', failed)]
    expect(openOf(...runs)).toEqual(['second boom'])
  })

  it('is left behind by the same command, even if its outcome is unknown', () => {
    const runs = [
      shell('1', 'npm test', '1 failed', { status: 'error' }),
      toolCall('2', 'Bash', { command: 'npm test' }, { status: 'unknown', text: '' }),
    ]
    expect(openOf(...runs)).toEqual([])
  })
})

describe('a session that broke off', () => {
  const done = shell('1', 'npm test', '', ok)

  it('has no error in a call without a result', () => {
    const call = toolCall('2', 'Bash', { command: 'git push', description: 'Push the fix' }, null)
    expect(openOf(done, call)).toEqual([])
    expect(openOf(done, toolCall('2', 'Read', { file_path: 'a' }, null))).toEqual([])
  })

  it('leaves open a plan whose last version was refused, until the user writes more', () => {
    const refused = { status: 'denied', text: 'The user did not want it. STOP and wait.' } as const
    const plan = toolCall('2', 'ExitPlanMode', { plan: 'Build a kiln' }, refused)
    const interrupted = stop('[Request interrupted by user for tool use]')
    expect(openOf(done, plan, interrupted)).toEqual(['ExitPlanMode was refused: The user did not want it'])
    expect(openOf(done, plan, interrupted, user('Use gas instead.'))).toEqual([])
  })

  it.each([
    ['Request cancelled.'],
    ['RuntimeError: Agent reached maximum iteration'],
    ['You have exceeded your quota.'],
  ])('gives the reason: %s', (text) => {
    expect(openOf(done, stop(text))).toEqual([text])
    expect(openOf(done, stop(text), user('Go on.'))).toEqual([])
  })

  it.each([['[Request interrupted by user]'], ['[Request interrupted by user for tool use]']])(
    'does not treat a stop by the user as an error: %s',
    (text) => {
      expect(openOf(done, stop(text))).toEqual([])
      expect(openOf(done, assistant(text))).toEqual([])
    },
  )

  it('ignores other text of the harness', () => {
    expect(openOf(done, stop('Remember to use the task tools.'))).toEqual([])
  })
})
