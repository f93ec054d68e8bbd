import { describe, expect, it } from 'vitest'
import { condenseTranscript } from '../../../src/plan/transcript/condense-transcript.ts'
import { prepareSession } from '../../../src/prepare-log.ts'
import type { EventDraft } from '../../../src/session/event.ts'
import { tiktokenCounter } from '../../../src/tokens/tiktoken-counter.ts'
import { assistant, makeSession, shell, toolCall, user } from '../../support/session.ts'

const counter = tiktokenCounter()

function source(name: string, lines: number): string {
  return Array.from(
    { length: lines },
    (_, index) => `  const ${name}${index} = await ${name}.load(${index}, options.${name}) // step ${index}`,
  ).join('\n')
}

const kiln = source('kiln', 120)
const request = 'Please make the kiln controller stop at 1240 degrees. '.repeat(12).trim()
const answer = 'The controller now stops at 1240 degrees; nothing else was changed in the loop. '
  .repeat(8)
  .trim()

const work: EventDraft[] = [
  user(request),
  ...toolCall('r1', 'Read', { file_path: '/w/src/kiln.ts' }, { text: kiln }),
  ...toolCall('r2', 'Read', { file_path: '/w/src/oven.ts' }, { text: source('oven', 120) }),
  assistant('I will change the limit.'),
  ...toolCall(
    'w1',
    'Edit',
    {
      file_path: '/w/src/kiln.ts',
      old_string: 'a\nconst limit = 1300\nb',
      new_string: 'a\nconst limit = 1240\nb',
    },
    { text: 'The file has been updated' },
  ),
  ...toolCall('r3', 'Read', { file_path: '/w/src/kiln.ts' }, { text: kiln }),
  ...shell(
    't1',
    'npm test',
    `${source('log', 60)}\nTypeError: limit is not a number\n  at run (src/kiln.ts:4:2)`,
    {
      exitCode: 1,
    },
  ),
  ...shell('t2', 'npm test', `${'✓ fires the kiln\n'.repeat(80)}80 passed`),
  assistant(answer),
]

function transcriptOf(drafts: readonly EventDraft[], maxReadRatio?: number) {
  const session = makeSession(drafts, { cwd: '/w' })
  const { plan } = prepareSession(session, { counter, maxReadRatio })
  const items = condenseTranscript(plan)
  const tokens = items.reduce((sum, { text }) => sum + counter.count(text), 0)
  return { plan, items, tokens, text: items.map((item) => item.text).join('\n') }
}

