/** A piece of a message: words of the person, or output that was pasted into it. */
export interface MessagePiece {
  readonly text: string
  readonly pasted: boolean
}

/** Lines of output that a block has at least: a path, a list or a snippet belongs to the words around it. */
const minLines = 10

/** Characters that such a block has at least: a smaller one takes no room from anything. */
const minLength = 800

/** Lines of words that may stand inside a block: messages of a log, a comment in code. */
const maxBetween = 2

/**
 * Tells pasted output from what a person wrote: blocks of lines that are no words (numbers, code, logs, tables). The
 * pieces joined by line breaks are the message.
 */
export function splitPasted(message: string): MessagePiece[] {
  const lines = message.split('\n')
  const pasted = new Array<boolean>(lines.length).fill(false)
  for (let at = 0; at < lines.length; at++) {
    if (!isOutput(lines[at] ?? '')) continue
    const { end, count } = blockFrom(lines, at)
    const length = lines.slice(at, end).reduce((sum, line) => sum + line.length, 0)
    if (count >= minLines && length >= minLength) pasted.fill(true, at, end)
    at = end - 1
  }
  const pieces: { lines: string[]; pasted: boolean }[] = []
  lines.forEach((line, index) => {
    const last = pieces.at(-1)
    if (last !== undefined && last.pasted === pasted[index]) last.lines.push(line)
    else pieces.push({ lines: [line], pasted: pasted[index] === true })
  })
  return pieces.map((piece) => ({ text: piece.lines.join('\n'), pasted: piece.pasted }))
}

/** The block that begins at a line of output: where it ends, and how many lines of output it has. */
function blockFrom(lines: readonly string[], start: number): { end: number; count: number } {
  let end = start
  let count = 0
  let between = 0
  for (let at = start; at < lines.length && between <= maxBetween; at++) {
    const line = lines[at] ?? ''
    if (line.trim() === '') continue
    if (isOutput(line)) {
      end = at + 1
      count++
      between = 0
    } else between++
  }
  return { end, count }
}

/** True for a line that no one writes as a sentence: few words, or mostly other characters than letters. */
function isOutput(line: string): boolean {
  const text = line.trim().slice(0, 400)
  if (text === '') return false
  if (/[\u2e80-\uffdc]{4}/.test(text)) return false
  const words = text.match(/(?<![\p{L}\p{N}_./-])\p{L}[\p{L}'’-]*(?![\p{L}\p{N}_/(=[-]|\.\S)/gu) ?? []
  const letters = words.reduce((sum, word) => sum + word.length, 0)
  return words.length < 3 || letters < text.replace(/\s/g, '').length * 0.55
}
