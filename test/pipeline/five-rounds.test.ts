import {
  type BundleStore,
  bundleStore,
  type ContextBundle,
  compressLog,
  memoryStorage,
  resume,
  type Summarizer,
  tiktokenCounter,
} from '@tenfold/core'
import { anthropicSummarizer } from '@tenfold/summarizers/anthropic'
import { extractiveSummarizer } from '@tenfold/summarizers/extractive'
import { describe, expect, it } from 'vitest'
import { answerOf, promptOf, type StandInCall } from '../stand-in/index.ts'
import { promptEvents } from '../stand-in/prompt-events.ts'
import { type Line, logOf, look, write } from '../support/claude-log.ts'
import { testStandIn } from '../support/test-stand-in.ts'

const counter = tiktokenCounter()
const rule = 'Never store raw request bodies in a span.'

/** What each round adds: a thing to do, a constraint, a choice, and a step that no later round does. */
const rounds = [
  {
    ask: 'Add the tide gauge module to the harbour service.',
    constraint: 'Never rename the ledger_berths table.',
    choice: "I'll go with SQLite instead of Postgres for the berth cache.",
    step: 'Describe the gauge calibration for the pilots.',
  },
  {
    ask: 'Add the crane scheduler to the service.',
    constraint: 'The crane API must stay on port 40961.',
    choice: "I'll go with a binary heap instead of a sorted list for the crane queue.",
    step: 'Load-test the scheduler against forty vessels.',
  },
  {
    ask: 'Add the customs export for the declared cargo.',
    constraint: 'Do not add any dependency to the customs package.',
    choice: "I'll go with streaming XML instead of building it in memory for the customs export.",
    step: 'Ask the tax office for a sandbox certificate.',
  },
  {
    ask: 'Add the weather warnings to the dashboard.',
    constraint: 'Always show wind speed in knots.',
    choice: "I'll go with polling instead of websockets for the weather feed.",
    step: 'Replace the placeholder icons of the dashboard.',
  },
  {
    ask: 'Add the tug invoices to the billing job.',
    constraint: 'Only round an invoice at its last line.',
    choice: "I'll go with decimal strings instead of floats for the tug invoices.",
    step: 'Backfill invoices of the previous quarter.',
  },
]

function saidIn(round: (typeof rounds)[number], number: number): Line[] {
  return [
    { user: `${round.ask} ${round.constraint}` },
    {
      call: 'Read',
      input: { file_path: '/home/dev/shop/CLAUDE.md' },
      result: number === 0 ? `# Rules\n\n- ${rule}\n` : '# Rules',
    },
    look(`src/part-${number}.mjs`),
    { agent: round.choice },
    write(`src/made-${number}.mjs`),
    look(`src/more-${number}.mjs`),
    { agent: `The module is there, and its check passes. Next steps:\n1. ${round.step}` },
  ]
}

async function briefOf(store: BundleStore, maxTokens: number): Promise<string> {
  return (await resume({ store, maxTokens, counter })).text
}

/** Five sessions, each given the brief of the one before; the bundle of each. */
async function fiveRounds(store: BundleStore, summarizer: Summarizer): Promise<ContextBundle[]> {
  const bundles: ContextBundle[] = []
  for (const [number, round] of rounds.entries()) {
    const brief = number === 0 ? undefined : await briefOf(store, 4000)
    const log = logOf(`s${number}`, number + 1, brief, saidIn(round, number))
    const { bundle } = await compressLog(log, {
      store,
      summarizer,
      now: new Date(Date.UTC(2026, 1, number + 1)),
    })
    bundles.push(bundle)
  }
  return bundles
}

/** What a bundle says of one sort, its own and what it carries. */
function pinned({ constraints, projectRules, decisions, nextSteps, workflow, carried = [] }: ContextBundle) {
  const of = (as: string) => carried.flatMap((item) => (item.as === as ? [item.text] : []))
  return {
    constraints: [...constraints.map(({ text }) => text), ...of('constraint')].join('\n'),
    rules: [...projectRules.map(({ text }) => text), ...of('rule')].join('\n'),
    decisions: [...decisions.map(({ choice }) => choice), ...of('decision')].join('\n'),
    steps: [
      ...nextSteps.map(({ action }) => action),
      ...workflow.tasksRemaining.map(({ text }) => text),
      ...of('step'),
    ].join('\n'),
  }
}

/** The answer of a model that sees what was chosen and left in the one round that it reads. */
function answerAbout(call: StandInCall): object {
  const events = promptEvents(promptOf(call))
  const statement = rounds.flatMap(({ choice, step }) => {
    const chosen = events.find(({ text }) => text.includes(choice))
    const left = events.find(({ text }) => text.includes(step))
    if (chosen === undefined || left === undefined) return []
    const decision = {
      topic: '',
      choice,
      rationale: '',
      alternatives: [],
      by: 'agent',
      evidence: [chosen.id],
    }
    return [{ decisions: [decision], nextSteps: [{ action: step, command: null, evidence: [left.id] }] }]
  })
  return Object.assign({}, answerOf(call), ...statement)
}

describe('five rounds of compress, resume, go on', () => {
  const standIn = testStandIn('all')

  const model = () => {
    standIn.answer = answerAbout
    return anthropicSummarizer({ model: 'claude-opus-5-5', apiKey: 'test-key', baseURL: standIn.url })
  }
  it.each([
    ['extractive', extractiveSummarizer],
    ['anthropic', model],
  ])('keep every constraint, rule, decision and open step, and the ratio: %s', async (name, summarizer) => {
    const store = bundleStore(memoryStorage())
    const bundles = await fiveRounds(store, summarizer())
    for (const [number, bundle] of bundles.entries()) {
      expect(bundle.compression).toMatchObject({ band: 'within', summarizer: name })
      expect(bundle.compression.ratio).toBeLessThanOrEqual(0.1)
      const kept = pinned(bundle)
      expect(kept.rules).toContain(rule)
      for (const { constraint, choice, step } of rounds.slice(0, number + 1)) {
        expect(kept.constraints).toContain(constraint)
        expect(kept.decisions).toContain(/with (.*) instead/.exec(choice)?.[1])
        expect(kept.steps).toContain(step)
      }
    }
    const brief = await briefOf(store, 3000)
    expect(brief).toContain(rule)
    for (const { constraint, step } of rounds) {
      expect(brief).toContain(constraint)
      if (name === 'extractive') expect(brief).toContain(step)
    }
  })
})
