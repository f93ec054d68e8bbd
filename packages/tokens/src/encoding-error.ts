/** The encoding does not exist, or its file cannot be read. `code` is stable. */
export class EncodingError extends Error {
  /** Whether the encoding does not exist, or its file is missing. */
  readonly code: 'unknown-encoding' | 'no-encoding-file'

  constructor(code: EncodingError['code'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'EncodingError'
    this.code = code
  }
}
