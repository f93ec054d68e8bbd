export function shellWord(path: string): string {
  if (/^[\w@%+=:,./\\-]+$/.test(path)) return path
  return process.platform === 'win32' ? `"${path}"` : `'${path.replaceAll("'", `'\\''`)}'`
}
