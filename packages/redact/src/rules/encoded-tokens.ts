import { isUrlCode } from '../char-code.ts'
import { isEdge } from './edge.ts'
import { exactTriggers, type Scan, type Trigger } from './scan.ts'

/** Numbers in base64 start with these: Discord's id, Jira's and Bitbucket's `number:random`. */
const numbers = Array.from('MNO').flatMap((first) =>
  Array.from('DTjzZ').flatMap((second) => Array.from('AEIMQUYcgk1', (third) => first + second + third)),
)

/** JSON web tokens, plain or base64-encoded once more, private keys in base64 without the lines of PEM, tokens that start with a number. */
export const encodedTokenTriggers: readonly Trigger[] = [
  ...exactTriggers(numbers, matchNumbered),
  ...exactTriggers(['.ey'], matchTwoPartJwt),
  ...exactTriggers(['eyJ'], matchThreePartJwt),
  ...exactTriggers(['MII', 'MIG', 'MIH', 'MHcCAQEE', 'MC4CAQAw', 'b3BlbnNzaC1rZXktdjE'], matchDerKey),
  ...exactTriggers(['ZXlK', 'LS0tLS1CRUdJTi'], matchEncoded),
]

const signatureParts = /[\w/\\-]{1,6000}/y

/** `ey….ey….signature`: three parts, of which the last may be missing. */
function matchTwoPartJwt(scan: Scan, at: number): void {
  const { text } = scan
  let start = at
  while (start > 0 && at - start < 4000 && isUrlCode(text.charCodeAt(start - 1))) start -= 1
  if (!text.startsWith('ey', start)) {
    const inner = text.slice(start, at).lastIndexOf('eyJ')
    if (inner < 0) return
    start += inner
  }
  if (at - start < 15) return
  signatureParts.lastIndex = at + 1
  if (!signatureParts.test(text) || signatureParts.lastIndex - at < 16) return
  let end = signatureParts.lastIndex
  if (text[end] === '.') {
    signatureParts.lastIndex = end + 1
    end = signatureParts.test(text) ? signatureParts.lastIndex : end + 1
  }
  while (text[end - 1] === '\\') end -= 1
  scan.report(start, end, 'jwt')
}

/** Three parts with any payload; five parts are an encrypted message. Overlong parts are skipped. */
const threeParts = /eyJ[\w-]{16,3000}\.[\w-]{2,3000}\.[\w-]{40,1000}(?![\w.-])/y

function matchThreePartJwt(scan: Scan, at: number): void {
  const before = scan.text.charCodeAt(at - 1)
  if (before === 45 || before === 95 || !isEdge(scan.text, at)) return
  threeParts.lastIndex = at
  if (threeParts.test(scan.text)) scan.report(at, threeParts.lastIndex, 'jwt')
}

/** A private key in DER, base64-encoded without the lines of PEM: PKCS#1, PKCS#8, SEC 1, OpenSSH. */
const derKey =
  /(?:MII[A-Za-z0-9+/]{2}[AQgw]IBA|MI[GHI][A-Za-z0-9]{1,2}AgEAM|MHcCAQEE|MC4CAQAw|b3BlbnNzaC1rZXktdjE)[A-Za-z0-9+/=\s\\]{40,8000}/y

function matchDerKey(scan: Scan, at: number): void {
  const { text } = scan
  if (at < scan.tokensReadTo) return
  if (at > 0 && /[A-Za-z0-9+/]/.test(text[at - 1]!) && !isEdge(text, at)) return
  derKey.lastIndex = at
  const found = derKey.exec(text)
  if (found === null) return
  scan.tokensReadTo = derKey.lastIndex
  const solid = found[0].search(/(?:\s{1,40}[A-Za-z0-9+/]{1,30}|[\s\\]{1,40})$/)
  scan.report(at, at + (solid > 60 && /\s/.test(found[0]) ? solid : found[0].length), 'private-key')
}

const encodedRun = /[A-Za-z0-9+/_-]{40,8000}={0,2}/y

/** A token or a key that was base64-encoded once more. */
function matchEncoded(scan: Scan, at: number): void {
  const { text } = scan
  if (at < scan.tokensReadTo || !isEdge(text, at)) return
  encodedRun.lastIndex = at
  if (!encodedRun.test(text)) return
  const end = encodedRun.lastIndex
  scan.tokensReadTo = end
  const decoded = Buffer.from(text.slice(at, end), 'base64').toString('latin1')
  if (/^eyJ[\w-]{8,}\.eyJ/.test(decoded)) scan.report(at, end, 'jwt')
  else if (decoded.includes('PRIVATE KEY')) scan.report(at, end, 'private-key')
}

const discord = /[MNO][\w-]{22,25}\.[\w-]{6}\.[\w-]{27,40}/y
const accessToken = /[MNO][A-Za-z0-9+/]{43}(?![A-Za-z0-9+=])/y

function matchNumbered(scan: Scan, at: number): void {
  const { text } = scan
  if (!isEdge(text, at)) return
  discord.lastIndex = at
  accessToken.lastIndex = at
  if (discord.test(text)) scan.report(at, discord.lastIndex, 'discord-token')
  else if (accessToken.test(text)) {
    const decoded = Buffer.from(text.slice(at, at + 44), 'base64').toString('latin1')
    if (/^\d{9,14}:/.test(decoded)) scan.report(at, at + 44, 'atlassian-token')
  }
}
