import type { Decision, ReadingItem } from '@tenfold/core'
import { cleanLine } from '@tenfold/core'
import { cueAt, cues, hasCue } from './cues.ts'
import { clip, sentencesOf } from './sentences.ts'

/**
 * Decisions in order of the session: answers of the user to questions, plans approved or refused, short replies to a
 * question of the agent, and explicit choices in the words of either.
 */
export function decisionsOf(items: readonly ReadingItem[]): Decision[] {
  const decisions: Decision[] = []
  let asked: { text: string; item: ReadingItem } | undefined
  for (const item of items) {
    if (item.label === 'user') {
      if (asked !== undefined && item.text.length <= 400) decisions.push(reply(asked.text, asked.item, item))
      decisions.push(...choicesIn(item, 'user'))
      asked = undefined
    } else if (item.type === 'assistant') {
      decisions.push(...choicesIn(item, 'agent'))
      const question = sentencesOf(item.text).findLast((sentence) => sentence.question)
      asked = item.final && question !== undefined ? { text: question.text, item } : undefined
    } else if (item.type === 'tool_call') {
      decisions.push(...answersIn(item), ...planVerdict(item), ...refusal(item))
    }
  }
  return distinct(decisions)
}

function reply(question: string, from: ReadingItem, to: ReadingItem): Decision {
  const option = optionNamed(to.text.trim(), from.text)
  const choice = option === undefined ? to.text : `${to.text.trim()}: ${option}`
  return decision({
    topic: clip(question, 200),
    choice: clip(choice, 300),
    by: 'user',
    evidence: [from.event, to.event],
  })
}

/** The text of an option that a reply names by its number or letter only. */
function optionNamed(reply: string, question: string): string | undefined {
  const name = /^(?:option )?\(?([0-9]{1,2}|[a-h])[).]?$/i.exec(reply)?.[1]?.toLowerCase()
  if (name === undefined) return undefined
  for (const line of question.split('\n')) {
    const [, label, text] = /^[\s*#>-]*(?:option )?\(?([0-9]{1,2}|[a-h])[).:](.{2,300})$/i.exec(line) ?? []
    if (label?.toLowerCase() === name && text !== undefined) return text.replaceAll('*', '').trim()
  }
  return undefined
}

/** `"question"="answer"` pairs, as tools for asking the user report them. */
function answersIn(item: ReadingItem): Decision[] {
  if (item.status !== 'ok' || !/ask|input|question/i.test(item.label)) return []
  return [...item.text.matchAll(/"([^"\n]{2,400})"\s*=\s*"([^"\n]{1,600})"/g)].map(
    ([, topic = '', choice = '']) =>
      decision({ topic: clip(topic, 200), choice: clip(choice, 300), by: 'user', evidence: [item.event] }),
  )
}

function planVerdict(item: ReadingItem): Decision[] {
  if (!/^exit_?plan/i.test(item.label)) return []
  const title = clip(item.text.split('\n')[0] ?? '', 120)
  const choice = item.status === 'ok' ? `approved the plan: ${title}` : `did not approve the plan: ${title}`
  return [decision({ choice: clip(choice, 200), by: 'user', evidence: [item.event] })]
}

function refusal(item: ReadingItem): Decision[] {
  if (item.status !== 'denied' || /^exit_?plan/i.test(item.label)) return []
  return [
    decision({
      choice: clip(`refused ${item.label}: ${item.text.split('\n')[0]}`, 200),
      by: 'user',
      evidence: [item.event],
    }),
  ]
}

/** Sentences that say a choice; one that weighs ("x instead of y") counts where it also gives a reason. */
function choicesIn(item: ReadingItem, by: 'user' | 'agent'): Decision[] {
  return sentencesOf(item.text)
    .filter((sentence) => !sentence.question && sentence.text.length >= 12 && sentence.text.length <= 400)
    .filter(
      ({ text }) => hasCue(text, cues.choice) || (hasCue(text, cues.instead) && hasCue(text, cues.reason)),
    )
    .slice(0, 4)
    .map(({ text }) => {
      const because = cueAt(text, cues.reason)
      const over = cueAt(text, cues.instead)
      const choice = because > 12 ? text.slice(0, because) : text
      return decision({
        choice: clip(choice.replace(/[\s,;:–—-]+$/, ''), 240),
        ...(because > 12 ? { rationale: clip(text.slice(because), 200) } : {}),
        alternatives: over > 0 ? alternativeAfter(text, over, because) : [],
        by,
        evidence: [item.event],
      })
    })
}

/** What stands after "instead of", up to the end of the clause. */
function alternativeAfter(text: string, at: number, because: number): string[] {
  const rest = text.slice(at, because > at ? because : undefined)
  const cue = cues.instead.find((candidate) => rest.toLowerCase().startsWith(candidate)) ?? ''
  const alternative = clip(rest.slice(cue.length).split(/[,;.()。，]/)[0] ?? '', 120)
  return alternative.length < 3 ? [] : [alternative]
}

function decision(values: Partial<Decision> & Pick<Decision, 'choice' | 'by' | 'evidence'>): Decision {
  const { topic, rationale } = values
  return {
    ...(topic === undefined || cleanLine(topic) === '' ? {} : { topic: cleanLine(topic) }),
    choice: cleanLine(values.choice) || '(no text)',
    ...(rationale === undefined || cleanLine(rationale) === '' ? {} : { rationale: cleanLine(rationale) }),
    alternatives: (values.alternatives ?? []).map(cleanLine).filter((text) => text !== ''),
    by: values.by,
    evidence: values.evidence,
  }
}

function distinct(decisions: readonly Decision[]): Decision[] {
  const seen = new Set<string>()
  return decisions.filter(({ topic, choice }) => {
    const key = `${topic ?? ''}\n${choice}`
    return seen.has(key) ? false : seen.add(key)
  })
}
