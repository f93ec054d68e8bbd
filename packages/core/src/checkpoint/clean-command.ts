import { stripEscapes } from '../session/clean-text.ts'

// Control, format and other characters without a glyph: Unicode general category and Default_Ignorable_Code_Point.
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu

/**
 * Makes a command safe to store and show: removes terminal escapes and invisible characters, and makes unusual spaces
 * plain. Returns undefined if it is empty or has more than one line.
 */
export function cleanCommand(text: string): string | undefined {
  const clean = stripEscapes(text.toWellFormed())
    .replace(/\r\n?|[\u0085\u2028\u2029]/g, '\n')
    .split('\n')
    .map((part) => part.replace(/[\t\p{Zs}]/gu, ' ').replace(unseen, ''))
    .join('\n')
    .trim()
  return clean === '' || clean.includes('\n') ? undefined : clean
}
