/** Replaces secrets in a text by marks. Laws: idempotent; linear time; text without a secret comes back unchanged. */
export interface Redactor {
  readonly name: string
  redact(text: string): { readonly text: string; readonly hits: number }
}
