import { sectionsToMarkdown } from '../bundle/markdown.ts'
import type { ContextBundle } from '../bundle/schema.ts'
import type { Identifier } from '../facts/facts.ts'
import type { BundlePlan } from '../plan/plan-bundle.ts'
import { namesAndNumbers } from '../plan/worth.ts'
import { cleanLine, cleanText } from '../session/clean-text.ts'
import { heldNames } from './held-names.ts'

/**
 * Identifiers of the log that the bundle does not hold yet, most worth first, up to `maxTokens`: first what the person
 * gave, then names that were used often and late: what later work needs, and what a search of the archived log can start
 * from.
 */
export function identifiersFor(bundle: ContextBundle, plan: BundlePlan, maxTokens: number): string[] {
  if (maxTokens <= 0) return []
  const events = Math.max(1, plan.session.events.length)
  const worth = (identifier: Identifier) =>
    Math.log2(1 + identifier.count) *
    kindWorth[identifier.kind] *
    (0.5 + Number(identifier.last.slice(1)) / events)
  const argumentNames = new Set(
    plan.session.events.flatMap((event) => (event.type === 'tool_call' ? namesOf(event.input) : [])),
  )
  const candidates = [...plan.facts.identifiers.values()]
    .filter(
      (identifier) =>
        identifier.count > 1 && identifier.text.length <= 80 && !argumentNames.has(identifier.text),
    )
    .map((identifier) => ({ identifier, worth: worth(identifier) }))
    .sort((a, b) => b.worth - a.worth || (a.identifier.text < b.identifier.text ? -1 : 1))
  const names = new Set([
    ...givenByUser(plan),
    ...candidates.map(({ identifier }) => cleanLine(identifier.text)),
  ])
  const held = heldNames(names, readText(bundle))
  const list: string[] = []
  let size = 0
  for (const text of names) {
    if (text === '' || held.has(text)) continue
    size += plan.counter.count(`${text}, `)
    if (size > maxTokens) break
    list.push(text)
  }
  return list
}

/** What a reader of the bundle sees of the session, without the id, times, sizes and digests of its front matter. */
function readText(bundle: ContextBundle): string {
  const { source, git, workflow } = bundle
  const front = [source.title, source.cwd, git.branch, workflow.currentTask, ...source.models]
  return [...front, sectionsToMarkdown(bundle)].join('\n')
}

/** Names and numbers in the words of the person, the last ones first. */
function givenByUser(plan: BundlePlan): string[] {
  const words = plan.session.events.filter((event) => event.type === 'user' && !event.copied)
  return words
    .toReversed()
    .flatMap((event) => ('text' in event ? namesAndNumbers(cleanText(event.text)) : []))
    .filter((text) => text.length <= 120)
}

/** Names of tool arguments: they belong to the harness, not to the work. */
function namesOf(input: unknown): string[] {
  return typeof input === 'object' && input !== null && !Array.isArray(input) ? Object.keys(input) : []
}

const kindWorth = { path: 0.7, symbol: 1, error: 0.8, flag: 0.5, url: 0.5, sha: 0.3 }
