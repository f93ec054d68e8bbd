// Characters that JSON does not escape, yet a terminal obeys or displays deceptively.
const unsafe = /[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]|[\u{e0000}-\u{e007f}]/gu

/** The same value, with control and invisible characters as `\uXXXX`. */
export function toSafeJson(value: unknown, indent = 0): string {
  return safeJson(JSON.stringify(value, null, indent))
}

export function safeJson(json: string): string {
  return json.replace(unsafe, (char) => {
    const units = Array.from({ length: char.length }, (_, index) => char.charCodeAt(index))
    return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')
  })
}
