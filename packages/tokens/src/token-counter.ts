/**
 * Counts the tokens of a text. Laws: accepts any string, with special tokens such as `<|endoftext|>` as plain text; the
 * empty string has 0 tokens; counts are deterministic; a text has hardly more tokens than bytes of UTF-8; a megabyte of
 * one character takes well under a second.
 */
export interface TokenCounter {
  /** Name of the encoding: `o200k_base`. */
  readonly name: string
  /**
   * True if the counts of the parts add up when a text is cut after a line break that is followed by printable ASCII,
   * directly or after spaces and tabs, but not directly by a `/`. Recounting a text with few changed lines is then
   * faster.
   */
  readonly linesAddUp?: boolean
  /** Returns the number of tokens in a text. */
  count(text: string): number
}
