/** A path as a word of a command line, in quotes if it needs them. */
export function shellWord(path: string): string {
  if (/^[\w@%+=:,./\\-]+$/.test(path)) return path
  return process.platform === 'win32' ? `"${path}"` : `'${path.replaceAll("'", `'\\''`)}'`
}
