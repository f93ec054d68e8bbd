import type { Scan, Trigger } from './scan.ts'
import { isTypedPassword } from './typed-password.ts'

/** Text between a name and its value: a sign, or a word for `is`. */
const toValue =
  /\p{L}{0,6}[*_`"'」』]{0,3}[^\S\n]{0,3}(?:[:：=]|是|为|為|は|는|은|이|[—–-]|ist\b|es\b|est\b|é(?!\p{L})|is\b)?[^\S\n]{0,3}["'`「『“«]?([\x21\x23-\x26\x28-\x5f\x61-\x7e]{6,100})/uy

/** Words for a password in languages with Latin letters; `key` in some of them. */
const latin = [
  'contrase',
  'clave',
  'senha',
  'mot de passe',
  'kennwort',
  'wachtwoord',
  'parola',
  'lozinka',
  'heslo',
]
/** The same in other scripts, with words for token and key. */
const otherScripts =
  /密码|密碼|口令|密钥|密鑰|令牌|パスワード|暗証番号|トークン|비밀번호|암호|토큰|парол[ьяюе]м?|токен[ауе]?м?|ключ[ауе]?м?/giu
const otherLetters = /[\u0400-\u04ff\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]/

export const foreignNameTriggers: readonly Trigger[] = latin.map((literal) => ({
  literal,
  exact: false,
  match: (scan: Scan, at: number) => {
    if (!/\p{L}/u.test(scan.text[at - 1] ?? '')) matchValue(scan, at + literal.length)
  },
}))

/** Reports values after names in Cyrillic, Chinese, Japanese and Korean letters. */
export function matchForeignNames(scan: Scan): void {
  if (!otherLetters.test(scan.text)) return
  for (const match of scan.text.matchAll(otherScripts)) matchValue(scan, match.index + match[0].length)
}

function matchValue(scan: Scan, at: number): void {
  toValue.lastIndex = at
  const found = toValue.exec(scan.text)
  if (found === null) return
  const value = (found[1] as string).replace(/[.,;:!?)\]}|]+$/, '')
  const start = toValue.lastIndex - (found[1] as string).length
  if (/[A-Za-z]/.test(value) && /\d/.test(value) && isTypedPassword(value))
    scan.report(start, start + value.length, 'password')
}
