import { isPlaceholder, isReference } from './allow-list.ts'
import { isCodeShape } from './code-shape.ts'
import { exactTriggers, type Scan, type Trigger } from './scan.ts'
import { isEdge } from './token-shape.ts'
import { isUuid, looksDrawn, looksRandom } from './value-shape.ts'
import { wordShare } from './word-likeness.ts'

const basic = /[ \t]{1,3}([A-Za-z0-9+/_-]{8,2000}={0,2})/y
const bearer = /(?:[ \t]|%20|\+){1,3}([\w=~@.+/%:|-]{8,2000})/y
/** The answer to a challenge: https://www.rfc-editor.org/rfc/rfc7616#section-3.4 */
const digest = /igest[ \t][^\n]{0,600}?\bresponse=\\{0,8}"([0-9a-f]{32,128})/iy
/** SASL's PLAIN: two names and a password, each after a zero byte. */
const plain = /UTH PLAIN[ \t]([\w+/]{12,400}={0,2})/y
/** `-u name:password`, `--user "name:password"`. */
const user =
  /(?:=|[ \t]{0,4})\\{0,4}["']?([^\s:"'\\]{0,64})(?:\\{0,4}["'])?:(?:\\{0,4}(["']))?([^\s"'\\]{3,128})\\{0,4}/y

/** Credentials of HTTP headers and of the command lines that send them. */
export const authorizationTriggers: readonly Trigger[] = [
  { literal: 'basic', exact: false, match: matchBasic },
  { literal: 'bearer', exact: false, match: matchBearer },
  ...exactTriggers(['Digest ', 'AUTH PLAIN '], (scan, at) => {
    for (const pattern of [digest, plain]) {
      pattern.lastIndex = at + 1
      const value = pattern.exec(scan.text)?.[1]
      if (value !== undefined) scan.report(pattern.lastIndex - value.length, pattern.lastIndex, 'credential')
    }
  }),
  ...exactTriggers([' -u', ' -U', '--user', '--proxy-user'], matchUser),
]

/** Only text that decodes to readable `name:password`, so that the word Basic before other text is no finding. */
function matchBasic(scan: Scan, at: number): void {
  const { text } = scan
  if (!isEdge(text, at)) return
  basic.lastIndex = at + 5
  const found = basic.exec(text)
  if (found === null) return
  const decoded = Buffer.from(found[1]!, 'base64').toString('latin1')
  if (!/^[\x20-\x7e]{0,400}:[\x20-\x7e]{1,1200}$/.test(decoded)) return
  const end = basic.lastIndex
  scan.report(end - found[1]!.length, end, 'basic-auth')
}

function matchBearer(scan: Scan, at: number): void {
  const { text } = scan
  bearer.lastIndex = at + 6
  const found = bearer.exec(text)
  if (found === null) return
  const value = found[1]!.replace(/[.:,]+$/, '')
  const start = bearer.lastIndex - found[1]!.length
  if (
    /[([{]/.test(text[bearer.lastIndex] ?? '') ||
    isReference(value) ||
    isPlaceholder(value) ||
    isCodeShape(value, 'bare') ||
    value.includes('://')
  )
    return
  if (isUuid(value) || looksRandom(value, 12)) scan.report(start, start + value.length, 'bearer-token')
}

/** Programs that send a name and a password. */
const sender = /(?:^|[\s"'`/=])(?:curl|wget|https?|xh|httpie)(?=[\s"'`,]|$)/
/** Separators of commands: `date -u +%H:%M` after a `curl` is not part of it. An escaped line break is not one. */
const commandEnd = /[;|(]|&(?=[&\s])|(?<!\\|\\\r)\n|(?<!\\)\\n/

/** Whether the command around this place, as far back as it goes, is one that sends credentials. */
function isSentBy(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - 400), at)
  const bare = before.replace(/\\{0,4}(["'])[^"'\n]{0,200}?\\{0,4}\1|\([^()\n]{0,200}\)/g, ' ')
  return sender.test(bare.split(commandEnd).at(-1)!)
}

function matchUser(scan: Scan, at: number, behind: number): void {
  const { text } = scan
  user.lastIndex = behind
  const found = user.exec(text)
  if (found === null) return
  const [, name, quote, written] = found
  const password = /\s/.test(text[user.lastIndex] ?? '') ? written!.replace(/,$/, '') : written
  if (
    /^\d+$/.test(password!) ||
    /^\//.test(password!) ||
    isReference(password!) ||
    isPlaceholder(password!) ||
    password === name
  )
    return
  if (
    (/[${]/.test(password!) && !(quote === "'" && looksDrawn(password!))) ||
    (wordShare(password!) > 0.9 && !/\d/.test(password!))
  )
    return
  if (!isSentBy(text, at)) return
  const start = behind + found[0].lastIndexOf(password!)
  scan.report(start, start + password!.length, 'basic-auth')
}
