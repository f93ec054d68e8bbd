import { resolve } from 'node:path'
import { tiktokenCounter } from '@tenfold/core'
import { extractiveSummarizer } from '@tenfold/summarizers/extractive'
import { openaiModel } from '@tenfold/summarizers/openai'
import { beforeEach, describe, expect, it } from 'vitest'
import { readArguments } from '../../tools/eval/arguments.ts'
import { type Gold, parseGold } from '../../tools/eval/gold/load-gold.ts'
import { documentsOf } from '../../tools/eval/judge/documents.ts'
import { keptResults } from '../../tools/eval/judge/kept-results.ts'
import { probesOf } from '../../tools/eval/judge/probes.ts'
import { runJudge } from '../../tools/eval/judge/run-judge.ts'
import { renderScorecard, scorecardOf } from '../../tools/eval/judge/scorecard.ts'
import { promptOf, type StandInCall } from '../stand-in/index.ts'
import { testFolder } from '../support/test-folder.ts'
import { testStandIn } from '../support/test-stand-in.ts'

const log = resolve(import.meta.dirname, '../../examples/logs/claude-code-small.jsonl')

function goldOf(name: string, choice: string): Gold {
  return parseGold(name, {
    log: 'claude-code-small.jsonl',
    state: 'finished',
    resume: { action: 'Push the branch', command: 'git push', alsoRight: [], wrong: ['Squash again'] },
    constraints: [{ quote: 'Never touch the public API.', status: 'holds' }],
    decisions: [{ choice, quote: 'let us', by: 'user' }],
    files: [{ path: 'src/upload.ts' }],
  })
}

const labelled = [
  { gold: goldOf('one', 'SQLite for the firing log'), path: log },
  { gold: goldOf('two', 'a queue on Redis'), path: log },
]
/** Six questions for each of two sessions and three methods. */
const questions = 2 * 3 * 6
const methods = [{ name: 'Tenfold, extractive', compress: { summarizer: extractiveSummarizer() } }]
const isVerdict = (call: StandInCall) => promptOf(call).includes('BEGIN evidence')

const standIn = testStandIn('each')
const folder = testFolder('each')
beforeEach(async () => {
  standIn.answer = (call) => {
    if (!isVerdict(call))
      return { answer: promptOf(call).includes('# Context Bundle') ? 'well known' : 'not known' }
    const score = promptOf(call).includes('BEGIN answer\nwell known') ? 5 : 2
    const lenient = call.model === 'judge-b' && score === 2 ? 3 : score
    return {
      accuracy: lenient,
      context: lenient,
      artifactTrail: score,
      completeness: score,
      continuity: score,
      instruction: score,
      falseStatements: score === 5 ? 0 : 1,
      reason: 'as the evidence says',
    }
  }
})

const model = (name: string) => ({
  name: `openai:${name}`,
  call: openaiModel({ model: name, baseURL: standIn.openaiUrl, apiKey: 'key-1' }),
})

async function run(judges: readonly string[], onProgress: (done: number, of: number) => void = () => {}) {
  const results = keptResults(folder())
  const documents = await documentsOf(labelled, methods, { counter: tiktokenCounter(), results })
  const judged = await runJudge(documents, {
    answerer: model('answerer'),
    judges: judges.map(model),
    results,
    signal: new AbortController().signal,
    seed: 1,
    onProgress,
  })
  return { judged, documents }
}

