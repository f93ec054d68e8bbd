/** Codes of all errors that Tenfold throws on purpose, with their meaning. They are stable; docs/errors.md lists them. */
export const errorCodes = {
  'log-missing': 'There is no file at the path of the log.',
  'log-empty': 'The log is empty.',
  'log-unreadable': 'The log cannot be read, or is not what its format says.',
  'log-changed': 'The log changed while it was read.',
  'log-too-large': 'The log has more text than `maxLogBytes`.',
  'log-too-slow': 'The log took longer than `maxLogMs`.',
  'log-too-much-memory': 'The log needs more memory than `maxLogMegabytes`.',
  closed: 'The threads that compress logs were closed.',
  'no-thread-file': 'Threads cannot be started, because a bundler left out their file.',
  'unknown-format': 'No reader knows the format of the log, or there is no reader of the given name.',
  'session-missing': 'The log has several sessions, and none or no existing one was chosen.',
  'bad-event': 'A reader of your own wrote something that is not an event; the message says what is missing.',
  'invalid-bundle': 'A value is not a valid bundle; `issues` names each field at fault.',
  'budget-too-small': 'The fields that a bundle must have take more tokens than its limit.',
  'secret-left': 'A finished bundle still contains what looks like a secret, so it was not saved.',
  'no-bundle': 'The store has no such bundle, or none on the track.',
  'no-archive': 'The store does not keep the log of the bundle.',
  'summarizer-failed': 'A summarizer returned no usable summary; `reason` says why, `calls` what was billed.',
  'bad-prices': 'A price table is not valid.',
  'unknown-encoding': 'There is no token encoding of this name.',
  'no-encoding-file':
    'The encodings cannot be read here, as in a browser, or their files were not bundled: copy them, or give a counter of your own.',
  'missing-api-key': 'The provider needs a key, and none was given.',
  'missing-package': 'The package of the provider is not installed; the message says how to install it.',
  'storage-conflict': 'A conditional put failed: the key exists, or holds other bytes than expected.',
  'storage-failed': 'The storage refused or failed; `retryable` if the same call may succeed later.',
  'store-failed': 'The store cannot be opened, or its path names a file instead of a folder.',
  'no-store': 'There is no store in the folder.',
  'bad-policy': 'A prune was asked for without saying what to keep.',
  'bad-query': 'A query names no event, or an option of the search is not valid.',
  'unknown-event': 'No event has the given id.',
  'invalid-checkpoint': 'A value is not a valid checkpoint.',
  'no-checkpoint': 'The store has no such checkpoint, or none on the track.',
  'no-dump': 'The store has no such halt dump.',
  'bad-glob': 'A pattern of file names cannot be used.',
  'git-failed': 'Git failed, or took too long.',
  'restore-refused': 'A halt dump was not restored, because it would overwrite or leave the folder.',
  'batch-missing': 'The store has no such job.',
  'batch-mismatch': 'The job was made with another provider, model, endpoint, key or counter.',
  'batch-uncertain':
    'It is unknown whether a submission reached the vendor: sending it again may bill it twice.',
  'batch-refused': 'The vendor refused the batch.',
  'batch-results-gone': 'The vendor has deleted the batch or its results.',
  'batch-foreign-host': 'Results would come from a host that must not see the key.',
  'batch-taken-over': 'Another process took over this job.',
  'batch-call-failed': 'The vendor was not reached, or did not answer as it should.',
  'batch-too-large': 'A request is larger than the vendor accepts.',
  'redis-unreachable': 'Redis cannot be reached, or refuses the password.',
  'bad-job': 'A job of the queue is not one that this version of Tenfold can do.',
  'not-allowed': 'A job of the queue names a log or a store that its worker was not started for.',
  'redis-may-evict': 'Redis may drop jobs when its memory is full: `maxmemory-policy` must be `noeviction`.',
  'too-large': 'The page would be larger than a browser can open.',
  'out-exists': 'The output would overwrite a file of someone else.',
  'out-failed': 'The output cannot be written.',
  'not-a-folder': 'The path is not a folder.',
  'no-config': 'The project has no config file.',
  'bad-config': 'A config file is not valid.',
  'no-env-file': 'The file with values to redact cannot be read.',
  'invalid-settings': 'The settings of an agent cannot be edited, so they were not changed.',
  'port-in-use': 'Another program listens on the port.',
} as const

/** Codes of `TenfoldError`, which do not change between versions; docs/errors.md lists them. */
export type ErrorCode = keyof typeof errorCodes

/** Base of all errors that Tenfold throws on purpose. `code` is stable; `message` describes what happened and what to do. */
export class TenfoldError extends Error {
  /** Stable identifier of the kind of error; see {@link ErrorCode}. */
  readonly code: ErrorCode

  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
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
    code: Extract<ErrorCode, `log-${string}`> | 'unknown-format' | 'session-missing',
    message: string,
    options?: ErrorOptions,
  ) {
    super(code, message, options)
    this.name = 'LogReadError'
  }
}

/** A conditional put failed: the key exists, or holds other bytes than expected. */
export class StorageConflictError extends TenfoldError {
  /** Key of the object that the put would have written. */
  readonly key: string

  constructor(key: string, message: string, options?: ErrorOptions) {
    super('storage-conflict', message, options)
    this.name = 'StorageConflictError'
    this.key = key
  }
}

/** The storage refused or failed: a bad key, no space, no permission. */
export class StorageError extends TenfoldError {
  /** Key of the object that could not be read or written; may be empty if there is no single one. */
  readonly key: string
  /** Whether the same call may succeed later. */
  readonly retryable: boolean

  constructor(
    key: string,
    message: string,
    options?: ErrorOptions & { retryable?: boolean; code?: 'no-bundle' },
  ) {
    super(options?.code ?? 'storage-failed', message, options)
    this.name = 'StorageError'
    this.key = key
    this.retryable = options?.retryable ?? false
  }
}

/** A value is not a valid bundle. */
export class InvalidBundleError extends TenfoldError {
  /** Each field at fault, and why. */
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
