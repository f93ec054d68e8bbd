import type { ContextBundle } from '../bundle/schema.ts'
import type { SummaryItem } from '../bundle/session-summary.ts'
import type { Facts, ProjectRuleFact } from '../facts/facts.ts'
import { pathNormalizer } from '../facts/log-path.ts'
import { isRule } from '../facts/rules/rule-sentences.ts'
import { isInstructions, type RuleText, ruleTexts } from '../facts/rules/rule-texts.ts'
import { cleanLine } from '../session/clean-text.ts'
import { eventIndex } from '../session/event.ts'
import type { Session } from '../session/session.ts'
import { joinToolUses } from '../tools/tool-uses.ts'

/** The rules of a bundle, and the number of picked ones that the log does not contain. */
export interface BundleRules {
  readonly rules: ContextBundle['projectRules']
  readonly refused: number
}

/**
 * Maximum number of rules in addition to those that a model picked from all, not counting those of files that instruct
 * agents.
 */
const mostBesidePicked = 4

/**
 * Returns the project rules of a bundle: first those that the summarizer picked, then others that code found, of which
 * only a few if a model picked. A picked rule that the facts lack must occur, word for word, in a text of the log that
 * may contain rules, such as a file or an issue, which becomes its source whatever the summarizer cites; or in a
 * message of the agent.
 */
export function bundleRules(
  session: Session,
  facts: Facts,
  picked: readonly SummaryItem[] = [],
  pickedByModel = false,
): BundleRules {
  const known = new Map(facts.projectRules.map((rule) => [cleanLine(rule.text), rule]))
  const further = picked.filter(({ text }) => !known.has(cleanLine(text)))
  const texts = further.length === 0 ? [] : textsOf(session)
  const first = picked.flatMap(
    (rule) => known.get(cleanLine(rule.text)) ?? ruleIn(texts, rule) ?? quotedRule(session, rule) ?? [],
  )
  const kept = new Set(first.map(({ text }) => cleanLine(text)))
  const beside = facts.projectRules.filter(({ text }) => !kept.has(cleanLine(text)))
  const instructions = beside.filter(({ source }) => isInstructions(source))
  const others = beside.filter(({ source }) => !isInstructions(source))
  const all = [
    ...first,
    ...(pickedByModel ? [...instructions, ...others.slice(0, mostBesidePicked)] : beside),
  ]
  const rules = new Map(all.map((rule) => [cleanLine(rule.text), rule]))
  return {
    rules: [...rules].map(([text, { source, event }]) => ({
      text,
      source: cleanLine(source) || 'a file',
      evidence: [event],
    })),
    refused: picked.length - first.length,
  }
}

/** Returns the texts of a log that may contain rules, each as one line without line numbers. */
function textsOf({ events, cwd }: Session): RuleText[] {
  return ruleTexts(events, joinToolUses(events), pathNormalizer(cwd)).map((each) => ({
    ...each,
    text: cleanLine(each.text.replace(/^ {0,8}\d{1,6}[→\t|:] ?/gm, '')),
  }))
}

/** Returns the rule as in its source; the source that the summarizer cites is searched first. */
function ruleIn(texts: readonly RuleText[], { text, evidence }: SummaryItem): ProjectRuleFact | undefined {
  const wanted = cleanLine(text)
  if (!isRule(wanted)) return undefined
  const cited = texts.filter(({ event }) => evidence.includes(event))
  const holder = [...cited, ...texts].find((each) => each.text.includes(wanted))
  return holder === undefined ? undefined : { text: wanted, source: holder.source, event: holder.event }
}

/** Returns a rule that only a cited message of the agent contains, since not every log has the file that it quotes. */
function quotedRule({ events }: Session, { text, evidence }: SummaryItem): ProjectRuleFact | undefined {
  const wanted = cleanLine(text)
  if (!isRule(wanted)) return undefined
  const holder = evidence
    .map((id) => events[eventIndex(id)])
    .find((event) => event?.type === 'assistant' && cleanLine(event.text).includes(wanted))
  return holder === undefined ? undefined : { text: wanted, source: 'quoted by the agent', event: holder.id }
}
