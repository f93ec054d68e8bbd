import { drawing } from './dom.ts'

const paths: ReadonlyMap<string, string> = new Map([
  ['read', 'M4 2.5h5l3 3v8H4zM9 2.5v3h3M6 8.5h4M6 11h4'],
  ['edit', 'M10.5 3 13 5.5 6 12.5l-3 .5.5-3zM9 4.5 11.5 7'],
  ['delete', 'M3.5 4.5h9M6.5 4.5v-2h3v2M5 4.5l.5 9h5l.5-9'],
  ['move', 'M2.5 8h10M9 4.5 12.5 8 9 11.5'],
  ['search', 'M7 3a4 4 0 1 1 0 8 4 4 0 0 1 0-8zM10 10l3.5 3.5'],
  ['execute', 'M3 4.5 6.5 8 3 11.5M8 12h5'],
  ['think', 'M8 2.5a4 4 0 0 1 2.3 7.3V12H5.7V9.8A4 4 0 0 1 8 2.5zM6.2 14h3.6'],
  [
    'fetch',
    'M8 2.5a5.5 5.5 0 1 1 0 11 5.5 5.5 0 0 1 0-11zM2.5 8h11M8 2.5c-3.6 3.4-3.6 7.6 0 11 3.6-3.4 3.6-7.6 0-11',
  ],
  ['switch_mode', 'M3 5.5h9M9.5 3 12 5.5 9.5 8M13 10.5H4M6.5 8 4 10.5 6.5 13'],
  ['agent', 'M4 2.5v7a3 3 0 0 0 3 3h5M9.5 10l2.5 2.5L9.5 15M4 5.5h5'],
  ['context', 'M2.5 4h11M2.5 8h11M2.5 12h6'],
  ['compaction', 'M3 2.5h10M3 13.5h10M8 4v3M6 5.5 8 7.5l2-2M8 12V9M6 10.5l2-2 2 2'],
  ['rewind', 'M8 4 3.5 8 8 12zM13 4 8.5 8l4.5 4z'],
  ['note', 'M8 2.5 14 13H2zM8 6.5v3M8 11v.5'],
  ['other', 'M3.5 8h.5M8 8h.5M12.5 8h.5'],
  ['chevron', 'M6 4l4 4-4 4'],
  ['copy', 'M5.5 5.5h7.5v8H5.5zM10.5 5.5v-3H3v8h2.5'],
  ['close', 'M4 4l8 8M12 4l-8 8'],
  ['theme', 'M8 2.5a5.5 5.5 0 1 0 0 11zM8 2.5a5.5 5.5 0 0 1 0 11'],
  [
    'help',
    'M6 6a2 2 0 1 1 2.6 1.9c-.4.2-.6.5-.6 1v.6M8 11.6v.4M8 1.8a6.2 6.2 0 1 1 0 12.4A6.2 6.2 0 0 1 8 1.8z',
  ],
  ['outline', 'M2.5 4h2M7 4h6.5M2.5 8h2M7 8h6.5M2.5 12h2M7 12h6.5'],
  ['bundle', 'M8 1.8 13.5 5v6L8 14.2 2.5 11V5zM2.5 5 8 8l5.5-3M8 8v6.2'],
])

/** The icon of that name, or of `other`. */
export function icon(name: string): SVGSVGElement {
  const known = paths.has(name) ? name : 'other'
  return drawing(paths.get(known) ?? '', known)
}
