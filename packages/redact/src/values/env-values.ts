import { parseEnv } from 'node:util'
import { percentDecoded } from '../percent-decoded.ts'
import { isCommonValue } from './common-value.ts'

const secretName = /key|token|secret|passw|pwd|pass$|auth|cred|private|dsn|salt|sign|cookie|session/i
const plainWord =
  /^(?:true|false|yes|no|on|off|null|none|undefined|production|development|staging|localhost|test(?:ing)?|example|changeme)$/i
/** Words, versions, hosts, lists, paths, mail addresses, times: settings rather than secrets. */
const plainSettings = [
  /^[A-Za-z]+(?:[-_. ,][A-Za-z]+)*\d{0,2}$/,
  /^v?\d+(?:\.\d+)*(?:-[a-z]+(?:\.\d+)*)?$/i,
  /^[\w.-]+:\d{1,5}(?:\/\w*)?$/,
  /^(?:\.{0,2}|~|[A-Za-z]:)?[/\\][^\s:@]*$/,
  /^[\w.+-]+@[\w-]+\.[\w.-]+$/,
  /^\d[\d.,:%hmsdkKMGB-]*$/,
]

/**
 * The values of a `.env` file that may be secrets, for `valueRedactor`. Leaves out what a log holds anyway: short
 * values, switches, numbers, hosts and ports, paths, and names unless the key says that they are secret. For a URL,
 * returns only its password and the secret parameters of its query.
 */
export function envValues(text: string): string[] {
  const values = new Set<string>()
  for (const [name, value = ''] of Object.entries(parseEnv(text)))
    for (const secret of secretsOf(name, value.trim())) values.add(secret)
  return [...values]
}

function secretsOf(name: string, value: string): string[] {
  if (value.length < 6 || plainWord.test(value)) return []
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(value)) return secretsOfUrl(value)
  if (secretName.test(name)) return /^\d{1,5}$/.test(value) ? [] : [value]
  return isCommonValue(value) || plainSettings.some((setting) => setting.test(value)) ? [] : [value]
}

function secretsOfUrl(value: string): string[] {
  // A password may hold characters that the URL class refuses.
  const written = /^[^:/?#]+:\/\/[^\s:/?#@]*:([^\s/?#]+)@/.exec(value)?.[1]
  const secrets = written === undefined ? [] : [written, percentDecoded(written) ?? written]
  for (const [, name = '', parameter = ''] of value.matchAll(/[?&;]([^=&;#\s]+)=([^&;#\s]+)/g))
    if (secretName.test(name)) secrets.push(parameter, percentDecoded(parameter) ?? parameter)
  return secrets.filter((secret) => secret.length >= 6 && !plainWord.test(secret))
}
