/** Whether a character code is that of an ASCII letter or digit. */
export function isAlphanumeric(code: number): boolean {
  return (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122)
}

/** Whether a character code is one of base64url: a letter, a digit, `-` or `_`. */
export function isUrlCode(code: number): boolean {
  return isAlphanumeric(code) || code === 45 || code === 95
}
