/**
 * A secret in a text: UTF-16 offsets of its value, end exclusive, and what it is (`github-token`), which names its
 * mark.
 */
export interface SecretFinding {
  /** Offset of its first character. */
  readonly start: number
  /** Offset after its last character. */
  readonly end: number
  /** Lower case words joined by `-`. */
  readonly type: string
}

/**
 * Finds secrets in a text. Laws: findings are sorted and do not overlap; time is linear in the text, no matter what it
 * holds; the mark of a secret is not a finding; terminal escapes inside a secret do not hide it. `redactSession`
 * replaces them, everywhere and in every form.
 */
export interface Redactor {
  /** Appears in the marks that replace what it finds. */
  readonly name: string
  /** Tells redactors of one name apart; holds no secret. */
  readonly settings?: string
  /**
   * How to make it in another thread, to which no function can be sent: the export `name` of the module at a URL (of this
   * package without one), called with `args`, which `structuredClone` can copy. Without it, it works only in this thread.
   */
  readonly recipe?: {
    readonly module?: string | undefined
    readonly name: string
    readonly args?: readonly unknown[] | undefined
  }
  /** Returns the places of secrets in a text. Must take time linear in its length. */
  find(text: string): readonly SecretFinding[]
}
