import { isBindingHeading, isForbiddingHeading } from './binding/classify-sentence.ts'

export const listMark = /^\s*(?:[-*+•]|\d{1,3}[.)]|[a-z][.)]|#{1,6}|>)\s+(?:\[[ xX]\]\s+)?/

/** The position of a line relative to lists. */
export interface ListPlace {
  /** It is an item of a list that binds. */
  readonly listed: boolean
  /** The title of the list if it forbids. */
  readonly under?: string
}

/** Outside of lists that bind. */
export const nowhere: ListPlace = { listed: false }

/**
 * Returns a function that says for each successive line whether it is an item of a list that binds. A Markdown heading
 * holds until the next one, a line that ends in a colon until the first paragraph after its list.
 */
export function listReader(): (raw: string, line: string) => ListPlace {
  let section: ListPlace = nowhere
  let list: ListPlace | undefined
  let items = 0
  let blank = false
  return (raw, line) => {
    if (line === '') {
      blank = true
      return nowhere
    }
    const afterBlank = blank
    blank = false
    const heading = /^#{1,6}\s+(.{1,80}?):?$/.exec(line)?.[1] ?? /^\*\*(.{1,60}?):?\*\*:?$/.exec(line)?.[1]
    if (heading !== undefined) {
      section = placeBelow(heading)
      list = undefined
      return nowhere
    }
    const isItem = listMark.test(raw)
    const words = isItem ? line.replace(listMark, '') : line
    const title = /^(.{1,80})[:：]$/.exec(words)?.[1]
    if (title !== undefined && (!isItem || placeBelow(title).listed)) {
      list = placeBelow(title)
      items = 0
      return nowhere
    }
    const inline = /^(.{1,40}?)[:：]\s*\S/.exec(words)?.[1]
    if (inline !== undefined && isBindingHeading(plainTitle(inline))) return { listed: true }
    if (list !== undefined) {
      if (isItem) items++
      // The list ends with the first paragraph after it.
      else if (items > 0 || (afterBlank && !list.listed)) list = undefined
      if (list !== undefined) return isItem || items === 0 ? list : nowhere
    }
    return isItem ? section : nowhere
  }
}

function placeBelow(title: string): ListPlace {
  const plain = plainTitle(title)
  if (isForbiddingHeading(plain)) return { listed: true, under: plain }
  return isBindingHeading(plain) ? { listed: true } : nowhere
}

function plainTitle(title: string): string {
  return title.replace(/^[\d.)\s]+|\*/g, '').trim()
}
