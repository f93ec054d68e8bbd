export const idPattern = /^\d{8}T\d{9}Z-\d{9}$/

export function newBundleId(createdAt: Date, random: () => number = Math.random): string {
  const time = createdAt.toISOString().replace(/[-:.]/g, '')
  // Only digits, of which three are one token, so that all ids have equally many tokens and two runs fit the same text.
  const suffix = String(Math.floor(random() * 1e9)).padStart(9, '0')
  return `${time}-${suffix}`
}

export function createdAtOf(id: string): string {
  const [, y, mo, d, h, mi, s, ms] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z/.exec(id) ?? []
  return `${y}-${mo}-${d}T${h}:${mi}:${s}.${ms}Z`
}
