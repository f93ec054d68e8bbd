import type { ContextBundle } from '../bundle/schema.ts'
import type { SummaryItem } from '../bundle/session-summary.ts'
import type { Facts, ProjectRuleFact } from '../facts/facts.ts'
import { pathNormalizer } from '../facts/log-path.ts'
import { isRule } from '../facts/rules/rule-sentences.ts'
import { type RuleText, ruleTexts } from '../facts/rules/rule-texts.ts'
import { cleanLine } from '../session/clean-text.ts'
import type { Session } from '../session/session.ts'
import { joinToolUses } from '../tools/tool-uses.ts'

/**
 * Returns the project rules of a bundle: first those that the summarizer picked, then the others that code found. A
 * picked one that the facts lack must stand, word for word, in a text of the log that may hold rules, such as a file or
 * an issue; that text names its source, whatever the summarizer says.
 */
export function bundleRules(
  session: Session,
  facts: Facts,
  picked: readonly SummaryItem[] = [],
): ContextBundle['projectRules'] {
  const known = new Map(facts.projectRules.map((rule) => [cleanLine(rule.text), rule]))
  const others = picked.filter(({ text }) => !known.has(cleanLine(text)))
  const texts = others.length === 0 ? [] : textsOf(session)
  const first = picked.flatMap((rule) => known.get(cleanLine(rule.text)) ?? ruleIn(texts, rule))
  const rules = new Map([...first, ...facts.projectRules].map((rule) => [cleanLine(rule.text), rule]))
  return [...rules].map(([text, { source, event }]) => ({
    text,
    source: cleanLine(source) || 'a file',
    evidence: [event],
  }))
}

/** The texts of a log that may hold rules, each as one line without the numbers of a file's lines. */
function textsOf({ events, cwd }: Session): RuleText[] {
  return ruleTexts(events, joinToolUses(events), pathNormalizer(cwd)).map((each) => ({
    ...each,
    text: cleanLine(each.text.replace(/^ {0,8}\d{1,6}[→\t|:] ?/gm, '')),
  }))
}

/** The rule as its source has it; the source that the summarizer cites comes first. */
function ruleIn(texts: readonly RuleText[], { text, evidence }: SummaryItem): ProjectRuleFact[] {
  const wanted = cleanLine(text)
  if (!isRule(wanted)) return []
  const cited = texts.filter(({ event }) => evidence.includes(event))
  const holder = [...cited, ...texts].find((each) => each.text.includes(wanted))
  return holder === undefined ? [] : [{ text: wanted, source: holder.source, event: holder.event }]
}
