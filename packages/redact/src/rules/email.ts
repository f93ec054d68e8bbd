import { isUrlCode } from '../char-code.ts'

const domain = /@[A-Za-z0-9](?:[A-Za-z0-9-]{0,62}\.){1,8}[A-Za-z]{2,24}(?![\w@-])/y

/** Reports e-mail addresses, except those of `example.com` and `noreply` ones. */
export function emailFindings(
  text: string,
  report: (start: number, end: number, type: string) => void,
): void {
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
    domain.lastIndex = at
    if (!domain.test(text)) continue
    let start = at
    while (start > 0 && at - start < 64 && isLocalCode(text.charCodeAt(start - 1))) start -= 1
    const address = text.slice(start, domain.lastIndex)
    if (
      start < at &&
      !/@(?:[\w-]+\.)*example\.(?:com|org|net)$|^no-?reply@|noreply\.github\.com$|^git@/i.test(address)
    ) {
      report(start, domain.lastIndex, 'email')
    }
  }
}

function isLocalCode(code: number): boolean {
  return isUrlCode(code) || code === 43 || code === 46 || code === 37
}