describe('condenseTranscript', () => {
  it('keeps to its share of the source tokens, item by item', () => {
    const { plan, items, tokens } = transcriptOf(work)
    expect(tokens).toBeLessThanOrEqual(plan.tokens.total * 0.35)
    expect(tokens).toBeGreaterThan(plan.tokens.total * 0.2)
    expect(items.map(({ event, until, label }) => [event, until, label])).toEqual(
      plan.transcript.map(({ event, until, label }) => [event, until, label]),
    )
  })

  it('keeps words of the user and the last answer whole', () => {
    const { text } = transcriptOf(work, 0.05)
    expect(text).toContain(request)
    expect(text).toContain(answer)
  })

  it('leaves out nothing at a ratio of 1', () => {
    const { plan, items } = transcriptOf(work, 1)
    expect(items).toBe(plan.transcript)
  })

  it('shows the content of a file that is read again once', () => {
    const { items } = transcriptOf(work, 0.95)
    const again = items.find(({ event }) => event === 'e9')
    expect(again?.text).toBe('src/kiln.ts\n(120 lines as in e2 kiln.ts)')
  })

  it('shows an edit as a small diff', () => {
    const { text } = transcriptOf(work)
    expect(text).toContain('-const limit = 1300\n+const limit = 1240')
  })

  it('keeps the lines about the failure', () => {
    const { text } = transcriptOf(work)
    expect(text).toContain('TypeError: limit is not a number')
  })

  it('summarizes passed tests', () => {
    const { items } = transcriptOf(work, 0.9)
    const passed = items.find(({ event }) => event === 'e13')
    expect(passed?.text).toContain('80 passed')
    expect(passed?.text.split('fires the kiln').length).toBeLessThan(6)
  })

  it('names the results of a call, which facts may cite', () => {
    const { items } = transcriptOf(work)
    expect(items.find(({ event }) => event === 'e11')?.results).toEqual(['e12'])
  })

  it('names each file of a run before what it holds', () => {
    const { items } = transcriptOf(work, 0.95)
    const run = items.find(({ event }) => event === 'e2')
    expect(run?.until).toBe('e4')
    expect(run?.text).toMatch(/^e2 src\/kiln\.ts\n {2}const kiln0[\s\S]*\ne4 src\/oven\.ts\n {2}const oven0/)
  })

  it('keeps the lines of a command as given', () => {
    const command = 'cat > /w/a.txt <<EOF\nfirst // line\nEOF'
    const { text } = transcriptOf([user('Write it.'), ...shell('c', command, 'ok')], 0.9)
    expect(text).toContain(`${command} -> ok`)
  })

  it('shows the options of a question with the answer', () => {
    const questions = [
      { question: 'Which store?', options: [{ label: 'Hybrid', description: 'disk and Redis' }] },
    ]
    const asked = toolCall('q', 'AskUserQuestion', { questions }, { text: 'Which store? = Hybrid' })
    const { text } = transcriptOf([user('Plan it.'), ...asked, ...work.slice(1)])
    expect(text).toContain('question: Which store?\n- Hybrid: disk and Redis\nanswer: Which store? = Hybrid')
  })

  it('reads only the given items, by their share', () => {
    const { plan } = transcriptOf(work)
    const last = plan.transcript.slice(-3)
    const items = condenseTranscript(plan, last)
    expect(items.map(({ event }) => event)).toEqual(last.map(({ event }) => event))
    expect(items.at(-1)?.text).toBe(answer)
  })

  it('includes the rest of a request, so that the whole keeps to the share', () => {
    const { plan, tokens } = transcriptOf(work)
    const promptTokens = () => plan.tokens.total * 0.1
    const items = condenseTranscript(plan, plan.transcript, { promptTokens })
    const condensed = items.reduce((sum, { text }) => sum + counter.count(text), 0)
    expect(condensed + promptTokens()).toBeLessThanOrEqual(plan.tokens.total * 0.35)
    expect(condensed).toBeLessThan(tokens)
  })

  it('cuts even words of the user if the request would otherwise exceed the source', () => {
    const { plan } = transcriptOf([user(request), assistant(answer)])
    const besides = Math.floor(plan.tokens.total / 2)
    const items = condenseTranscript(plan, plan.transcript, { promptTokens: () => besides })
    const condensed = items.reduce((sum, { text }) => sum + counter.count(text), 0)
    expect(condensed + besides).toBeLessThanOrEqual(plan.tokens.total)
    expect(items.map(({ text }) => text).join(' ')).toContain('stop at 1240 degrees')
  })

  it('marks a message that came while the agent worked', () => {
    const late: EventDraft = { type: 'user', origin: 'queued', text: 'And the oven?' }
    const { items } = transcriptOf([user(request), late, assistant(answer)])
    expect(items.map(({ queued }) => queued)).toEqual([undefined, true, undefined])
  })

  it("shows the agent's description of a command", () => {
    const [call, result] = shell('c', 'make kiln', 'ok')
    const described = {
      ...call,
      input: { command: 'make kiln', description: 'Build the kiln' },
    } as EventDraft
    const { text } = transcriptOf([user('Build it.'), described, result as EventDraft], 0.9)
    expect(text).toContain('(Build the kiln) make kiln -> ok')
  })
})
