/** Base of all errors that Tenfold throws on purpose. `code` is stable; `message` says what happened and what to do. */
export class TenfoldError extends Error {
  readonly code: string

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'TenfoldError'
    this.code = code
  }

  /** Recognizes errors by a brand, so that it works across copies of the package. */
  static isInstance(value: unknown): value is TenfoldError {
    return typeof value === 'object' && value !== null && brand in value
  }
}

const brand = Symbol.for('tenfold.error')
Object.defineProperty(TenfoldError.prototype, brand, { value: true })

/** The log cannot be read at all: it is missing, empty, not text, or of an unknown format. */
export class LogReadError extends TenfoldError {
  constructor(
    code:
      | 'log-missing'
      | 'log-empty'
      | 'unknown-format'
      | 'log-changed'
      | 'log-unreadable'
      | 'log-too-large'
      | 'session-missing',
    message: string,
    options?: ErrorOptions,
  ) {
    super(code, message, options)
    this.name = 'LogReadError'
  }
}

/** A conditional put failed: the key exists, or holds other bytes than expected. */
export class StorageConflictError extends TenfoldError {
  readonly key: string

  constructor(key: string, message: string, options?: ErrorOptions) {
    super('storage-conflict', message, options)
    this.name = 'StorageConflictError'
    this.key = key
  }
}

/**
 * The storage refused or failed: a bad key, no space, no permission. `retryable` if the same call may succeed later.
 */
export class StorageError extends TenfoldError {
  readonly key: string
  readonly retryable: boolean

  constructor(key: string, message: string, options?: ErrorOptions & { retryable?: boolean }) {
    super('storage-failed', message, options)
    this.name = 'StorageError'
    this.key = key
    this.retryable = options?.retryable ?? false
  }
}

/** A value is not a valid bundle; `issues` names each field at fault. */
export class InvalidBundleError extends TenfoldError {
  readonly issues: readonly string[]

  constructor(message: string, issues: readonly string[], options?: ErrorOptions) {
    super('invalid-bundle', message, options)
    this.name = 'InvalidBundleError'
    this.issues = issues
  }
}

/** Returns the message of any thrown value. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}

/** Returns the code of an error, such as the system's `ENOENT`; `undefined` if it has none. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}
