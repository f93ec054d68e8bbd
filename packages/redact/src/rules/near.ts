import { isAlphanumeric } from '../char-code.ts'
import { isSequential } from './allow-list.ts'
import type { Scan, Trigger } from './scan.ts'
import { classifyName, type SecretName } from './secret-names.ts'
import { isCode, isFileOrAddress, isMachineMade, isPromise, isSaid, isSecretValue } from './secret-value.ts'
import { lineStart, matchLength } from './value-reader.ts'
import { isUuid } from './value-shape.ts'
import { wordShare } from './word-likeness.ts'

/**
 * Words that say secret in sentences, labels, code and the output of programs. What a value near them must look like:
 * `password`: a password that somebody chose or a program generated; `code`: digits; `call`: a literal that looks like
 * nothing but a secret; `half`: the key of this id; `output`: a line of its own.
 */
const words: Readonly<Record<'password' | 'code' | 'call' | 'half' | 'output', string>> = {
  password: `password,passcode,passphrase,unseal key,setup key,enable secret,the secret,pw for,passwort,kennwort,zugangs,
schlüssel,Schlüssel,contrase,clave,senha,palavra-passe,chave,mot de passe,code secret,code wifi,kunci,Kunci,parola,chiave,mdp,clé,
wachtwoord,sleutel,lozinka,heslo,hasł,Hasł,klucz,ifre,anahtar,senord,nyckel,adgangskode,passord,salasana,jelsz, khẩu,kata sandi,
wi-fi key,wifi key,credentials,creds,login,log in with,logging in with,sign in with,log in as,wi-fi:,wifi:,account:,user:,username:,
credencia,identifiants,credenziali,inloggegevens,dane logowania,credenciais,stats auth ,: PSK ,AUTH ,LOGIN ,PASS ,IDENTIFY , on >,bindpw ,
-server key ,: EAP ,: XAUTH ,snmp-server community ,isakmp key,ipv6 community ,createUser `,
  code: `passcode,pin code,verification code,confirmation code,security code,login code,sign-in code,one-time code,
one-time password,2fa code,mfa code,otp code,sms code,pairing code,device code,the pin ,authentication code`,
  call: `jwt.,hmac,cipher,crypt,aes.,fernet(,.seal(,cookie,credential,basicauth,digestauth,proxyauth,basic_auth,uth=(,uth = (,.auth(,login(,
_bind,authenticat,connect(,connection,pdo(,mysqli,stripe(,twilio(,client(,.run(,telegraf(,telebot(,ettoken(,hashpw(,create_user(,
create_superuser(,createuser(,assword,keystore.load(,wallet(,toaccount(,.decode(,keyspec(,securitykey(,sequelize(,wifi.begin(,algoliasearch(,
static,signwith(,hexdigest(,username_pw_set(`,
  half: `AKIA,ASIA,LTAI,.apps.googleusercontent.com`,
  output: `openssl rand,pwgen,wg genkey,wg genpsk,secret-tool lookup,gh auth token,pass show ,bw get password,chpasswd:,334 UGFzc3dvcmQ6`,
}

type Holds = keyof typeof words

