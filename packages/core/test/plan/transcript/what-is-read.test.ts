import { describe, expect, it } from 'vitest'
import { reportText } from '../../../src/plan/tool-texts.ts'
import { condenseTranscript } from '../../../src/plan/transcript/condense-transcript.ts'
import { splitHeredocs } from '../../../src/plan/transcript/event-texts.ts'
import { readSizes, type SizedText } from '../../../src/plan/transcript/read-sizes.ts'
import { prepareSession } from '../../../src/prepare-log.ts'
import type { EventDraft } from '../../../src/session/event.ts'
import { tiktokenCounter } from '../../../src/tokens/tiktoken-counter.ts'
import { assistant, makeSession, shell, toolCall, user } from '../../support/session.ts'

const counter = tiktokenCounter()

const listing = Array.from(
  { length: 200 },
  (_, index) =>
    `The record of firing ${index} holds the heat ${index * 7} and the glaze number ${index % 9}.`,
).join('\n')

function readOf(drafts: readonly EventDraft[], maxReadRatio = 0.35) {
  const { plan } = prepareSession(makeSession(drafts, { cwd: '/w' }), { counter, maxReadRatio })
  const items = condenseTranscript(plan)
  return (event: string) => items.find((item) => item.event === event)?.text ?? ''
}

describe('what a model reads', () => {
  const order = `You are working in this repository. Your task: build the kiln.\n${Array.from(
    { length: 40 },
    (_, index) => `${index + 1}. Lay row ${index} of the bricks and let the mortar dry over night.`,
  ).join('\n')}\nDo NOT light it.`
  const rest = [...shell('l', 'cat records.csv', listing), assistant('Built.')]

  it('does not include files that the user only wanted to see', () => {
    const shown = readOf([user('cat records.csv'), ...rest])('e2')
    expect(counter.count(shown)).toBeLessThan(counter.count(listing) / 2)
  })

  it('includes the result of an agent from its notice', () => {
    const verdict = 'CHANGES REQUIRED: the second row of bricks leans to the left and must be laid again.'
    const notice: EventDraft = {
      type: 'context',
      origin: 'notification',
      name: 'subagent_notification',
      text: `<subagent_notification>\n${JSON.stringify({ agent_path: '0123-4567', status: { completed: verdict } })}\n</subagent_notification>`,
    }
    expect(
      readOf([user('Go on.'), notice, ...rest, ...shell('m', 'cat more.csv', `${listing}!`)])('e2'),
    ).toBe(verdict)
  })

  it('includes the task of another agent once', () => {
    const prompt = 'Review the second row of bricks and say whether it leans to the left.'
    const spawned = toolCall('s', 'spawn_agent', { message: prompt }, { text: '{"agent_id":"0123"}' })
    expect(readOf([user('Go on.'), ...spawned, ...rest])('e2').split(prompt)).toHaveLength(2)
  })

  it('includes little of a skill of the harness', () => {
    const read = (path: string) =>
      counter.count(
        readOf([user('Go on.'), ...toolCall('r', 'Read', { file_path: path }, { text: order }), ...rest])(
          'e2',
        ),
      )
    expect(read('/home/p/.codex/skills/laying/SKILL.md')).toBeLessThan(read('/w/docs/laying.md') * 0.8)
  })
})

describe('readSizes', () => {
  const text = (kind: SizedText['kind'], tokens: number): SizedText => ({ kind, tokens, position: 0.5 })

  it('keeps the verdict of a report, however little room there is', () => {
    const [report] = readSizes([text('report', 500), text('output', 5000)], 20)
    expect(report).toBe(60)
  })

  it('gives thoughts no more than an eighth, whatever else there is', () => {
    const [thought = 0, line] = readSizes([text('reasoning', 5000), text('line', 20)], 1000)
    expect(thought).toBeLessThanOrEqual(125)
    expect(thought).toBeGreaterThan(100)
    expect(line).toBe(20)
  })
})

describe('reportText', () => {
  it('leaves text that is not JSON unchanged', () => {
    expect(reportText('The rows {lean} to the left')).toBe('The rows {lean} to the left')
    expect(reportText('{"cut": "shor')).toBe('{"cut": "shor')
    expect(reportText('{"agent_id":"0123"}')).toBe('{"agent_id":"0123"}')
  })
})

describe('splitHeredocs', () => {
  const rows = Array.from({ length: 12 }, (_, index) => `row ${index}`).join('\n')

  it('takes out the texts that a command gives to programs', () => {
    expect(splitHeredocs(`cat > a.txt <<'EOF'\n${rows}\nEOF\ncat a.txt`)).toEqual({
      command: "cat > a.txt <<'EOF'\ncat a.txt",
      texts: rows,
    })
  })

  it('keeps a short one, and one without an end', () => {
    for (const command of ['cat <<EOF\nrow\nEOF', `cat <<EOF\n${rows}`, 'echo $((1<<4))'])
      expect(splitHeredocs(command)).toEqual({ command, texts: '' })
  })
})
