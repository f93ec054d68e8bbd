/** `12,345`. Locale-aware formatting would take 10 ms to load. */
export function formatCount(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ',')
}

/** `62.3 %` for 0.623. Show a bundle's ratio with two digits everywhere, because the band is judged by them. */
export function formatShare(share: number, digits = 1): string {
  return `${(share * 100).toFixed(digits)} %`
}

/** `1 file`, `2 files`. */
export function formatNumberOf(count: number, noun: string, plural = `${noun}s`): string {
  return `${formatCount(count)} ${count === 1 ? noun : plural}`
}

/** `2 done, 1 failed`, without the texts whose count is 0. */
export function textOfCounts(...counts: readonly (readonly [count: number, text: string])[]): string {
  return counts.flatMap(([count, text]) => (count > 0 ? [text] : [])).join(', ')
}

/** `1.2 MB`, in powers of 1000. */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`
  if (bytes < 1e6) return `${(bytes / 1e3).toFixed(1)} kB`
  return bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(2)} GB`
}

/** `0.4 s`, `3 min`, `2 h 5 min`, `4 d 2 h`. */
export function formatDuration(milliseconds: number): string {
  if (milliseconds < 60_000) return `${(milliseconds / 1000).toFixed(1)} s`
  const minutes = Math.round(milliseconds / 60_000)
  if (minutes < 60) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} d ${hours % 24} h`
}

export function shellWord(path: string): string {
  if (/^[\w@%+=:,./\\-]+$/.test(path)) return path
  return process.platform === 'win32' ? `"${path}"` : `'${path.replaceAll("'", `'\\''`)}'`
}
