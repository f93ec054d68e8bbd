import { cleanLine } from '@tenfold/core/internal/summarizer'

const maxLength = 300

const keyLike = [
  // Header values. Without the capital it may be the ordinary word: `a bearer of news`.
  /\bBearer\s+[^\s"',]+/g,
  /\bbearer\s+[^\s"',]{6,}/gi,
  /\b(?:sk|pk|rk|gsk|hf|xai|key|r8)[-_][\w*.-]{6,}/gi,
  /\bAIza[\w-]{10,}/gi,
  // User and password in a URL.
  /(?<=:\/\/)[^/@\s]+(?=@)/g,
  // Keys that the provider masked in part.
  /[\w-]*\*{3,}[\w*-]*/g,
  // Opaque words: a key in another form, or base64 from a prompt.
  /\b[A-Za-z0-9_]{32,}\b/g,
  /[A-Za-z0-9+/_=-]{40,}/g,
]

/**
 * A provider's message, fit for an error message: its first line without keys, at most 300 characters. Every occurrence
 * of `secrets` is removed.
 */
export function plainLine(text: string, secrets: readonly string[] = []): string {
  let said = text.trimStart().slice(0, 10_000)
  for (const secret of secrets) if (secret.length > 3) said = said.replaceAll(secret, '[key]')
  // Cut before the patterns run: their cost grows faster than the line.
  let line = cleanLine((said.split(/[\r\n]/, 1)[0] ?? '').slice(0, 2000))
  if (line === '') return 'without a message'
  if (/^(?:\d{3} )?\s*</.test(line)) return 'a web page instead of an answer'
  for (const pattern of keyLike) line = line.replace(pattern, '[key]')
  return line.length > maxLength
    ? `${line
        .slice(0, maxLength - 1)
        .trimEnd()
        .toWellFormed()}…`
    : line
}
