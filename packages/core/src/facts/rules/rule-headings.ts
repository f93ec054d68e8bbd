import { largePattern } from '../../session/large-pattern.ts'

/** How far the lines below a heading bind: not at all, only if they say so in strong words, or as any other. */
type Reach = 'none' | 'strong' | 'any'

const notRules =
  /^(?:rejected|(?:rejected )?(?:alternatives?|options|approaches)(?: considered| rejected)?|not chosen|examples?(?: (?:of|for|usage|workflow|execution)\b.{0,60})?|usage examples?|sample(?: \w+)?)$/i
const descriptions = largePattern(
  /^(?:(?:key|main|core|current|project|important) )?(?:features?|benefits|advantages|overview|tech(?:nology)? stack|components|checklist|installation|getting started|quick ?start|about|status|background|motivation|faq|roadmap|non[- ]goals|out of scope|open questions|deferred|future work)(?: (?:&|and) .{1,40}| implemented)?$/i,
)

/** Follows the headings of a text line by line. */
export interface HeadingReach {
  readonly enter: (level: number, title: string) => void
  readonly reach: () => Reach
}

/** Starts at a text without a heading. */
export function headingReach(): HeadingReach {
  let open: { readonly level: number; readonly reach: Reach }[] = []
  return {
    enter(level, title) {
      open = open.filter((heading) => heading.level < level)
      const words = title.replace(/^[^\p{L}]+|[^\p{L}]+$/gu, '')
      const reach = notRules.test(words) ? 'none' : descriptions().test(words) ? 'strong' : 'any'
      open.push({ level, reach })
    },
    reach: () => {
      if (open.some(({ reach }) => reach === 'none')) return 'none'
      return open.some(({ reach }) => reach === 'strong') ? 'strong' : 'any'
    },
  }
}
