const around = 2

/** Changed lines with `-` and `+`, and two lines around them; for texts that differ in a few inserted pieces. */
export function diffLines(before: string, after: string): string[] {
  const old = before.split(/\r?\n/)
  const now = after.split(/\r?\n/)
  const marked = align(old, now)
  return marked.flatMap((line, index) => {
    if (!line.startsWith(' ')) return [line]
    const near = marked.slice(Math.max(0, index - around), index + around + 1)
    if (near.some((other) => !other.startsWith(' '))) return [line]
    const first =
      index > 0 &&
      marked.slice(Math.max(0, index - around - 1), index).some((other) => !other.startsWith(' '))
    return first ? ['…'] : []
  })
}

/** The longest common subsequence, from the table of its lengths; settings are short. */
function align(old: readonly string[], now: readonly string[]): string[] {
  const width = now.length + 1
  const lengths = new Uint32Array((old.length + 1) * width)
  const at = (i: number, j: number): number => lengths[i * width + j] ?? 0
  for (let i = old.length - 1; i >= 0; i--)
    for (let j = now.length - 1; j >= 0; j--)
      lengths[i * width + j] = old[i] === now[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
  const lines: string[] = []
  let i = 0
  let j = 0
  while (i < old.length || j < now.length) {
    if (i < old.length && j < now.length && old[i] === now[j]) {
      lines.push(` ${old[i]}`)
      i += 1
      j += 1
    } else if (j < now.length && (i >= old.length || at(i, j + 1) > at(i + 1, j))) lines.push(`+${now[j++]}`)
    else lines.push(`-${old[i++]}`)
  }
  return lines
}
