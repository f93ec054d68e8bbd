/** A search hit, or a line around one: file, separator, line number. */
const hit = /^([\w@.+~/\\-]{1,200}?\.\w{1,8})(?:([:-])(\d{1,7})\2|:(?=\D))/

/** A path on a separate line. */
const path = /^(?=\S*[\w@])((?:[\w@.+~()[\]-]{0,80}[/\\]){1,20})([\w@.+~()[\]-]{1,80})$/

/** Maximum characters of a line with names in one folder. */
const longestLine = 160

/**
 * Returns search output with the path of each file once, before its hits, and with consecutive paths in one folder
 * joined: `src/kiln/ fire.ts cool.ts`. Linear time.
 */
export function groupHits(output: string): string {
  const kept: string[] = []
  let file: string | undefined
  let folder: string | undefined
  for (const line of output.split('\n')) {
    const [start = '', of] = hit.exec(line.slice(0, 240)) ?? []
    const [, within, name = ''] = of === undefined && line.length < 400 ? (path.exec(line) ?? []) : []
    const last = kept.at(-1)
    if (of !== undefined) {
      if (of !== file) kept.push(`${of}:`)
      const place = start.slice(of.length)
      kept.push(`${place.length > 1 ? place.slice(1) : ''}${line.slice(start.length)}`)
    } else if (within !== undefined && within === folder && last !== undefined && last.length < longestLine) {
      const names = last.startsWith(`${folder} `) ? last : `${folder} ${last.slice(folder.length)}`
      kept[kept.length - 1] = `${names} ${name}`
    } else kept.push(line)
    file = of
    folder = within
  }
  return kept.join('\n')
}
