import { type EventId, eventIndex, type SessionEvent } from '../../session/event.ts'

// What a user says who did it: "I pushed the changes manually". By the goals of failed commands.
const participles: readonly (readonly [goal: string, participle: string])[] = [
  ['install JavaScript packages', 'installed'],
  ['install Python packages', 'installed'],
  ['install system packages', 'installed'],
  ['install modules', 'installed'],
  ['bring changes together', 'merged|rebased|pulled'],
  ['commit', 'committed'],
  ['push', 'pushed'],
  ['clone', 'cloned'],
  ['tag', 'tagged'],
  ['open a pull request', 'opened'],
  ['release', 'released|published'],
  ['deploy', 'deployed'],
]

const patterns = new Map(
  participles.map(([goal, participle]) => [
    `goal ${goal}`,
    new RegExp(
      `(?:^|[.!;,:\\n]\\s*|\\b(?:ok|okay|and|so)\\s+)(?:I|we)(?:'ve| have)?(?: (?:already|just|now|manually)){0,2} (?:${participle})\\b(?! ?\\?)`,
      'i',
    ),
  ]),
)

/** Returns the message of the user who did what a failed command was to do, after it failed. */
export function doneByUser(
  failure: { readonly event: EventId; readonly keys: readonly string[] },
  events: readonly SessionEvent[],
): EventId | undefined {
  const pattern = failure.keys.map((key) => patterns.get(key)).find((found) => found !== undefined)
  if (pattern === undefined) return undefined
  const at = eventIndex(failure.event)
  return events.find(
    (event) => event.type === 'user' && eventIndex(event.id) > at && pattern.test(event.text.slice(0, 2000)),
  )?.id
}
