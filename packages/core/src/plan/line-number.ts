/** The number of a line of a file, as tools print it before the line. */
const lineNumber = /^ {0,8}\d{1,6}(?:→|\t|[:|](?=\s|$))/

/** Returns a line as it stands in its file: the number before it says nothing about the session. */
export function withoutLineNumber(line: string): string {
  return line.replace(lineNumber, '')
}
