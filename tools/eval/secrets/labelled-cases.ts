import { readFile } from 'node:fs/promises'
import { gunzipSync } from 'node:zlib'

/** A text with its secrets marked, or a text that must stay as it is. */
export interface SecretCase {
  readonly source: string
  /** Cases that are similar: one rule, one vendor, one repository. A family is never split between fit and held out. */
  readonly family: string
  readonly tier: string
  readonly text: string
  /** UTF-16 offsets of the secrets, end exclusive; empty for a text that must stay as it is. */
  readonly secrets: readonly { readonly start: number; readonly end: number }[]
}

/**
 * Reads labelled cases: `{items: [{source, family, tier, label, text, should_redact: [{start, end}]}]}` as JSON, plain,
 * in gzip or in gzip and base64. Throws Error for anything else.
 */
export async function loadLabelledCases(path: string): Promise<SecretCase[]> {
  const data: unknown = JSON.parse(textOf(await readFile(path)))
  const items = isRecord(data) ? data.items : undefined
  if (!Array.isArray(items)) throw new Error(`${path}: expected an object with a list "items"`)
  return items.map((item: unknown, index) => {
    const found = caseOf(item)
    if (found === undefined) throw new Error(`${path}: item ${index + 1} is not a labelled case`)
    return found
  })
}

function textOf(bytes: Buffer): string {
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return gunzipSync(bytes).toString('utf8')
  const text = bytes.toString('utf8')
  return text.startsWith('H4sI') ? gunzipSync(Buffer.from(text, 'base64')).toString('utf8') : text
}

function caseOf(item: unknown): SecretCase | undefined {
  if (!isRecord(item)) return undefined
  const { source, family, tier, label, text, should_redact: spans } = item
  if (typeof source !== 'string' || typeof family !== 'string' || typeof tier !== 'string') return undefined
  if (typeof text !== 'string' || !Array.isArray(spans)) return undefined
  const secrets = spans.flatMap((span: unknown) =>
    isRecord(span) && typeof span.start === 'number' && typeof span.end === 'number'
      ? [{ start: span.start, end: span.end }]
      : [],
  )
  if (secrets.length !== spans.length || (label === 'positive') !== secrets.length > 0) return undefined
  return { source, family, tier, text, secrets }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
