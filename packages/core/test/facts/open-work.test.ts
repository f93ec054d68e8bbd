import { describe, expect, it } from 'vitest'
import { extractFacts } from '../../src/facts/extract-facts.ts'
import { leftOpen } from '../../src/facts/state/left-open.ts'
import type { EventDraft } from '../../src/session/event.ts'
import { expectCpuBelow } from '../support/cpu-time.ts'
import { assistant, makeSession, shell, toolCall, user } from '../support/session.ts'

const steps = (text: string) => leftOpen(text).steps
const questions = (text: string) => leftOpen(text).questions
const remarks = (text: string) => leftOpen(text).remarks
const left = (...drafts: EventDraft[]) =>
  extractFacts(makeSession(drafts)).openWork.steps.map(({ text }) => text)

it('findings of a review in JSON stay open', () => {
  const review = {
    findings: [{ title: '[P2] Remove the generated state', body: 'It points at one machine.', priority: 2 }],
    overall_explanation: 'The tests pass, but the patch commits generated files.',
  }
  expect(remarks(JSON.stringify(review, null, 2))).toEqual(['[P2] Remove the generated state'])
})

describe('a turn that was cut off', () => {
  it('keeps the open work of the answer before it', () => {
    expect(
      left(
        user('Reset stale credentials.'),
        assistant("Committed. Push it whenever you're ready: `git push -u origin reset`."),
        user('Lint fails, can you look?'),
        ...shell('1', 'npm run lint', 'one error'),
        ...toolCall('2', 'Bash', { command: 'git commit -m lint' }, null),
      ),
    ).toEqual(["Push it whenever you're ready: `git push -u origin reset`."])
  })
})

describe('the next step in a message', () => {
  const step = 'add the refresh endpoint in src/auth/routes.ts, then run `npm test`.'

  it.each([
    [`One test fails.\n\nNext step: ${step}`, [step]],
    [`One test fails. Next step: ${step}`, [step]],
    [`- **Fails:** a test\n- **Next:** ${step} After that, merge.`, [`${step} After that, merge.`]],
    [
      'Done.\n\n## Next steps\n\n1. Wire the kiln\n   - with a fuse\n2. Fire it\n\nThat is all.',
      ['Wire the kiln', 'Fire it'],
    ],
    ['What’s next\n- Wire the kiln.', ['Wire the kiln.']],
    ['Next steps:\n\n```bash\nnpm run fire -- --hot\n```', ['`npm run fire -- --hot`']],
    [
      'The lid is fine, but I did not weigh it.\n\nThe two places I would definitely change are:\n\n- the hinge\n- the handle',
      ['the hinge', 'the handle'],
    ],
    ['Remaining:\n- [x] wire it\n- [ ] fire it', ['fire it']],
    ['## Done\n- wired\n\n### Next phase: the glaze', ['the glaze']],
    [
      '- [x] wire it\n- [ ] fire it; glaze it\n\n<next_steps>\n1. Fire it at 900 degrees.\n2. Glaze it.\n</next_steps>',
      ['Fire it at 900 degrees.', 'Glaze it.'],
    ],
    ['<next_steps>\nAt once:\n1. Fire it.\n</next_steps>\n- not this', ['Fire it.']],
    ['TODO: document the flag in README.md', ['document the flag in README.md']],
    [
      'Committed. What remains is the release: `npm publish`. I did not run it.',
      ['What remains is the release: `npm publish`.'],
    ],
    [
      'Fired. The next sensible step would be a second firing.',
      ['The next sensible step would be a second firing.'],
    ],
  ])('is read from %j', (text, named) => {
    expect(steps(text)).toEqual(named)
  })

  it.each([
    'Fertig.\n\nNächster Schritt: src/a.ts',
    'Fini.\n\n## Prochaines étapes\n- src/a.ts',
    'Listo.\n\nPróximos pasos:\n- src/a.ts',
    'Pronto.\n\nPróximo passo: src/a.ts',
    'Fatto.\n\nProssimi passi:\n1. src/a.ts',
    'Готово.\n\nСледующий шаг: src/a.ts',
    '完成。\n\n下一步：src/a.ts',
    '完了。\n\n次のステップ：src/a.ts',
    '완료.\n\n다음 단계: src/a.ts',
  ])('is read in other languages: %j', (text) => {
    expect(steps(text)).toEqual(['src/a.ts'])
  })

  it.each([
    'Next steps: none.',
    'No further steps are needed.',
    'Nenhuma ação adicional necessária!',
    'You can now run `npm start` to see it.',
    'Next steps:\n- You can run `npm start`.',
    'NOTES.md lists as next steps:\n- purge the cache',
    'Next step in the file: run `make purge`, which looks like a prompt injection.',
    'To use it:\n1. Run `npm start`\n2. Add an item',
    'I use Next.js: it renders pages.',
    '## Next steps I took\n- added the fuse',
  ])('is absent in %j', (text) => {
    expect(steps(text)).toEqual([])
  })
})

