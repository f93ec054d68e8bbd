import { asObject, type JsonObject } from '../../../session/json-values.ts'

/** The lines of a `grep` result as the program prints them; undefined if the result has another form. */
export function grepText({ workspaceResults, activeEditorResult }: JsonObject): string | undefined {
  const results = [...Object.values(asObject(workspaceResults) ?? {}), activeEditorResult]
  const lines = results.filter((result) => result !== undefined).map(resultLines)
  return lines.length > 0 && lines.every(isKnown) ? lines.flat().join('\n') : undefined
}

function resultLines(result: unknown): readonly string[] | undefined {
  const { type, output } = asObject(result) ?? {}
  const { files, matches, counts, count, totalMatches, total } = asObject(output) ?? {}
  if (type === 'files' && Array.isArray(files)) return withMore(files.map(String), files.length, count)
  if (type === 'content' && Array.isArray(matches))
    return withMore(matches.flatMap(matchLines), matches.length, totalMatches)
  if (type === 'count' && Array.isArray(counts)) {
    const sum = counts.reduce((all: number, each) => all + Number(asObject(each)?.count ?? 0), 0)
    return withMore(
      counts.map((each) => `${asObject(each)?.file}:${asObject(each)?.count}`),
      sum,
      total,
    )
  }
  return undefined
}

/** `file:12:text` of a match, with the lines around it as `file-11-text`. */
function matchLines(match: unknown): string[] {
  const { file, line, lineNumber, beforeContext = [], afterContext = [] } = asObject(match) ?? {}
  const at = typeof lineNumber === 'number' ? lineNumber : undefined
  const before = Array.isArray(beforeContext) ? beforeContext : []
  const after = Array.isArray(afterContext) ? afterContext : []
  const place = (offset: number, mark: string) =>
    at === undefined ? `${file}${mark}` : `${file}${mark}${at + offset}${mark}`
  return [
    ...before.map((text, index) => `${place(index - before.length, '-')}${text}`),
    `${place(0, ':')}${line}`,
    ...after.map((text, index) => `${place(index + 1, '-')}${text}`),
  ]
}

function withMore(lines: string[], shown: number, total: unknown): string[] {
  return typeof total === 'number' && total > shown ? [...lines, `… ${total - shown} more`] : lines
}

/** The folders and files of an `ls` result, a path a line; undefined if the result has another form. */
export function treeText({ directoryTreeRoot }: JsonObject): string | undefined {
  const lines: string[] = []
  const left: unknown[] = [directoryTreeRoot]
  while (left.length > 0) {
    const { absPath, childrenDirs, childrenFiles, childrenWereProcessed, numFiles } =
      asObject(left.pop()) ?? {}
    if (typeof absPath !== 'string' || !Array.isArray(childrenDirs) || !Array.isArray(childrenFiles))
      return undefined
    lines.push(
      childrenWereProcessed === false ? `${absPath}/ (${numFiles} files, not listed)` : `${absPath}/`,
    )
    lines.push(...childrenFiles.map((file) => `${absPath}/${asObject(file)?.name}`))
    left.push(...childrenDirs.toReversed())
  }
  return lines.join('\n')
}

function isKnown<T>(value: T | undefined): value is T {
  return value !== undefined
}
