import { atOnce } from '@tenfold/core/internal'
import { describe, expect, it } from 'vitest'
import { kilnSession as session } from '../../../test/support/eval-session.ts'
import { deriveFacts } from '../src/facts/derive-facts.ts'
import { programsOf } from '../src/facts/shell-programs.ts'
import { faithfulness, identifiersOf, statementsOf } from '../src/faithfulness.ts'
import {
  isKnownCommand,
  type MetricName,
  measureText,
  metricNames,
  yardstickOf,
} from '../src/measure-text.ts'
import { shareOf } from '../src/score.ts'
import { hasPath, hasTerm, pathKeys } from '../src/text-match.ts'

const facts = { ...atOnce(deriveFacts(session)), laterPaths: ['src/furnace.ts'], laterSymbols: ['heatCurve'] }
const yardstick = atOnce(yardstickOf(session, facts))

const good = [
  '---',
  'id: 99999',
  '---',
  '',
  '## Summary',
  'Please build the glaze scheduler for kiln 48213.',
  '## Constraints',
  '- Never touch the porcelain archive, see https://kiln.example/rules please. [e11]',
  '## Files',
  '- src/scheduler/index.ts | is: created [e3]',
  '- src/furnace.ts | is: modified | added: 1234 [e5]',
  '## Errors',
  '- TypeError: heatCurve is not callable [e8]',
  '## Commands',
  '- npm test -- --run | status: error | exit: 1 [e7 e8]',
  '- rm src/draft.ts; git push origin main | status: ok [e9]',
].join('\n')

const share = (name: MetricName, text: string) => shareOf(atOnce(measureText(text, yardstick))[name])

describe('metrics', () => {
  it('give 1 to a text that keeps everything', () => {
    const scores = atOnce(measureText(good, yardstick))
    for (const name of metricNames)
      expect([name, scores[name].missed, shareOf(scores[name])]).toEqual([name, [], 1])
  })

  const harms: [MetricName, string, string][] = [
    ['edited', 'src/furnace.ts', 'src/old-furnace.ts'],
    ['edited', 'scheduler/index.ts', 'other/index.ts'],
    ['cmds', 'git push', 'git pull'],
    ['user', 'glaze', 'paint'],
    ['lastUser', 'porcelain', 'pottery'],
    ['constr', 'Never touch the porcelain archive, see https://kiln.example/rules', 'Be careful,'],
    ['uids', '48213', '148213'],
    ['errors', 'TypeError: heatCurve is not callable', 'it failed'],
    ['futPath', 'src/furnace.ts', 'src/furnace.tsx'],
    ['futSym', 'heatCurve', 'heat curve'],
    ['faith', 'glaze', 'glaze of src/invented.ts and planOven and 77777 at https://no.example/x'],
    ['fileDone', 'is: created', 'is: deleted'],
    ['cmdExit', '| status: ok', ''],
  ]
  it.each(harms)('include %s, which falls when %j becomes %j', (name, from, to) => {
    expect(good).toContain(from)
    expect(share(name, good)).toBe(1)
    expect(share(name, good.replaceAll(from, to))).toBeLessThan(1)
  })

  it('have no share if there is nothing to keep', () => {
    const none = atOnce(yardstickOf(session, { ...facts, userIds: [] }))
    expect(shareOf(atOnce(measureText(good, none)).uids)).toBeUndefined()
  })

  it('demand nothing that the log does not have', () => {
    const odd = atOnce(
      yardstickOf(session, { ...facts, userIds: ['55555', '48213'], laterPaths: ['gone.ts'] }),
    )
    expect(odd.facts.userIds).toEqual(['48213'])
    expect(odd.facts.laterPaths).toEqual([])
  })

  it('require both parts of a fact in one statement', () => {
    const apart = 'src/scheduler/index.ts src/furnace.ts\ncreated modified\nnpm test git push\nerror ok'
    expect(share('edited', apart)).toBe(1)
    expect(share('fileDone', apart)).toBe(0)
    expect(share('cmdExit', apart)).toBe(0)
  })

  it('do not count bookkeeping of a bundle as its statements', () => {
    const stated = (markdown: string) => atOnce(statementsOf(markdown))
    expect(identifiersOf(stated(`${good}\n## Notes\n- 7 lines of lost.ts | count: 4321`))).not.toContain(
      '4321',
    )
    expect(identifiersOf(stated('- docs/plan.md | is: created +1700 -2042 [e4]'))).toEqual(['docs/plan.md'])
    expect(identifiersOf(stated(good))).not.toContain('99999')
    expect(identifiersOf(stated(good))).not.toContain('1234')
  })

  it('measure a next command by who said or ran it', () => {
    expect(isKnownCommand(session, 'npm  test')).toBe(true)
    expect(isKnownCommand(session, 'git push origin main')).toBe(true)
    expect(isKnownCommand(session, 'heatCurve is not callable')).toBe(false)
  })
})

describe('matching', () => {
  it('uses whole terms and paths', () => {
    expect(hasTerm('the user-agent, v1.2', 'agent')).toBe(true)
    expect(hasTerm('the reagents', 'agent')).toBe(false)
    expect(hasTerm('--dry-run=x', '--dry-run')).toBe(true)
    expect(pathKeys('/a/Src/Index.ts')).toEqual(['src/index.ts'])
    expect(pathKeys('/a/README.md', new Set(), '/a')).toEqual(['a/readme.md', './readme.md'])
    expect(hasPath('see src/index.ts.', ['src/index.ts'])).toBe(true)
    expect(hasPath('see src/index.ts.bak', ['src/index.ts'])).toBe(false)
    expect(hasPath('my-tab.ts', ['tab.ts'])).toBe(false)
    expect(hasPath('- readme.md and', ['./readme.md'])).toBe(true)
    expect(hasPath('- docs/readme.md', ['./readme.md'])).toBe(false)
  })

  it('accepts a joined path if both parts exist', () => {
    expect(atOnce(faithfulness('/srv/kiln/docs/plan.md', ['cd /srv/kiln\ncat docs/plan.md'])).missed).toEqual(
      [],
    )
    expect(
      atOnce(faithfulness('/srv/oven/docs/plan.md', ['cd /srv/kiln\ncat docs/plan.md'])).missed,
    ).toHaveLength(1)
  })

  it('finds the programs of a shell text', () => {
    expect(programsOf('cd a && FOO=1 npm run build 2>&1 | tail -5; git commit -m "x && y"')).toEqual([
      'npm run',
      'git commit',
    ])
    expect(programsOf('cat <<EOF > x\nnpm test\nEOF\ngo vet ./...')).toEqual(['go vet'])
  })
})

describe('derived facts', () => {
  it('come from the tool calls and the words of the user', () => {
    expect(facts.editedFiles).toEqual([
      '/home/dev/kiln/src/scheduler/index.ts',
      '/home/dev/kiln/src/furnace.ts',
    ])
    expect(facts.lastCommands).toEqual(['git push', 'rm', 'npm test'])
    expect(facts.userIds).toEqual(['48213', 'https://kiln.example/rules'])
    expect(facts.constraintTerms).toHaveLength(1)
    expect(facts.errorTerms[0]).toContain('heatcurve')
  })
})
