/** Bytes of a line of a log above which no reader takes it: 64 MiB. */
export const defaultMaxLineBytes = 64 * 1024 * 1024
