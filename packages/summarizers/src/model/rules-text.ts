import type { EventId, Facts, ProjectRuleFact, TokenCounter } from '@tenfold/core/summarizer'
import { quoted } from './transcript.ts'

/**
 * All rules of the facts with the ids that the model cites, which are the same for all requests about a session: those of
 * documents, issues and hooks before those of comments in code, which mostly explain it.
 */
export function numberRules({ projectRules }: Facts) {
  return projectRules
    .toSorted((a, b) => Number(isCode(a)) - Number(isCode(b)))
    .map((rule, index) => ({ id: `r${index + 1}`, rule }))
}

function isCode({ source }: ProjectRuleFact): boolean {
  return /\.\w{1,8}$/.test(source) && !/\.(?:mdc?|rst|adoc|txt)$|rules$/i.test(source)
}

export interface RulesTextOptions {
  readonly maxTokens: number
  readonly counter: TokenCounter
  /** Only rules that these events show. @default all */
  readonly within?: ((event: EventId) => boolean) | undefined
  /** The id under which the block of an event can be found. @default its own */
  readonly idOf?: ((event: EventId) => EventId) | undefined
}

/**
 * The project rules as a model reads them: the most specific ones that fit into `maxTokens`, below the name of the file
 * that each is from. All lines are quoted: what a file calls itself is also only data.
 */
export function rulesText(facts: Facts, options: RulesTextOptions): string {
  const { maxTokens, counter, within = () => true, idOf = (event) => event } = options
  const wanted = numberRules(facts).filter(({ rule }) => within(rule.event))
  const bySource = new Map<string, string[]>()
  let left = maxTokens
  let shown = 0
  for (const { id, rule } of wanted) {
    const source = quoted(`from ${oneLine(rule.source).slice(0, 120)}:`)
    const line = quoted(`${id} ${idOf(rule.event)} ${oneLine(rule.text)}`)
    const others = bySource.get(source)
    left -= counter.count(others === undefined ? `${source}\n${line}` : line) + 1
    if (left < 0) break
    shown++
    if (others === undefined) bySource.set(source, [line])
    else others.push(line)
  }
  const more = wanted.length - shown
  return [
    ...[...bySource].flatMap(([source, lines]) => [source, ...lines]),
    ...(more > 0 && shown > 0 ? [`(${more} more)`] : []),
  ].join('\n')
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
