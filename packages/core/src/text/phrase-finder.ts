import { eachWord, headLength } from './each-word.ts'

/** Finds phrases in texts: consecutive words, ignoring case and whatever separates them. */
export interface PhraseFinder {
  /** `start` is the beginning of a phrase of one word, which may continue in any way. */
  add(phrase: string, start?: string): void
  /** Visits the phrases in a text, perhaps repeatedly. */
  find(text: string, visit: (phrase: string) => void): void
}

/** Maximum number of words that are compared: the last ones of a longer phrase. */
const maxWords = 16

const tableSize = 1 << 16

/** Combines the hash of a run of words with that of the next word. */
const joined = (run: number, word: number): number => Math.imul(run, 0x01000193) ^ word

/** Indexes phrases by the hash of their last three words, or of their beginning. Takes linear time. */
export function phraseFinder(): PhraseFinder {
  const wanted = new Uint8Array(tableSize)
  const byEnd = new Map<number, { readonly phrase: string; readonly hashes: readonly number[] }[]>()
  const byHead = new Map<number, { readonly phrase: string; readonly start: string }[]>()
  return {
    add(phrase, start) {
      const hashes: number[] = []
      eachWord(start?.slice(0, headLength) ?? phrase, (hash) => hashes.push(hash))
      if (hashes.length === 0) return
      const key = hashes.slice(-3).reduce(joined)
      wanted[key & (tableSize - 1)] = 1
      if (start !== undefined) byHead.set(key, [...(byHead.get(key) ?? []), { phrase, start }])
      else byEnd.set(key, [...(byEnd.get(key) ?? []), { phrase, hashes: hashes.slice(-maxWords) }])
    },
    find(text, visit) {
      const last = new Int32Array(maxWords)
      let [count, one, two] = [0, 0, 0]
      const visitEnding = (key: number): void => {
        if (wanted[key & (tableSize - 1)] !== 1) return
        for (const { phrase, hashes } of byEnd.get(key) ?? [])
          if (
            hashes.length <= count &&
            hashes.every((each, at) => last[(count - hashes.length + at) % maxWords] === each)
          )
            visit(phrase)
      }
      eachWord(text, (hash, head, start, end) => {
        last[count % maxWords] = hash
        count++
        if (wanted[head & (tableSize - 1)] === 1 && end - start >= headLength)
          for (const each of byHead.get(head) ?? [])
            if (text.slice(start, start + each.start.length).toLowerCase() === each.start) visit(each.phrase)
        visitEnding(hash)
        const three = joined(two, hash)
        two = joined(one, hash)
        one = hash
        visitEnding(two)
        visitEnding(three)
      })
    },
  }
}
