/**
 * Counts the tokens of a text. Laws: any string counts, special tokens such as `<|endoftext|>` as plain text; the empty
 * string is 0; the same text gives the same number; a text has hardly more tokens than bytes of UTF-8; a megabyte of
 * one character takes well under a second.
 */
export interface TokenCounter {
  /** Name of the encoding: `o200k_base`. */
  readonly name: string
  /**
   * True if the counts of the parts add up when a text is cut after a line break that printable ASCII follows, directly
   * or after spaces and tabs; only a `/` may not follow it directly. A text that changes in a few lines is then counted
   * faster.
   */
  readonly linesAddUp?: boolean
  /** Tokens of a text. Any string counts, also one with special tokens. */
  count(text: string): number
}
