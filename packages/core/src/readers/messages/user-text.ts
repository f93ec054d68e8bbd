import { splitUserText } from '../claude-code/user.ts'
import { programPiece, splitPrompt } from '../codex/user-text.ts'
import type { UserPiece } from '../shared/program-blocks.ts'

/**
 * Separates the user's words from what a harness put under the user's name, by the marks of Claude Code and Codex:
 * message arrays are often made from their sessions. Leaves out empty parts.
 */
export function userPieces(given: string): UserPiece[] {
  // The marks of Claude Code come first: some of its tags look like those of Codex.
  return splitUserText(given).flatMap((piece): UserPiece[] => {
    if (piece.type !== 'user' || piece.origin !== 'typed') return [piece]
    if (imageSource.test(piece.text))
      return [{ type: 'context', origin: 'attachment', name: 'image', text: piece.text }]
    const query = inside(piece.text, '<user_query>', '</user_query>')
    if (query !== undefined) return query === '' ? [] : [{ type: 'user', origin: 'typed', text: query }]
    const program = programPiece(piece.text)
    const { editor, words } = splitPrompt(piece.text)
    const added = program ?? editor
    const own: UserPiece[] = program === undefined && words !== '' ? [{ ...piece, text: words }] : []
    if (added === undefined) return own
    const { origin, name, text } = added
    return [{ type: 'context', origin, name, text }, ...own]
  })
}

/** Claude Code adds where a picture came from, in a message of its own. */
const imageSource = /^(?:\[Image: source: [^\]\n]{1,1000}\]\s*)+$/

function inside(text: string, open: string, close: string): string | undefined {
  const isWhole = text.startsWith(open) && text.endsWith(close) && text.length >= open.length + close.length
  return isWhole ? text.slice(open.length, -close.length).trim() : undefined
}