/** Maximum distance between a word and its value. */
const reach = 120
/** What may be a value: a literal, or characters up to the next blank. */
const candidate =
  /\\{0,8}(["'`])((?:(?!\1)[^\n\\]){4,200})(?=\\{0,8}\1)|(?:[!#-&*+\-./0-;=?-Z^_a-z~]|(?<=\w)[<>|(){}[\],](?=\w)){4,300}/g
/** A name, a sign of a list or an operator without a blank before a value. */
const lead = /^(?:[A-Za-z][a-z.@_-]{0,40}\d?[:=/]|[-=>:→*@#_]+)(?=\S)/
/** What is directly between a word and its value: signs, a word for `is`, `to`, `as` or `and`, or another script. */
const link =
  /^\p{L}{0,6}(?:\s(?:secret|segret|d.acc|admin)\p{L}{0,4})?[\s:=(*_"'`„“«「『—–-]*$|(?:[:：=—–|(→-]|(?:^|\s)\/|\.{3}|[^\u0000-\u024f\u1e00-\u1eff]|(?:^|\s)(?:is|be|was|to|from|as|type|enter|and|in|auf|na|ist|lautet|sind|und|es|son|y|est|sont|et|é|è|são|e|jest|to|i|en|zijn|je|är|er|on|là|adalah|van|with|[05789]|\/d)(?:\s(?:now|jetzt|ahora|maintenant|agora|adesso))?)[\s"'`„“«「『*_(]{0,3}$/iu
/** A sentence that says what the secret is. */
const says = /^["'`]?[^"'`=<>{}()\n]{0,40}\b(?:is|to|was|be|lautet|ist|es|est|é|è):?[\s"'`*(]{1,4}$/i
/** Words that announce something that is no secret. */
const announces =
  /(?:\b|(?<=[a-z_]))(?:sha\d*|md5|commit|digest|checksum|etag|integrity|fingerprint|hash|uuid|guid|ids?|ur[li]|path|file|branch|tag|version|image|public|pub|rev|sum|signature)\b["']?\W{0,4}(?:\w+\W)?$/i
/** A value before its name: `{"value": "…", "name": "API_TOKEN"}`, `SET value = '…' WHERE name = 'api_token'`. */
const valueFirst =
  /(?:[\s,]{1,4}["']?|\s{1,3}where\s{1,3}[`"]?)(?:name|key|id|option_name)[`"']?\s{0,3}[:=]\s{0,3}["']$/i
/** No value that is a secret next to any word is without them. */
const mayHold = /\d|[a-z][A-Z]|\bis:? ["'`]/
const comment = /(?:^|\s)(?:#|\/\/|--|\/\*|<!--|;|\brem\b|←|<-)[^"'`\n]{0,60}$/i
/** The name of a user before the password. */
const pair = /^\w{0,12}[\s:=([{"']{1,6}[\w.@-]{1,60}\\{0,8}["']\s{0,4}[,:]\s{0,4}\\{0,8}["']?$/
/** `… as the password`, and the name of what a literal sets. */
const behind = /(?: (?:as|in|into)(?: [a-z]+){0,2} |(?<=["'])\)? [\w .=:]{0,40})$/
const code = /(?<![\w.-])(?:\d{3}[ -]\d{3}|\d{4}[ -]\d{4}|[A-Z0-9]{4,5}-[A-Z0-9]{4,5}|\d{4,8})(?![\w-]|\.\d)/g
const saysIs = /^[\w ()]{0,24}?(?:[\s:=("'`*—-]|\bis\b|\bwas\b|\bare\b){1,4}$/
const isYour = /(?<![\w-])([\w-]{4,40})["'`*_)]* is your [\w -]{0,20}$/
const lineEnd = /\n|\\n/
const prompt =
  /^(?:\(\w{1,12}\)|[^\n$#>%]{0,60}[$#>%]{1,3})[ \t]|<<[-~]?[ \t]?["'\\]?\w{1,20}|^(?:# )?(?:\.{0,2}[\w-]{0,40}\/){1,8}[\w.-]{1,60}\s*$|[:>][ \t"'`*]*$|; name="[^"\n]*"$/
/** A line with nothing but a value, perhaps behind a number, an operator or a name. */
const onlyValue =
  /[ \t]{0,8}(?:(?:[-*•]|\d{1,2}[.):])[ \t]{1,4}|\d{1,6}[→\t]|=>[ ]|\$\d{1,4}[ ]=[ ](?:0x[\da-f]{1,16}[ ])?|Out\[\d{1,4}\]:[ ]|[\w.@-]{1,40}[:|](?!\/\/)|New value:[ ]|[\w.@*-]{1,40}[ \t]{1,4}\*[ \t]{1,4})?b?["']?([^\s"'`]{2,4096}|[A-Za-z][a-z]+(?: [a-z]+){1,23})["']?(?:[ \t]{1,4}\*)?[ \t]{0,4}(?=\r?\n|\\n|$)/y
const heading = /^\s{0,20}(?:#|\/\/|--|\/\*|\*|<!--|;|REM\b|""")(?![^\n]{0,80}[=:] ?\S)/
const blockOfYaml = /[ \t]{0,8}\w{1,20}:[ ]\|\n/y
const maxLines = 20
const inBase64 = /[A-Za-z0-9+/]{38}/
/** What counts, checks or describes a secret. */
const counts = /^s?[ _-](?:count|usage|limit|budget|cost|type|name|id|length|size|window|expir|ttl)/i
/** A file, an address, a time, a name in code, an id of an API. */
const harmless =
  /^[\d.:]+$|\|\w+\||<\/|\(\)|\)[,.]|:\/\/|^\.|\d→|\d{4}-\d\d-\d\d|^(?:key|token|auth|secret)|[_.-](?:key|token|auth|secret)|^[A-Za-z_]\w*=|^(?:toolu|msg|call|req|chatcmpl|run|thread|sess|evt|rs|fc)_|a-z(?:a-z|0-9)|0-9a-z/i
const nameInside = /Key|Token|Auth|Secret|[a-z]ID\b/

const drawn: SecretName = { kind: 'secret', type: 'secret' }

const listOfNumbers = /[[{]\s{0,4}\d/
/** A key as a list of its bytes. */
const byteList =
  /^(?:\[\w*\])?\s{0,3}[:=]\s{0,3}(?:(?:bytes|bytearray|new\s\w+\[\]|\[\]byte|Buffer\.from)?\(?[[{]\s{0,4})((?:(?:0x[0-9a-f]{1,2}|\d{1,3})(?:,\s{0,4}|(?=\s{0,4}[\]}]))){12,128})/i

/** The value near a word that says secret, however it is written: on its line, alone on the next ones, before a comment. */
export function matchNear(scan: Scan, start: number, end: number, holds: Holds, name: SecretName): boolean {
  const { text } = scan
  if (scan.commandBudget < 0 || text.startsWith('---', end - 3)) return false
  if (isCodeSign(text[start - 1]) || isCodeSign(text[end])) {
    if (inBase64.test(text.slice(Math.max(0, start - 20), end + 20))) return false
  }
  const ahead = text.slice(end, end + 2 * reach)
  const stop = ahead.search(lineEnd)
  const rest = stop < 0 ? ahead : ahead.slice(0, stop)
  const bytes =
    isPromise(name.kind) && listOfNumbers.test(rest.slice(0, 50))
      ? byteList.exec(text.slice(end, end + 700))
      : null
  if (bytes !== null) {
    scan.report(end + bytes[0].length - bytes[1]!.length, end + bytes[0].length, name.type)
    return true
  }
  scan.commandBudget -= reach
  if (counts.test(rest)) return false
  if (holds === 'code') return matchCode(scan, start, end, rest)
  if (holds !== 'output' && inZone(scan, end, rest.slice(0, reach + 100), name)) return true
  const from = lineStart(text, start, 300)
  if (from === undefined || (name.isVague === true && text[start - 1] !== '/')) return false
  const before = text.slice(from, start)
  if (stop >= 0) {
    const next = end + stop + (ahead[stop] === '\n' ? 1 : 2)
    const line = before + text.slice(start, end) + rest
    if (matchLines(scan, next, line, holds, name) || matchBelow(scan, next, line, name)) return true
  }
  const sign =
    comment.exec(before) ??
    behind.exec(before) ??
    (/["']/.test(text[end] ?? '') ? valueFirst.exec(before) : null)
  return sign !== null && inZone(scan, from, before.slice(0, sign.index), name)
}

function inZone(scan: Scan, from: number, zone: string, name: SecretName): boolean {
  if (!mayHold.test(zone)) return false
  let found = false
  for (const match of zone.matchAll(candidate)) {
    if (match.index > reach) break
    const quoted = match[2] !== undefined
    let at = match.index + (quoted ? match[0].length - match[2]!.length : 0)
    let value = match[2] ?? match[0]
    if (!quoted) {
      if (!/^[\s"'`:=>(“„«「]?$|[^\u0000-\u007f]/.test(zone[at - 1] ?? '')) continue
      const length = lead.exec(value)?.[0].length ?? 0
      at += length
      value = value.slice(length).replace(/(?:["'`*_),;:.?|<\\\]}]|\\n.*)+$/, '')
      if (/[([{]/.test(zone[at + value.length] ?? '')) continue
    }
    const gap = zone.slice(0, at)
    if (from + at >= scan.foundFrom && from + at < scan.foundTo) {
      found = true
      continue
    }
    const isSaidHere = isPromise(name.kind) && says.test(gap)
    if (!quoted && !isSaidHere && !mayHold.test(value)) continue
    const isLinked = name.isVague !== true && link.test(gap)
    const isSaidSo = isLinked && isSaidHere
    const isSecret =
      ((isLinked || name.kind !== 'key') && isDefinite(value, quoted, leasts[name.kind] ?? 10)) ||
      (isSaidSo && isSecretValue(name, value, quoted ? 'quoted' : 'prose')) ||
      (isLinked && isPromise(name.kind) && name.kind !== 'password' && isMachineMade(value)) ||
      ((isLinked ? name.kind === 'password' : quoted && pair.test(gap)) && isSaid(value))
    if (!isSecret || announces.test(gap) || match[0].includes('://') || !isPlain(value, isSaidSo)) continue
    scan.report(from + at, from + at + value.length, name.type)
    found = true
  }
  return found
}

function matchCode(scan: Scan, start: number, from: number, zone: string): boolean {
  const said = isYour.exec(scan.text.slice(Math.max(0, start - 60), start))
  if (said !== null && isCode(said[1]!)) {
    const at = Math.max(0, start - 60) + said.index
    scan.report(at, at + said[1]!.length, 'one-time-code')
    return true
  }
  for (const match of zone.slice(0, reach).matchAll(code)) {
    if (!saysIs.test(zone.slice(0, match.index))) continue
    scan.report(from + match.index, from + match.index + match[0].length, 'one-time-code')
    return true
  }
  return false
}

/** A shorter value is too little next to a word that may say something else. */
const leasts: Partial<Record<SecretName['kind'], number>> = { password: 8, key: 20 }

/** Whether a value may be a secret next to any word: its name says nothing else. */
function isPlain(value: string, isLinked: boolean): boolean {
  if (value.length > 200 || isSequential(value) || classifyName(value) !== undefined) return false
  if (isUuid(value) && !isLinked) return false
  if (/^[A-Za-z0-9+/]{40,}={0,2}$/.test(value)) return true
  return !(harmless.test(value) || nameInside.test(value) || isFileOrAddress(value))
}

/** Whether a value is nothing but a secret, next to whatever word. */
function isDefinite(value: string, quoted: boolean, least: number): boolean {
  if (value.length < least || /^[\da-f-]+$/i.test(value) || (!quoted && !/\d/.test(value))) return false
  if (/[\s/\\(){}[\]<>;,|]/.test(value) && !/^[A-Za-z0-9+/]{24,}={0,2}$/.test(value)) return false
  return /[a-z]/.test(value) && /[A-Z]/.test(value) && wordShare(value) < 0.65 && isMachineMade(value)
}

/** Lines that are values and nothing else; among them may be one that is not secret, such as the name of a user. */
function matchLines(scan: Scan, from: number, line: string, holds: Holds, name: SecretName): boolean {
  const isCodes = name.kind === 'code' && /codes\b/i.test(line)
  const isSure = holds === 'output' || isCodes || prompt.test(line)
  let others = isSure ? 0 : 1
  let found = false
  let at = from
  if (holds === 'output') at += matchLength(blockOfYaml, scan.text, at)
  if (/^\r?\n/.test(scan.text.slice(at, at + 2))) at = scan.text.indexOf('\n', at) + 1
  for (let count = 0; count < maxLines; count++) {
    onlyValue.lastIndex = at
    const [whole, value] = onlyValue.exec(scan.text) ?? []
    if (whole === undefined || value === undefined) return found
    const start = at + whole.lastIndexOf(value)
    const isOne = isSure ? isSecretValue(name, value, 'setting') : isMachineMade(value)
    if (isOne && (isCodes || isPlain(value, false))) {
      scan.report(start, start + value.length, name.type)
      found = true
    } else if (++others > 1) return found
    at = onlyValue.lastIndex + (scan.text[onlyValue.lastIndex] === '\\' ? 2 : 1)
  }
  return found
}

/** A sign that is in base64, and rarely next to a name. */
function isCodeSign(character: string | undefined): boolean {
  return character === '+' || character === '/'
}

/** A heading or a comment above the line of a value. */
function matchBelow(scan: Scan, from: number, line: string, name: SecretName): boolean {
  if (!heading.test(line)) return false
  const below = scan.text.slice(from, from + reach + 100)
  const end = below.search(lineEnd)
  return inZone(scan, from, end < 0 ? below : below.slice(0, end), name)
}

/** The rest of a name in code. */
const goesOn = /[a-z]{0,3}[A-Z0-9_]/y

const names: Readonly<Record<Holds, SecretName>> = {
  password: { kind: 'password', type: 'password' },
  call: { kind: 'password', type: 'password' },
  code: { kind: 'code', type: 'one-time-code' },
  half: { kind: 'api-key', type: 'aws-secret-key' },
  output: drawn,
}

const opened = /[\w.:<>]{0,40}\(/y
const textEnd = /\n|\\n|"(?:\s*[\]},])/
const argumentsOf = /^(?:[^()]|\([^()]*\))*/
const literal = /\\{0,8}(["'`])((?:(?!\1)[^\n\\]){6,200})(?=\\{0,8}\1)/g

/** Literals between the brackets of a call. */
function matchCall(scan: Scan, at: number): void {
  opened.lastIndex = at
  const end = scan.text[at - 1] === '(' ? at : opened.test(scan.text) ? opened.lastIndex : -1
  if (end < 0 || scan.commandBudget < 0) return
  const inside = argumentsOf.exec(scan.text.slice(end, end + 300))![0]
  scan.commandBudget -= inside.length
  // A call that is cut off does not go on after the text that holds it.
  const isWhole = scan.text[end + inside.length] === ')'
  const own = isWhole ? inside : inside.split(textEnd, 1)[0]!
  for (const { 0: whole, 2: value = '', index } of own.matchAll(literal))
    if (isMachineMade(value) && isPlain(value, false))
      scan.report(end + index + whole.length - value.length, end + index + whole.length, 'password')
}

/** The same in other scripts. */
const otherScripts =
  /密码|密碼|口令|密钥|密鑰|令牌|パスワード|暗証番号|トークン|秘密鍵|API\s?キー|비밀번호|비번|암호|토큰|API\s?키|парол[ьяюе]м?|токен[ауе]?м?|ключ[ауе]?м?|كلمة (?:المرور|السر)|पासवर्ड|รหัสผ่าน|סיסמ[הא]|κωδικ[όο]ς?|(验证码|驗證碼|認証コード|確認コード|인증\s?코드|인증번호|код подтверждения)/giu
const otherLetters = /[\u0370-\u06ff\u0900-\u097f\u0e00-\u0e7f\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]/

/** Reports values after names in letters that are not Latin. */
export function matchOtherScripts(scan: Scan): void {
  if (Buffer.byteLength(scan.text) === scan.text.length || !otherLetters.test(scan.text)) return
  for (const { 0: word, 1: oneTime, index } of scan.text.matchAll(otherScripts)) {
    const holds = oneTime === undefined ? 'password' : 'code'
    matchNear(scan, index, index + word.length, holds, names[holds])
  }
}

const halfTypes: Readonly<Record<string, SecretName>> = {
  LTAI: { kind: 'api-key', type: 'api-token' },
  '.apps.googleusercontent.com': { kind: 'api-key', type: 'gcp-key' },
}

export const nearTriggers: readonly Trigger[] = [
  ...(Object.entries(words) as [Holds, string][]).flatMap(([holds, list]) =>
    list.split(/,\n?/).map((literal) => ({
      literal,
      exact: /[^\u0000-\u007f]|[A-Z]/.test(literal),
      match: (scan: Scan, at: number) => {
        if (holds === 'call') matchCall(scan, at + literal.length)
        else if (/[a-z]$/.test(literal) && matchLength(goesOn, scan.text, at + literal.length) > 0) return
        else if (!/^[a-z]/i.test(literal) || !isAlphanumeric(scan.text.charCodeAt(at - 1)))
          matchNear(scan, at, at + literal.length, holds, halfTypes[literal] ?? names[holds])
      },
    })),
  ),
]
