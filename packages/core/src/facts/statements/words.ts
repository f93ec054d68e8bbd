import { ruleWords } from '../constraints/binding/lifted.ts'

/** Words of a step that only mean that it is open. */
const open = new Set('next step todo would then remain open task pend now last'.split(' '))

/** Returns the words that carry the topic of a text, as stems. */
export function topicWords(text: string): ReadonlySet<string> {
  return new Set([...ruleWords(text, 'plain').subject].filter((word) => !open.has(word)))
}
