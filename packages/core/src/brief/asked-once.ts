import type { ContextBundle } from '../bundle/schema.ts'

/** Shortest beginning of a question by which a cut one is recognized. */
const shortestStart = 20

/** Returns the open questions that the next steps of a brief do not ask in the same words. */
export function unaskedQuestions(
  { openQuestions }: ContextBundle,
  steps: readonly string[],
): ContextBundle['openQuestions'] {
  return openQuestions.filter((question) => !isAsked(question.text, steps))
}

/** Returns a summary without the questions that the next steps ask. */
export function withoutAsked(
  summary: string,
  { openQuestions }: ContextBundle,
  steps: readonly string[],
): string {
  const asked = openQuestions.map(({ text }) => text).filter((text) => isAsked(text, steps))
  const lines = summary.split('\n').flatMap((line) => lineWithout(line, asked))
  return lines.join('\n')
}

function isAsked(question: string, steps: readonly string[]): boolean {
  return steps.some((step) => step.includes(question))
}

/** A line without some questions; none if only its label is left. */
function lineWithout(line: string, questions: readonly string[]): string[] {
  let left = line
  for (const question of questions) {
    left = left.replace(question, '')
    const at = left.indexOf(question.slice(0, shortestStart))
    const isCut = at >= 0 && left.endsWith('…') && question.startsWith(left.slice(at, -1).trim())
    if (isCut) left = left.slice(0, at)
  }
  if (left === line) return [line]
  return /^[\w ]{1,20}\(e\d+\):\s*$/.test(left) ? [] : [left.replace(/ {2,}/g, ' ').trim()]
}
