/** Maximum bytes of a log's line; no reader parses a longer one. */
export const defaultMaxLineBytes = 64 * 1024 * 1024