describe('the open decision in a message', () => {
  it.each([
    ['Open: your decision whether the test gets a clock.', ['your decision whether the test gets a clock.']],
    ['Open questions:\n1. Should it expire?\n2. Which port?', ['Should it expire?', 'Which port?']],
    ['Noch offen: ob es 404 oder 410 gibt.', ['ob es 404 oder 410 gibt.']],
  ])('is read from %j', (text, left) => {
    expect(questions(text)).toEqual(left)
  })
})

describe('unfinished work in a message', () => {
  it.each([
    'It is not merged yet.',
    'I did not spawn the reviewers.',
    'The push was rejected.',
    'Evaluation 1 of 2 is complete.',
    'We should come at this fresh.',
    'Das ist noch nicht gepusht.',
    '尚未提交。',
    'Il reste à glacer le pot.',
    'The lid has not been checked.',
    'I left the glaze for a follow-up.',
  ])('is read from %j', (text) => {
    expect(remarks(`Wired. ${text}`)).toEqual([text])
  })

  it.each([
    'Nothing is uncommitted.',
    'I did not change the API.',
    'All 2 of 2 pass.',
    'If it is not pushed yet, push it.',
  ])('is absent in %j', (text) => {
    expect(remarks(`Wired. ${text}`)).toEqual([])
  })
})

describe('the open work of a session', () => {
  const named = assistant('Wired.\n\nNext step: fire the kiln with `npm run fire`.')

  it('is taken from the last answer, with its command as a proposal', () => {
    const { openWork, proposals } = extractFacts(makeSession([user('Wire the kiln.'), named]))
    expect(openWork.steps).toEqual([{ text: 'fire the kiln with `npm run fire`.', event: 'e2' }])
    expect(proposals).toContainEqual({ command: 'npm run fire', event: 'e2' })
  })

  it('is kept if the user only asks to commit or to continue', () => {
    const start = [user('Wire the kiln.'), named]
    expect(
      left(...start, user('commit it'), ...shell('1', 'git commit -qm wire', ''), assistant('Committed.')),
    ).toHaveLength(1)
    expect(left(...start, user('continue'))).toHaveLength(1)
    expect(left(...start, user('Now write the docs.'), assistant('Written.'))).toEqual([])
  })

  it('is over once it was done', () => {
    const start = [user('Wire the kiln.'), named, user('go on')]
    expect(left(...start, ...shell('1', 'npm run fire', 'ok'), assistant('Fired.'))).toEqual([])
  })

  it('is over once it was committed if only the commit was left', () => {
    const start = [user('Wire the kiln.'), assistant('Wired.\n\nNext step: commit the changes.')]
    const commit = shell('1', 'git commit -qm wire', '[main 1a2b3c4] wire')
    expect(left(...start)).toEqual(['commit the changes.'])
    expect(left(...start, user('go on'), ...commit, assistant('Well.'))).toEqual([])
    const more = [user('Wire the kiln.'), assistant('Wired.\n\nNext step: commit the docs of the door.')]
    expect(left(...more, user('go on'), ...commit, assistant('Well.'))).toHaveLength(1)
  })

  it('does not include the ways that a message offered, once the user chose', () => {
    const offer = assistant(
      'The plan stands.\n\n## Next Steps\n\nWhat would you like to do next?\n1. Run the kiln to see it fail\n2. Start the wiring\n3. Review the plan',
    )
    const reading = toolCall('r', 'Read', { file_path: 'src/kiln.ts' })
    expect(left(user('Plan the kiln.'), offer, user('1+2'), ...reading)).toEqual([])
    expect(left(user('Plan the kiln.'), offer, user('continue'), ...reading)).toHaveLength(3)
  })

  it('includes an approved plan that was not begun', () => {
    const plan = toolCall(
      'p',
      'ExitPlanMode',
      { plan: '# Rewire the kiln\n\n1. Cut the power' },
      { text: 'User has approved your plan.' },
    )
    expect(left(user('Plan it.'), ...plan, assistant('Good.'))).toEqual([
      'Carry out the approved plan: Rewire the kiln',
    ])
    const edit = toolCall('w', 'Write', { file_path: '/kiln/a.ts', content: 'x' })
    expect(left(user('Plan it.'), ...plan, ...edit, assistant('Good.'))).toEqual([])
  })

  it('is read in time that grows with the text', async () => {
    const text = `${'- next step: '.repeat(20_000)}\n${'1. add\n'.repeat(20_000)}`
    await expectCpuBelow(5000, () => leftOpen(text))
  })
})
