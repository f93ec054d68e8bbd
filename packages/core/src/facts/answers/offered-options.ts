import { cleanLine } from '../../session/clean-text.ts'
import { largePattern } from '../../session/large-pattern.ts'

/** An option of a question. */
export interface OfferedOption {
  readonly label: string
  readonly description?: string
  /** The mark that a reply may use, if the question lists options by mark: `2`, `b`. */
  readonly mark?: string
}

/** Maximum length of a text that is searched for options; a message with a question is shorter. */
const longest = 20_000

const item =
  /^[\s>#*_|-]{0,8}(?:(?:option|choice|approach|opción|opção|variante|方案|选项|選項)\s*)?[([]?([0-9]{1,2}|[A-Za-z])(?:[).\]:]|\*\*[).:]?|\s+[-–—])\s*(?=\S)(.{2,600})$/iu

/** Returns lists of at least two options that a message marks with numbers or letters, in order; marks are in lower case. */
export function optionLists(text: string): OfferedOption[][] {
  const lists: OfferedOption[][] = []
  let current: OfferedOption[] = []
  for (const line of text.slice(-longest).split('\n')) {
    const [, mark = '', words = ''] = item.exec(line) ?? []
    const key = mark.toLowerCase()
    if (follows(current.at(-1)?.mark, key)) current.push(optionOf(key, words))
    else if (key === '1' || key === 'a') {
      current = [optionOf(key, words)]
      lists.push(current)
    }
  }
  return lists.filter((list) => list.length > 1)
}

function follows(before: string | undefined, mark: string): boolean {
  if (before === undefined) return false
  const number = Number(before)
  return Number.isNaN(number)
    ? mark.length === 1 && mark.charCodeAt(0) === before.charCodeAt(0) + 1
    : mark === String(number + 1)
}

function optionOf(mark: string, words: string): OfferedOption {
  const [cell = '', next] = words.split(cellEnd).map(withoutMarks)
  // A table row with its label and meaning.
  if (next) return { mark, label: cell, description: next }
  const [, label = cell, description] = /^(.{2,100}?)(?:\s+[-–—]\s+|[:：]\s*)(.{3,})$/u.exec(cell) ?? []
  return { mark, label: label.trim(), ...(description === undefined ? {} : { description }) }
}

/** Separator of the cells in a table row. */
const cellEnd = /\s*\|(?:\s+|$)/

function withoutMarks(text: string): string {
  return text.replace(/\*{2,}|_{2,}|`{2,}|(?<!\w)[*_]|[*_](?!\w)/g, '').trim()
}

const wordsForAll =
  /^(?:all|all of (?:them|those|these|the above)|everything|alle|todos|todas|tutti|全部|都要|すべて)\b/iu
const wordsForBoth = largePattern(
  /^(?:(?:do|let's do|yes,?|i(?:'d| would) (?:like|want)) )?(?:both|beide[sn]?|ambos|ambas|les deux|entrambi|оба|两个都|兩個都|両方)(?![\p{L}])/iu,
)
const ordinals = ['first', 'second', 'third', 'fourth', 'fifth']
const opening = largePattern(
  /^(?:(?:ok(?:ay)?|yes|yeah|sure|please|hmm|well)[,.!]?\s+)*(?:(?:let'?s|i'?d|i(?: would|'ll)?|we)\s+)?(?:(?:go (?:with|for)|do|use|pick|choose|take|prefer|like|want|say|think)\s+)*(?:the\s+)?/iu,
)
const marks = largePattern(
  /^(?:(?:option|options|number|nr\.?|no\.?|choice|approach|#|方案|选项|選項)\s*)?[([]?([0-9]{1,2}|[a-z])[)\].]?(?:\s*(?:-|–|to|bis)\s*([0-9]{1,2}))?((?:\s*(?:,|&|\+|and|und|et|y|e|和|、)\s*(?:option\s*)?[([]?(?:[0-9]{1,2}|[a-z])[)\].]?(?![\p{L}\p{N}]))*)(?![\p{L}\p{N}'’])/iu,
)

/** A list of answers to separate questions: `1. the third, 2. left`. */
export const listsAnswers = /^1[.)]\s[\s\S]{1,2000}\s2[.)]\s/

/** Returns the answers of such a list without their numbers; a number out of order belongs to the words. */
export function answersListed(text: string): string[] {
  const isByLine = /\n\s*2[.)]\s/.test(text)
  const starts: { readonly at: number; readonly end: number }[] = []
  for (const { 0: mark, 1: number, index } of text.matchAll(
    isByLine ? /^\s*(\d{1,2})[.)]\s+/gm : /(?<!\S)(\d{1,2})[.)]\s+/g,
  ))
    if (Number(number) === starts.length + 1) starts.push({ at: index, end: index + mark.length })
  return starts.map(({ end }, place) => cleanLine(text.slice(end, starts[place + 1]?.at)))
}

/** Returns the options that a reply names: by number, letter or order, by `both` or `all`, or by their own words. */
export function optionsNamed(reply: string, options: readonly OfferedOption[]): OfferedOption[] {
  if (options.length === 0) return []
  const text = reply.trim()
  if (listsAnswers.test(text)) return []
  if (wordsForAll.test(text)) return [...options]
  if (wordsForBoth().test(text) && options.length === 2) return [...options]
  const rest = text.replace(opening(), '')
  const byMark = marked(text, rest, options)
  if (byMark.length > 0) return byMark
  const place = ordinals.findIndex((word) => new RegExp(`^${word}\\b`, 'i').test(rest))
  return place < 0 ? [] : options.slice(place, place + 1)
}

function marked(text: string, rest: string, options: readonly OfferedOption[]): OfferedOption[] {
  const [whole = '', first = '', last, more = ''] = marks().exec(rest) ?? []
  // A lower-case letter alone may be a word: "a test is missing".
  const isLetter = /[a-z]/i.test(first)
  if (
    whole === '' ||
    (isLetter &&
      first === first.toLowerCase() &&
      whole !== rest &&
      !/^(?:option|choice|approach|\(|\w[).\]])/i.test(rest))
  )
    return []
  // "A" opens many sentences, and "I" is not an option.
  if (
    isLetter &&
    rest === text &&
    whole.length < text.length &&
    !/^[,.:;)\]\n]|^\s+(?:and|but|with|-)\b/i.test(rest.slice(first.length))
  )
    return []
  const wanted = new Set(
    [first, ...(more.match(/[0-9]{1,2}|[a-z](?![\p{L}])/giu) ?? [])].map((mark) => mark.toLowerCase()),
  )
  if (last !== undefined)
    for (let number = Number(first); number <= Math.min(Number(last), 99); number++)
      wanted.add(String(number))
  const meant = options.filter(({ mark }) => mark !== undefined && wanted.has(mark))
  // "2. Add the calls" quotes an item, perhaps of an earlier list, which its words show.
  const quoted = /^\d{1,2}[.)]\s+(\S[\s\S]{20,})$/.exec(text)?.[1]
  return quoted === undefined ? meant : meant.filter(({ label }) => sharesMost(label, quoted))
}

function sharesMost(label: string, text: string): boolean {
  const words =
    plainLabel(label)
      .toLowerCase()
      .match(/[\p{L}\p{N}]{2,}/gu) ?? []
  const said = text.toLowerCase()
  return words.filter((word) => said.includes(word)).length * 2 >= words.length
}

/** Returns a label without the remarks of its author: `Rebase (Recommended)`. */
export function plainLabel(label: string): string {
  return label
    .replace(
      /\s*[([](?:recommended|default|empfohlen|recomendado|推荐|推薦|建议|おすすめ)[^)\]]*[)\]]/giu,
      '',
    )
    .trim()
    .replace(/^([`"'])([^`"']*)\1$/, '$2')
}
