import type { EventId } from '../../session/event.ts'

/** A shorter line, such as a bracket, says nothing by itself: it follows the lines around it. */
const minLine = 12
/** Fewer characters are not worth a mark. */
const minRun = 60

/** Leaves out of a text what earlier texts have shown. `event` heads the block of the text; `source` is its file. */
export type Unshown = (text: string, event: EventId, source?: string) => string

export interface ShownLines {
  /**
   * Puts a mark in place of the lines that an earlier text had: a file that is read again, or after it was written,
   * output that is printed again, reminders of the harness.
   */
  readonly unshown: Unshown
  /**
   * Puts words in place of the marks in texts that have been cut since: `(12 lines as in e7 kiln.ts)`, or what
   * `omitted` makes of the lines if most of them are not shown anywhere.
   */
  resolve(texts: readonly string[], omitted: (text: string) => string): string[]
}

/** Where a line was first shown. */
interface Place {
  readonly event: EventId
  readonly source: string | undefined
}

/** Lines that a text does not repeat. */
interface Repeated {
  readonly lines: readonly string[]
  readonly keys: readonly string[]
  readonly place: Place | undefined
}

/** Remembers the lines of the texts that it is given. */
export function shownLines(): ShownLines {
  const shown = new Map<string, Place>()
  const marks: Repeated[] = []

  const unshown: Unshown = (text, event, source) => {
    const place = { event, source }
    const kept: string[] = []
    let run: string[] = []
    let known: { key: string; place: Place }[] = []
    const close = () => {
      const size = run.reduce((sum, line) => sum + line.length, 0)
      if (known.length === 0 || size < minRun) kept.push(...run)
      else {
        const keys = known.map(({ key }) => key)
        kept.push(markOf(marks.push({ lines: run, keys, place: mainPlace(known) }) - 1))
      }
      run = []
      known = []
    }
    for (const line of text.split('\n')) {
      const key = keyOf(line)
      const before = key.length < minLine ? undefined : shown.get(key)
      if (key.length >= minLine && before === undefined) shown.set(key, place)
      if (before !== undefined && before.event !== event) {
        run.push(line)
        known.push({ key, place: before })
      } else if (key.length < minLine && run.length > 0) run.push(line)
      else {
        close()
        kept.push(line)
      }
    }
    close()
    return kept.join('\n')
  }

  return {
    unshown,
    resolve(texts, omitted) {
      const visible = new Set(texts.flatMap((text) => text.split('\n').map(keyOf)))
      const wordsFor = (text: string) =>
        text.replace(marked, (mark: string, number: string) => {
          const repeated = marks[Number(number)]
          if (repeated === undefined) return mark
          const { lines, keys, place } = repeated
          const seen = keys.filter((key) => visible.has(key)).length
          if (seen < keys.length * minSeen) return omitted(lines.join('\n'))
          const count = `${lines.length} ${lines.length === 1 ? 'line' : 'lines'}`
          return place === undefined ? `(${count} shown before)` : `(${count} as in ${nameOf(place)})`
        })
      return texts.map((text) => joinGaps(wordsFor(text)))
    },
  }
}

/** Smallest share of repeated lines that must be in view for a mark to refer to them. */
const minSeen = 0.5

/** Private characters, which clean text has only by chance; a number that no mark has stays as it is. */
const marked = /\uE000(\d{1,9})\uE001/g

function markOf(number: number): string {
  return `\uE000${number}\uE001`
}

/** Makes one mark of those on lines after each other. */
function joinGaps(text: string): string {
  return text.replace(/^\[…\d{1,9}\](?:\n\[…\d{1,9}\])+$/gm, (gaps) => {
    const tokens = [...gaps.matchAll(/\d+/g)].reduce((sum, [count]) => sum + Number(count), 0)
    return `[…${tokens}]`
  })
}

/** The place of most of the lines; undefined if they come from several. */
function mainPlace(known: readonly { readonly place: Place }[]): Place | undefined {
  const counts = new Map<EventId, number>()
  for (const { place } of known) counts.set(place.event, (counts.get(place.event) ?? 0) + 1)
  const [event, count] = [...counts].sort((a, b) => b[1] - a[1])[0] ?? []
  if (count === undefined || count < known.length * mostFromOne) return undefined
  return known.find(({ place }) => place.event === event)?.place
}

const mostFromOne = 0.8

/** The event that heads the block, and the name of its file. */
function nameOf({ event, source }: Place): string {
  const name = source?.split('/').at(-1)
  return name === undefined || !/^[\w.@-]{1,60}$/.test(name) ? event : `${event} ${name}`
}

/** A line without its number, the sign of a diff, and the place that a search puts before it. */
function keyOf(line: string): string {
  return line
    .slice(0, 400)
    .replace(/^[\w./@-]{1,200}:\d+[:-]|^\s*\d+\s*[→|:\t-]\s?/, '')
    .replace(/^[+-](?=\S|\s{2})/, '')
    .trim()
}
