/**
 * Finds the JSON object of an answer, which may be in a code fence, within prose or after `<think>…</think>`, as long
 * as it is the only one. Undefined if there is none, or more than one; nothing is guessed or repaired.
 */
export function findJsonObject(
  answer: string,
): { readonly json: string; readonly value: object } | undefined {
  const text = withoutThoughts(answer).trim()
  const whole = parseObject(text)
  if (whole !== undefined) return { json: text, value: whole }
  const start = text.indexOf('{')
  const end = start < 0 ? -1 : objectEnd(text, start)
  if (end < 0 || text.indexOf('{', end) >= 0) return
  const json = text.slice(start, end)
  const value = parseObject(json)
  return value === undefined ? undefined : { json, value }
}

/** Models run by compatible servers may put their reasoning before the answer. */
function withoutThoughts(text: string): string {
  const close = '</think>'
  const end = /^\s*<think>/.test(text) ? text.indexOf(close) : -1
  return end < 0 ? text : text.slice(end + close.length)
}

/** Index after the brace that closes the one at `start`, or -1. */
function objectEnd(text: string, start: number): number {
  let depth = 0
  let inString = false
  for (let at = start; at < text.length; at++) {
    const char = text[at]
    if (inString) {
      if (char === '\\') at++
      else if (char === '"') inString = false
    } else if (char === '"') inString = true
    else if (char === '{') depth++
    else if (char === '}' && --depth === 0) return at + 1
  }
  return -1
}

function parseObject(text: string): object | undefined {
  if (!text.startsWith('{')) return
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return
    throw error
  }
}
