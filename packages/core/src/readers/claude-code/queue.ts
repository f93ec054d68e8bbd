import type { Place } from './agents.ts'

/** A text that was typed, or a notice that arrived, while the agent worked. */
interface QueuedText {
  readonly text: string
  readonly place: Place
  readonly time: string | undefined
}

/** Follows the queue of prompts, so that each is counted once no matter how it is delivered. */
export interface PromptQueue {
  enqueue(entry: QueuedText): void
  /** The first entry is delivered as a separate record, which follows. */
  dequeue(): void
  /** An entry left the queue: delivered in the middle of a turn, or removed. */
  remove(text: string | undefined): QueuedText | undefined
  clear(): void
  /** Whether this text went through the queue. Marks it as seen. */
  seen(text: string): boolean
  /** Entries that are still waiting. */
  waiting(): readonly QueuedText[]
}

/** An empty queue. */
export function createPromptQueue(): PromptQueue {
  let entries: QueuedText[] = []
  const passed = new Set<string>()
  const delivered = new Set<string>()
  return {
    enqueue(entry) {
      entries.push(entry)
      passed.add(entry.text.trim())
    },
    dequeue() {
      entries.shift()
    },
    remove(text) {
      const index = text === undefined ? 0 : entries.findIndex((entry) => entry.text.trim() === text.trim())
      return index === -1 ? undefined : entries.splice(index, 1)[0]
    },
    clear() {
      entries = []
    },
    seen(text) {
      const trimmed = text.trim()
      if (!passed.has(trimmed)) return false
      delivered.add(trimmed)
      return true
    },
    waiting: () => entries.filter((entry) => !delivered.has(entry.text.trim())),
  }
}
