import { atOnce } from '@tenfold/core/internal/summarizer'
import type { CommandFact, TranscriptItem } from '@tenfold/core/summarizer'
import { describe, expect, it } from 'vitest'
import { admissionsOf } from '../../src/extractive/admissions.ts'

const said = (event: number, text: string, rest: Partial<TranscriptItem> = {}): TranscriptItem => ({
  event: `e${event}`,
  agent: 'main',
  turn: 1,
  type: 'assistant',
  label: 'assistant',
  final: true,
  text,
  ...rest,
})
const ran = (program: string, status: CommandFact['status'], call: number): CommandFact => ({
  command: program,
  program,
  status,
  call: `e${call}`,
  ...(program === 'npm test' ? { purpose: 'test' } : {}),
})
const admitted = (items: TranscriptItem[], commands: CommandFact[] = []) =>
  atOnce(admissionsOf(items, commands)).map(({ text }) => text)

describe('an admission of an agent', () => {
  it.each([
    ['I did not run the importer on the real data.'],
    ["I couldn't reproduce the crash on this machine."],
    ['The new flag has not been tested on Windows yet.'],
    ['The upload to the mirror still fails with a timeout.'],
    ['Deferred: the rename of the config keys, as agreed.'],
    ["I don't actually know the limits of that service."],
    ['新的导入流程尚未测试，请先确认。'],
    ['実データでは確認できていません。'],
    ['실제 데이터로 테스트하지 않았습니다.'],
    ['Der Import wurde auf dem Server nicht getestet.'],
    ["Je n'ai pas testé l'import sur le serveur."],
    ['No he probado la importación en el servidor.'],
    ['Eu não testei a importação no servidor.'],
    ["Non ho testato l'importazione sul server."],
    ['Я не проверял импорт на сервере.'],
    ['The full suite still has two failures in the mail templates.'],
    ['The fix in the importer is uncommitted, and its docs are untested.'],
    ['There are uncommitted changes in the importer.'],
    ['The migration is untested against the new server.'],
  ])('is open: %s', (text) => {
    expect(admitted([said(1, text)])).toEqual([text])
  })

  it.each([
    ['All tests pass and the importer is done.'],
    ['If it still fails, clear the cache and try again.'],
    ['Did the import fail because I did not run it?'],
    ['The page now tells "this is broken" from "you are offline".'],
    ['Unresolved names are left out of the header.'],
    ['The lookup for uncommitted sessions was removed, as its callers read local files.'],
    ['What I did not find official confirmation for in this pass:'],
    ['I fixed the pre-existing failures of the mailer too.'],
    ['These errors are not pre-existing.'],
    ['There are no unrelated failures.'],
    ['The 12 failing cases are in a copied repository, and the other errors are pre-existing.'],
    ['I ran only the cart tests because of unrelated failures in the mailer.'],
    ["So the answer is that we didn't miss the rule: we had the test."],
    ['The two clients still have similar error parsing.'],
  ])('is not open: %s', (text) => {
    expect(admitted([said(1, text)])).toEqual([])
  })

  it('counts in the middle of the work only if the problem was put aside', () => {
    const aside = "There is a mismatch between the two icons, but I'll focus on the manifest first."
    expect(admitted([said(1, aside, { final: false })])).toEqual([aside])
    expect(admitted([said(1, 'The build still fails.', { final: false })])).toEqual([])
  })

  it('counts after later answers only if the agent says it of itself or puts it off', () => {
    const later = [said(10, 'Thanks.'), said(20, 'Thanks again.')]
    for (const text of [
      'The changes are unstaged.',
      'The override is untested.',
      'Those may still need a release.',
    ])
      expect(admitted([said(1, text), ...later]), text).toEqual([])
    for (const text of [
      'I did not run the importer on the real data.',
      'Deferred: the rename of the config keys.',
    ])
      expect(admitted([said(1, text), ...later]), text).toEqual([text])
  })

  it('is no item of another list', () => {
    const open = 'The rename has not been tested yet.'
    expect(admitted([said(1, `The design:\n- it does not commit\n- ${open}`)])).toEqual([])
  })

  it('is in the list under a heading of the last answers', () => {
    const listed = '## Known issues\n- the header flickers on a slow connection\n## Done\n- the footer'
    expect(admitted([said(1, listed)])).toEqual(['the header flickers on a slow connection'])
    expect(admitted([said(1, listed), said(2, 'Thanks.'), said(3, 'Thanks again.')])).toEqual([])
  })

  it('counts once, in its last words', () => {
    const items = [
      said(1, 'The `retryLimit` option is still outstanding, which matters for uploads.'),
      said(2, 'Outstanding for later: the `retryLimit` option.'),
    ]
    expect(admitted(items)).toEqual(['Outstanding for later: the `retryLimit` option.'])
  })

  it('ends when a later answer says that it is done', () => {
    const open = said(1, 'I have not fixed `retryLimit` yet.')
    expect(admitted([open, said(2, '`retryLimit` is fixed now.')])).toEqual([])
    expect(admitted([open, said(2, '`otherLimit` is fixed now.')])).toHaveLength(1)
  })

  it('ends without a name when the user agreed to its remedy and the next answer says that it is done', () => {
    const open = 'The walk shows the commits of main. We still need to stop at the branch point.'
    const asking = said(1, `${open}\n\nWant me to fix this?`)
    expect(admitted([asking])).toEqual(['We still need to stop at the branch point.'])
    expect(admitted([asking, said(3, 'Done. It skips what is shared with main.')])).toEqual([])
    expect(admitted([asking, said(3, 'The header is green.')])).toHaveLength(1)
    expect(admitted([said(1, open), said(3, 'Done. The header is green.')])).toHaveLength(1)
    const tests = said(1, 'I did not run the tests. Shall I commit it?')
    expect(admitted([tests, said(3, 'Done. It is committed.')])).toHaveLength(1)
  })

  it('ends when all that was missing was done: tests, a commit, a push', () => {
    const tests = said(1, "I haven't run the tests.")
    expect(admitted([tests], [ran('npm test', 'ok', 5)])).toEqual([])
    expect(admitted([tests], [ran('npm test', 'error', 5)])).toHaveLength(1)
    const branch = said(1, 'The branch has not been pushed.')
    expect(admitted([branch], [ran('git push', 'ok', 5)])).toEqual([])
    expect(admitted([branch])).toHaveLength(1)
    const staged = said(1, 'The changes are unstaged on the branch.')
    expect(admitted([staged], [ran('git commit', 'ok', 5)])).toEqual([])
    const chain = { ...ran('git push', 'ok', 5), command: 'git add a.ts && git commit -m a && git push' }
    expect(admitted([staged], [chain])).toEqual([])
    const both = said(1, 'It is removed but not committed, and the build fails.')
    expect(admitted([both], [ran('git commit', 'ok', 5)])).toHaveLength(1)
    expect(admitted([both], [ran('git commit', 'ok', 5), ran('npm test', 'ok', 6)])).toEqual([])
  })

  it('never comes from a subagent', () => {
    expect(admitted([said(1, 'I did not run the tests.', { agent: 'reviewer' })])).toEqual([])
  })
})
