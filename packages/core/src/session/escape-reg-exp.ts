/** Returns the source of a regular expression, with or without the flag `u`, that matches exactly this text. */
export function escapeRegExp(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}