describe('eval --judge', () => {
  it('scores each method over all questions and judges', async () => {
    const { judged, documents } = await run(['judge-a', 'judge-b'])
    const scorecard = scorecardOf(judged)
    expect(judged.answers).toHaveLength(questions)
    expect(scorecard.methods.map(({ method }) => method)).toEqual([
      'Tenfold, extractive',
      'SumBasic',
      'head+tail',
    ])
    expect(scorecard.methods[0]).toMatchObject({ answers: 12, overall: 5, falseStatements: 0 })
    expect(scorecard.methods[1]).toMatchObject({
      dimensions: { accuracy: 2.5, completeness: 2 },
      falseStatements: 24,
    })
    expect(Object.keys(scorecard.methods[0]?.byKind ?? {}).sort()).toEqual([
      'abstention',
      'artifact',
      'constraint',
      'continuation',
      'decision',
      'recall',
    ])
    expect(scorecard.agreement).toBeGreaterThan(0.8)
    expect(scorecard.agreement).toBeLessThan(1)
    expect(renderScorecard(scorecard)).toContain('| Tenfold, extractive | 12      | 5.00')
    // Baselines have the size of the bundle.
    const sizes = documents.filter(({ session }) => session === 'one').map(({ tokens }) => tokens)
    expect(Math.max(...sizes)).toBe(sizes[0])
  })

  it('keeps judges blind: they see neither documents nor names of methods, in a mixed order', async () => {
    const { documents, judged } = await run(['judge-a'])
    const bodies = standIn.requests.map(({ text }) => text).filter((text) => text.includes('BEGIN evidence'))
    expect(bodies.length).toBeGreaterThan(10)
    for (const body of bodies) {
      expect(body).not.toMatch(/Tenfold|SumBasic|head\+tail|# Context Bundle/)
      expect(body).not.toContain('BEGIN document')
    }
    const answers = standIn.requests.map(({ text }) => text).filter((text) => text.includes('BEGIN document'))
    for (const body of answers) expect(body).not.toContain('right: Push the branch')
    const order = judged.answers.map(({ method }) => method)
    expect(order).not.toEqual(documents.flatMap(({ method, probes }) => probes.map(() => method)))
  })

  it('goes on after a stop, and pays for no call twice', async () => {
    const stop = new Error('killed')
    const stopped = run(['judge-a'], (done) => {
      if (done === 7) throw stop
    })
    await expect(stopped).rejects.toBe(stop)
    // The same answers to the same question are judged once.
    const before = standIn.bill.length
    expect(before).toBeLessThan(questions)
    const { judged } = await run(['judge-a'])
    const { judged: again } = await run(['judge-a'])
    expect(new Set(standIn.requests.map(({ text }) => text)).size).toBe(standIn.requests.length)
    expect(standIn.bill.length).toBeGreaterThan(before)
    expect(scorecardOf(again)).toEqual(scorecardOf(judged))
    expect(judged.answers).toHaveLength(questions)
  })

  it('asks again for a verdict that is none, and then gives up', async () => {
    const usual = standIn.answer
    let bad = 1
    standIn.answer = (call) =>
      isVerdict(call) && bad-- > 0 ? { ...Object(usual?.(call)), accuracy: 9 } : usual?.(call)
    await expect(run(['judge-a'])).rejects.toThrow('accuracy: expected a score from 0 to 5')
    await expect(run(['judge-a'])).resolves.toBeDefined()
  })
})

describe('the questions about a session', () => {
  it('ask for nothing that has no label', () => {
    const bare = { ...goldOf('bare', ''), decisions: [], constraints: [] }
    expect(probesOf(bare, undefined).map(({ kind }) => kind)).toEqual(['recall', 'artifact', 'continuation'])
  })
})

describe('the arguments of --judge', () => {
  it('need labels, an answerer and judges', () => {
    const judge = [
      '--judge',
      'out',
      '--gold',
      'labels',
      '--answerer',
      'openai:a',
      '--judges',
      'openai:b,ollama:c',
    ]
    expect(readArguments(judge).judge).toEqual({
      folder: 'out',
      summarizers: ['extractive'],
      answerer: 'openai:a',
      judges: ['openai:b', 'ollama:c'],
    })
    expect(() => readArguments(judge.slice(0, 4))).toThrow(
      '--judge: expected --gold, --answerer and --judges',
    )
    expect(() => readArguments(['--gold', 'labels', '--answerer', 'openai:a'])).toThrow('--answerer')
  })
})
