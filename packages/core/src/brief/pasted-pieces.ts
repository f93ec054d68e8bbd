import { isPastedLine } from '../facts/pasted.ts'

/** Maximum distance, in lines, of pasted lines before and after a line that counts as pasted. */
const near = 2

/** Returns which pieces of a message are pasted output; the joined pieces are the message. */
export function pastedPieces(pieces: readonly string[]): boolean[] {
  // The lines of a trail entry are quoted from the second on.
  const text = pieces.join('').replace(/^> /gm, '')
  const lines = text.split('\n')
  // Also a stack frame without its place.
  const pasted = lines.map((line) => isPastedLine(line) || /^\s{2,9}at \S+$/.test(line))
  const among = pasted.map(
    (own, line) =>
      own ||
      (pasted.slice(Math.max(0, line - near), line).includes(true) &&
        pasted.slice(line + 1, line + 1 + near).includes(true)),
  )
  let line = 0
  return pieces.map((piece) => {
    const first = line + (/^\n*/.exec(piece)?.[0].length ?? 0)
    line += piece.split('\n').length - 1
    return among[first] ?? false
  })
}
