import { basename, dirname, join } from 'node:path'
import type { Reader } from '../reader/reader.ts'

/**
 * Reads `.aider.chat.history.md` of aider: one file per repository that only grows, so its chats are one continuous
 * log. Lines of the user begin with `#### `, aider's own with `> `; everything else is the model's.
 * https://github.com/Aider-AI/aider/blob/main/aider/io.py
 */
export const aiderReader: Reader = {
  name: 'aider',
  framing: 'text',
  detect({ text }) {
    return /^\s*# aider chat started at \d{4}-\d\d-\d\d/.test(text) ? 1 : 0
  },
  companions(path) {
    if (basename(path) !== '.aider.chat.history.md') return []
    const names = 'input.history llm.history tags.cache.v3 tags.cache.v4'.split(' ')
    return names.map((name) => join(dirname(path), `.aider.${name}`))
  },
  read: async (records, out) => (await import('./read.ts')).readAider(records, out),
}
