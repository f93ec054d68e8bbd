import type { EventId } from '../../session/event.ts'

/** Shorter lines, such as a bracket, are treated like the lines around them. */
const minLine = 12

/** A text whose lines may have been shown before. */
export interface LinesOf {
  readonly text: string
  /** Event in the head of the text's block. */
  readonly event: EventId
  /** File of the text. */
  readonly source?: string | undefined
  /** True for a diff, whose lines only another edit can replace. */
  readonly isEdit?: boolean | undefined
}

export interface ShownLines {
  /**
   * Replaces runs of at least `minRun` characters that earlier texts contain, by a reference such as `(12 lines as in
   * e7 kiln.ts)`: a file that is read again, or after it was written, repeated output, reminders of the harness. Lines
   * for which `stays` is true stay.
   */
  without(text: LinesOf, minRun: number, stays?: (line: string) => boolean): string
  /** Records the lines of a text as shown. */
  show(text: LinesOf): void
}

/** Where a line was first shown. */
type Place = Omit<LinesOf, 'text'>

export function shownLines(): ShownLines {
  const shown = new Map<string, Place>()
  // Equal lines of another file do not show the content of this one.
  const placeOf = (key: string, { event, source }: Place, isEdit: boolean): Place | undefined => {
    const any = shown.get(key)
    const before = source === undefined || any?.source === undefined ? any : shown.get(`${source}\n${key}`)
    return before?.event !== event && (before?.isEdit === true || !isEdit) ? before : undefined
  }
  return {
    without({ text, isEdit = false, ...place }, minRun, stays = () => false) {
      const kept: string[] = []
      let run: string[] = []
      let known: Place[] = []
      const close = () => {
        const size = run.reduce((sum, line) => sum + line.length, 0)
        if (known.length === 0 || size < (run.length === 1 ? 3 : 1) * minRun) kept.push(...run)
        else
          kept.push(`${run.every((line) => line.startsWith('-')) ? '-' : ''}${wordsFor(run.length, known)}`)
        run = []
        known = []
      }
      for (const line of text.split('\n')) {
        const key = keyOf(line)
        const isLong = key.length >= minLine && !stays(line)
        const before = isLong ? placeOf(key, place, isEdit && !line.startsWith('-')) : undefined
        if (before !== undefined) {
          run.push(line)
          known.push(before)
        } else if (key.length < minLine && run.length > 0) run.push(line)
        else {
          close()
          kept.push(line)
        }
      }
      close()
      return kept.join('\n')
    },
    show({ text, ...place }) {
      for (const line of text.split('\n')) {
        const key = keyOf(line)
        if (key.length < minLine) continue
        for (const name of place.source === undefined ? [key] : [key, `${place.source}\n${key}`]) {
          const before = shown.get(name)
          if (before === undefined || (place.isEdit === true && before.isEdit !== true))
            shown.set(name, place)
        }
      }
    },
  }
}

function wordsFor(lines: number, places: readonly Place[]): string {
  return `(${lines} ${lines === 1 ? 'line' : 'lines'} as in ${mainPlaces(places).map(nameOf).join(' and ')})`
}

/** Returns the place of most of the lines, and a second one if the first has too few. */
function mainPlaces(places: readonly Place[]): Place[] {
  const counts = new Map<EventId, number>()
  for (const { event } of places) counts.set(event, (counts.get(event) ?? 0) + 1)
  const [first, second] = [...counts].sort((a, b) => b[1] - a[1])
  const isOne = second === undefined || (first?.[1] ?? 0) >= places.length * mostFromOne
  return [first, isOne ? undefined : second].flatMap(
    (one) => places.find((place) => place.event === one?.[0]) ?? [],
  )
}

const mostFromOne = 0.8

/** Returns the event of a block, with the name of its file. */
function nameOf({ event, source }: Place): string {
  const name = source?.split('/').at(-1)
  return name === undefined || !/^[\w.@-]{1,60}$/.test(name) ? event : `${event} ${name}`
}

/** Returns a line without line number, diff sign and the place that a search prints. */
function keyOf(line: string): string {
  return line
    .slice(0, 400)
    .replace(/^[\w./@-]{1,200}:\d+[:-]|^\s*\d+\s*[→|:\t-]\s?/, '')
    .replace(/^[+-](?=\S|\s{2})/, '')
    .trim()
}
