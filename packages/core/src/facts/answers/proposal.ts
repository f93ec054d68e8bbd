import { cleanLine } from '../../session/clean-text.ts'
import { cutHead } from '../../session/cut-text.ts'
import { largePattern } from '../../session/large-pattern.ts'
import { sentenceTexts } from '../constraints/sentences.ts'
import type { OfferedOption } from './offered-options.ts'

const proposes = largePattern(
  /\b(?:i(?:['’]d| would) (?:\w+ )?(?:recommend|suggest|propose|go with|bump|keep|use|make|put|add|skip|prefer|take|leave|split)|i (?:recommend|suggest|propose)|my (?:recommendation|suggestion|proposal)|places? to fix|the (?:\w+ )?(?:fix|approach|solution|design|plan) (?:is|would be)|(?:best|right|cleanest|simplest|simpler|safest|safer|better|cleaner|recommended) (?:fix|approach|option|action|solution|version|way|change|design|path)|the (?:fix|approach|design|solution|change):)/i,
)
/** A condition, a reference to earlier text, or a question. */
const unclear = /^(?:if|when|once|this|that|it)\b|[?？]["'*)\]]*$/i
const list = /^\W{0,9}\n((?:\s{0,9}(?:[-*•]|\d{1,2}[.)])\s+[^\n]+(?:\n|$))+)/
const mark = /(?:^|\n)\s*(?:[-*•]|\d{1,2}[.)])\s+/

/** Returns the last way that a message proposes, with the list that it introduces, for a mere "yes"; empty if none. */
export function proposalIn(message: string): string {
  const text = message.replaceAll('**', '')
  const lead = sentenceTexts(text).findLast((words) => proposes().test(words) && !unclear.test(words)) ?? ''
  const leads = /[:：]$/.test(lead)
  const rest = text.slice(text.lastIndexOf(lead.slice(-40)) + lead.slice(-40).length)
  const items = leads ? (list.exec(rest)?.[1]?.split(mark) ?? []) : []
  const said = cleanLine(`${lead} ${items.filter((item) => item !== '').join('; ')}`)
  return said.length < shortest || (leads && items.length === 0) ? '' : cutHead(said, maxLength)
}

/** "I'd keep it subtle." is too vague. */
const shortest = 24
const maxLength = 300

/** Returns the option that the message itself recommends, which a mere "yes" accepts. */
export function recommended(text: string, options: readonly OfferedOption[]): OfferedOption[] {
  const mark =
    /\b(?:i(?:'d)? (?:would )?(?:recommend|suggest|go with|propose|prefer)|my recommendation(?: is)?:?|recommended:?)\s+(?:going with\s+)?(?:option\s+|approach\s+|the\s+)?[`*("']{0,3}([0-9]{1,2}|[a-h])\b/i.exec(
      text,
    )?.[1]
  const option = mark === undefined ? undefined : options.find((one) => one.mark === mark.toLowerCase())
  return option === undefined ? [] : [option]
}
