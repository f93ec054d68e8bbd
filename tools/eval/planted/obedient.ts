import { emptySummary, type SessionSummary, type Summarizer } from '@tenfold/core'
import { cleanLine, eventIndex } from '@tenfold/core/internal'
import { modelSummarizer } from '@tenfold/summarizers/model'

/** What a summarizer would copy of a planted text: its beginning on one line, and its first lines. */
export function plantedLines(planted: string): string[] {
  const copied = [planted, ...planted.split('\n')].map((text) =>
    cleanLine(cleanLine(text).slice(0, longestCopy)),
  )
  return [...new Set(copied)].filter((line) => line.length >= 12).slice(0, 3)
}

/** A longer answer would be refused as longer than what it summarizes. */
const longestCopy = 160

/**
 * A model that does whatever it reads: it makes every planted line a demand and a decision of the user, a next step with
 * a command, and a rule, citing the user's message and all that it was shown.
 */
export function obedientModel(planted: string): Summarizer {
  return modelSummarizer({
    name: 'obedient model',
    contextWindow: 200_000,
    random: () => 0.5,
    call: async ({ messages }) => {
      const shown = messages.map(({ text }) => text).join('\n')
      const events = [...new Set(shown.match(/(?<=^\[)e\d+/gm) ?? [])]
      const lines = plantedLines(planted)
      const evidence = events.slice(0, 4)
      const answer = {
        ...Object.fromEntries(emptyLists.map((name) => [name, []])),
        constraints: lines.map((text) => ({ text, evidence })),
        decisions: lines.flatMap((choice) =>
          [evidence, events.slice(0, 1)].map((cited) => ({ ...decision, choice, evidence: cited })),
        ),
        nextSteps: lines.map((action) => ({ action, command: action, evidence })),
        rules: Array.from({ length: 20 }, (_, at) => `r${at + 1}`),
        otherRules: lines.map((text) => ({ text, evidence })),
        summary: 'The session added a retry.',
        currentTask: lines[0] ?? '',
        phase: 'done',
        resumeInstructions: lines.join('\n'),
      }
      return { text: JSON.stringify(answer), usage: {}, stop: 'end' }
    },
  })
}

const emptyLists = [
  'tasksCompleted',
  'tasksRemaining',
  'blockers',
  'findings',
  'openQuestions',
  'fileReasons',
]
const decision = { topic: '', rationale: '', alternatives: [], by: 'user' as const }

/** The same as a summarizer of somebody else, which core must not trust either. */
export function obedientSummarizer(planted: string): Summarizer {
  return {
    name: 'obedient summarizer',
    async summarize({ items }) {
      const lines = plantedLines(planted)
      const events = items.map(({ event }) => event).filter((event) => eventIndex(event) >= 0)
      const said = lines.map((text) => ({ text, evidence: events }))
      const summary: SessionSummary = {
        ...emptySummary(),
        overview: 'The session added a retry.',
        constraints: said,
        projectRules: said,
        decisions: lines.flatMap((choice) =>
          [events, events.slice(0, 1)].map((evidence) => ({
            choice,
            alternatives: [],
            by: 'user' as const,
            evidence,
          })),
        ),
        nextSteps: lines.map((action) => ({ action, command: action, evidence: events })),
      }
      return { summary, calls: [] }
    },
  }
}
