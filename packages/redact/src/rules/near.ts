import { isAlphanumeric } from '../char-code.ts'
import { lineEnd, reportLines } from './near-lines.ts'
import type { Scan, Trigger } from './scan.ts'
import type { SecretName } from './secret-names.ts'
import { isCode, isMachineMade, isPromise, isSaid, isSecretValue, isUnnamed } from './secret-value.ts'
import { reportPhrase } from './seed-phrases.ts'
import { lineStart, matchLength } from './value-reader.ts'
import { wordShare } from './word-likeness.ts'

/**
 * Words that say secret in sentences, labels, code and the output of programs. What a value near them must look like:
 * `password`: a password that somebody chose or a program generated; `code`: digits; `call`: a literal that looks like
 * nothing but a secret; `said`: also one that somebody chose; `pair`: the same behind another argument;
 * `half`: the key of this id; `output`: a line of its own.
 */
const words: Readonly<Record<'password' | 'code' | 'call' | 'said' | 'pair' | 'half' | 'output', string>> = {
  password: `passcode,unseal key,setup key,enable secret,the secret,pw ,zugang,schlüssel,Schlüssel,contrase,clave,
palavra-passe,chave,mot de passe,code secret,code wifi,kunci,parola,chiave,mdp,clé,sleutel,lozinka,hasł,Hasł,klucz,ifre,anahtar,senord,nyckel,adgangskode,kodeord,passord,salasana,jelsz, khẩu,sandi,jeton,
wi-fi key,wifi key,credentials,creds,login,admin / ,root / ,admin/,root/,admin:,root:,authenticate with,rotate ,leaked,log in with,logging in with,sign in with,log in as,wi-fi:,wifi:,account:,user:,username:,
credencia,identifiants,credenziali,inloggegevens,dane logowania,stats auth ,: PSK ,AUTH ,LOGIN ,PASS ,identify ,key-string ,key content,digest-key,auth sha ,auth md5 ,priv aes ,aes 128 ,wpa2 ,ssid ,wifi is , on >,bindpw ,
-server ,: EAP ,: XAUTH ,isakmp key,ipv6 community ,com2sec ,rocommunity ,rwcommunity ,connecte-,inloggen,einloggen,anmelden,accedi ,zalog,
urandom,gen-random,randombytes,random_bytes,generate_key,token_hex,token_urlsafe,gopass,keys list`,
  code: `passcode,PIN ,license:,door code,alarm code,this code,your code,2fa:,unlock code,code secret,pin code,verification code,confirmation code,security code,login code,sign-in code,one-time code,
one-time password,2fa code,mfa code,otp code,sms code,pairing code,device code,the pin ,pin is,pin ist,authentication code,
tigungscode,itscode,angscode,code de v,digo de v,digo de acc,digo de ace,digo de seg,codice di ver,codice di acc,codice di sic,kod weryf,kod dost`,
  call: `cipher,crypt,aes.,fernet(,.seal(,cookie,proxyauth,uth=(,uth = (,seed(,
connection,github(,totp(,sign(,stripe(,twilio(,client(,.run(,telegraf(,telebot(,hashpw(,wallet(,toaccount(,omniauth,
.decode(,keyspec(,securitykey(,sequelize(,algoliasearch(,static,signwith(,hexdigest(,signer.`,
  said: `jwt.,verify,hmac,credential,basicauth,digestauth,plainauth,bcrypt.,argon2.,auth(,assword,hash::make(`,
  pair: `textauth,authenticat,bind,logon,login,signin,sign_in,crypt(,unlock,ftp(,connect(,open,getconnection(,pdo(,mysqli,create_user(,
create_superuser(,createuser(,username_pw_set(,directoryentry,mapnetworkdrive,wifi.begin(,smtp(`,
  half: `AKIA,ASIA,LTAI,.apps.googleusercontent.com`,
  output: `openssl rand,pwgen,wg genkey,wg genpsk,secret-tool lookup,gh auth token,pass show ,bw get password,gpg -d ,vault view ,$ pass ,chpasswd:,shown again,shown once,see it again,only time`,
}

type Holds = keyof typeof words

/** The names of what the words of a list, or one of its words, hold. */
const names: Readonly<Record<string, SecretName>> = {
  code: { kind: 'code', type: 'one-time-code' },
  half: { kind: 'api-key', type: 'aws-secret-key' },
  LTAI: { kind: 'api-key', type: 'api-token' },
  '.apps.googleusercontent.com': { kind: 'api-key', type: 'gcp-key' },
  output: { kind: 'password', type: 'secret' },
}
const password: SecretName = { kind: 'password', type: 'password' }
const key: SecretName = { kind: 'api-key', type: 'api-key' }

/** The rest of a name in code. */
const goesOn = /[a-z]{0,3}[A-Z0-9_]/y

export const nearTriggers: readonly Trigger[] = (Object.entries(words) as [Holds, string][]).flatMap(
  ([holds, list]) =>
    list.split(/,\n?/).map((literal) => ({
      literal,
      exact: /[^\u0000-\u007f]|[A-Z]/.test(literal),
      match(scan: Scan, at: number) {
        const end = at + literal.length
        if (holds === 'call' || holds === 'said' || holds === 'pair') reportArguments(scan, end, holds)
        else if (/[a-z]$/.test(literal) && matchLength(goesOn, scan.text, end) > 0) return
        else if (!/^[a-z]/i.test(literal) || !isAlphanumeric(scan.text.charCodeAt(at - 1)))
          matchNear(scan, at, end, holds, names[literal] ?? names[holds] ?? password)
      },
    })),
)

/** The same in other scripts. */
const otherScripts =
  /密码|密碼|口令|密钥|密鑰|令牌|パスワード|暗証番号|トークン|秘密鍵|API\s?キー|비밀번호|비번|암호|토큰|API\s?키|парол[ьяюе]м?|токен[ауе]?м?|ключ[ауе]?м?|كلمة (?:المرور|السر)|पासवर्ड|รหัสผ่าน|סיסמ[הא]|κωδικ[όο]ς?|账号|帳號|登[录錄]|ログイン|로그인|계정|доступ|логин|合言葉|(验证码|驗證碼|認証コード|確認コード|인증\s?코드|인증번호|код подтверждения)/giu
const otherLetters = /[\u0370-\u06ff\u0900-\u097f\u0e00-\u0e7f\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]/

/** Reports values after names in letters that are not Latin. */
export function matchOtherScripts(scan: Scan): void {
  if (Buffer.byteLength(scan.text) === scan.text.length || !otherLetters.test(scan.text)) return
  for (const { 0: word, 1: oneTime, index } of scan.text.matchAll(otherScripts)) {
    const holds = oneTime === undefined ? 'password' : 'code'
    matchNear(scan, index, index + word.length, holds, names[holds] ?? password)
  }
}

/** Maximum distance between a word and its value. */
const reach = 120
/** What counts, checks or describes a secret. */
const counts = /^s?[ _-](?:count|usage|limit|budget|cost|type|name|id|length|size|window|expir|ttl)/i

/** The value near a word that says secret, however it is written: on its line, alone on the next ones, before a comment. */
export function matchNear(scan: Scan, start: number, end: number, holds: Holds, name: SecretName): boolean {
  const { text } = scan
  if (scan.commandBudget < 0 || text.startsWith('---', end - 3) || isInBase64(text, start, end)) return false
  const rest = restOfLine(text, end, 2 * reach)
  if (reportBytes(scan, end, name)) return true
  scan.commandBudget -= reach
  if (counts.test(rest)) return false
  if (reportPhrase(scan, start, end, rest)) return true
  if (name.kind === 'code' && reportCode(scan, start, end, rest)) return true
  if (holds === 'code') return false
  if (holds !== 'output' && reportIn(scan, end, rest.slice(0, reach + 100), name)) return true
  const from = lineStart(text, start, 300)
  if (from === undefined || (name.isVague === true && text[start - 1] !== '/')) return false
  const next = end + rest.length
  const isWhole = rest.length < 2 * reach && next < text.length
  if (isWhole && reportBelow(scan, next, text.slice(from, next), holds, name)) return true
  return reportBefore(scan, from, start, end, name)
}

function restOfLine(text: string, from: number, most: number): string {
  return text.slice(from, from + most).split(lineEnd, 1)[0] as string
}

/** A sign of base64 is rarely next to a word. */
function isInBase64(text: string, start: number, end: number): boolean {
  const hasSign = /[+/]/.test(`${text[start - 1]} ${text[end]}`)
  const run = hasSign ? /[A-Za-z0-9+/]{38,}/.exec(text.slice(Math.max(0, start - 20), end + 20)) : null
  return run !== null && /\d/.test(run[0])
}

/** A key as a list of its bytes. */
const byteList =
  /^(?:\[\w*\])?(?:\s[A-Z_]{3,20})?\s{0,3}[:=]\s{0,3}(?:(?:bytes|bytearray|new\s\w+\[\]|\[\]byte|Buffer\.from)?\(?[[{]\s{0,4})((?:(?:0x[0-9a-f]{1,2}|\d{1,3})(?:,\s{0,4}|(?=\s{0,4}[\]}]))){12,128})/i

function reportBytes(scan: Scan, at: number, name: SecretName): boolean {
  const found = isPromise(name.kind) ? byteList.exec(scan.text.slice(at, at + 700)) : null
  if (found === null) return false
  const end = at + found[0].length
  scan.report(end - found[1]!.length, end, name.type)
  return true
}

const oneTimeCode =
  /(?<![\w.-])(?:\d{3}[ -]\d{3}|\d{4}[ -]\d{4}|[A-Z0-9]{4,6}(?:-[A-Z0-9]{4,6}){1,6}|\d{4,8})(?![\w-]|\.\d)/g
const saysIs = /^$|^[\w ()]{0,36}?(?:[\s:=("'`*—-]|\bis\b|\bwas\b|\bare\b){1,4}$/
const isYour = /(?<![\w-])([\w-]{4,40})["'`*_)]* is your [\w -]{0,20}$/

/** `482913 is your login code`, `login code: 482913`. */
function reportCode(scan: Scan, start: number, from: number, rest: string): boolean {
  const said = isYour.exec(scan.text.slice(Math.max(0, start - 60), start))
  if (said !== null && isCode(said[1]!)) {
    const at = Math.max(0, start - 60) + said.index
    scan.report(at, at + said[1]!.length, 'one-time-code')
    return true
  }
  let last = 0
  for (const { 0: code, index } of rest.slice(0, reach).matchAll(oneTimeCode)) {
    if (!(last === 0 ? saysIs : /^[\s,;/"'`]{1,4}$/).test(rest.slice(last, index))) continue
    last = index + code.length
    scan.report(from + index, from + last, 'one-time-code')
  }
  return last > 0
}

const heading = /^\s{0,20}(?:#|\/\/|--|\/\*|\*|<!--|;|REM\b|""")(?![^\n]{0,80}[=:] ?\S)/

/** The lines below, or the next one below a heading or a comment. */
function reportBelow(scan: Scan, end: number, line: string, holds: Holds, name: SecretName): boolean {
  const from = end + (scan.text[end] === '\n' ? 1 : 2)
  if (reportLines(scan, from, line, holds === 'output', name)) return true
  return heading.test(line) && reportIn(scan, from, restOfLine(scan.text, from, reach + 100), name)
}

const comment =
  /(?:^|\s)(?:#|\/\/|--|\/\*|<!--|;|\brem\b|←|<-|(?<=^[ \t]{0,8}\|.*)\|(?=[^|]{0,40}$))[^"'`\n]{0,60}$/i
/** `… as the password`, and the name of what a literal sets. */
const behind =
  /(?: (?:as|for|in|into)(?: [A-Za-z]+){0,2} | \((?:\w{1,20} ){0,2}|(?<=["'])[\])]? [\w .,=:]{0,40})$/
/** A value before its name: `{"value": "…", "name": "API_TOKEN"}`, `SET value = '…' WHERE name = 'api_token'`. */
const valueFirst =
  /(?:[\s,]{1,4}["']?|\s{1,3}where\s{1,3}[`"]?)(?:name|key|id|option_name)[`"']?\s{0,3}[:=]\s{0,3}["'](?:[\w.:~/-]{1,80}\/)?$/i

/** `hunter2hunter2 is the password`, `set it to … (that's the secret)`. */
const isName =
  /(?<=^|[\s"'`(])([^\s"'`()]{6,100})["'`]? (?:\((?:that|this|it|which)(?:['’]s| is)|is|was|ist|est|es|è|é) (?:(?:the|our|my|your|das|le|la|il|o|a|el)[ ])?(?:\w{1,20} ){0,2}$/i

/** A value before the word: the word is in a comment, or names what precedes it. */
function reportBefore(scan: Scan, from: number, start: number, end: number, name: SecretName): boolean {
  const before = scan.text.slice(from, start)
  const said = isName.exec(before)
  if (said !== null && isPromise(name.kind) && isSaid(said[1]!) && isUnnamed(said[1]!, true)) {
    scan.report(from + said.index, from + said.index + said[1]!.length, name.type)
    return true
  }
  const isQuoted = /["'/]/.test(scan.text[end] ?? '')
  const sign = comment.exec(before) ?? behind.exec(before) ?? (isQuoted ? valueFirst.exec(before) : null)
  return sign !== null && reportIn(scan, from, before.slice(0, sign.index), name.kind === 'key' ? key : name)
}

/** What may be a secret in a part of a line, and what precedes it there. */
type Candidate = Readonly<{ at: number; value: string; quoted: boolean; gap: string }>

/** A literal, or characters up to the next blank. */
const literalOrWord =
  /\\{0,8}(["'`])((?:(?!\1)[^\n\\]){4,200})(?=\\{0,8}\1)|(?:[!#-&*+\-./0-;=?-Z^_a-z~]|(?<=\w)[<>|(){}[\],](?=\w)){4,300}/g
/** A name, a sign of a list or an operator without a blank before a value. */
const lead = /^(?:[A-Za-z][a-z.@_-]{0,40}\d?[:=/]|[-=>:→*@#_]+)(?=\S)/

function readCandidate(part: string, match: RegExpExecArray): Candidate | undefined {
  const { 0: whole, 2: literal, index } = match
  if (literal !== undefined) {
    const at = index + whole.length - literal.length
    return { at, value: literal, quoted: true, gap: part.slice(0, at) }
  }
  if (!/^[\s"'`:=>([,“„«「]?$|[^\u0000-\u007f]/.test(part[index - 1] ?? '')) return undefined
  const at = index + (lead.exec(whole)?.[0].length ?? 0)
  const value = whole.slice(at - index).replace(/(?:["'`*_),;:.?|<\\\]}]|\\n.*)+$/, '')
  if (/[([{]/.test(part[at + value.length] ?? '')) return undefined
  return { at, value, quoted: false, gap: part.slice(0, at) }
}

/** No value that is a secret next to any word is without them. */
const mayHold = /\d|[a-z][A-Z]|\bis:? ["'`]|[a-z]-[a-z]+-[a-z]/

/** Reports the secrets in a part of a line that starts at `from`. */
function reportIn(scan: Scan, from: number, part: string, name: SecretName): boolean {
  if (!mayHold.test(part)) return false
  let found = false
  for (const match of part.matchAll(literalOrWord)) {
    if (match.index > reach) break
    const candidate = readCandidate(part, match)
    if (candidate === undefined) continue
    const at = from + candidate.at
    if (at >= scan.foundFrom && at < scan.foundTo) found = true
    else if (!match[0].includes('://') && isSecretBehind(candidate, name)) {
      scan.report(at, at + candidate.value.length, name.type)
      found = true
    }
  }
  return found
}

/** What is directly between a word and its value: signs, a word for `is`, `to`, `as` or `and`, or another script. */
const link =
  /^\s\d{1,5}\smd5\s$|^-?\p{L}{0,6}(?:\s(?:secret|segret|d.acc|admin)\p{L}{0,4})?[\s:?=(*_"'`„“«「『—–-]*$|(?:[:：=—–|(→-]|(?:^|\s)\/|\.{3}|[^\u0000-\u024f\u1e00-\u1eff]|(?:^|\s)(?:is|be|was|to|from|as|type|enter|key|psk|and|in|auf|na|ist|lautet|sind|und|es|son|y|est|sont|et|é|è|são|e|jest|to|i|en|zijn|je|är|er|on|là|adalah|van|with|it['’]s|here['’]s|[05789]|\/d)(?:\s(?:now|jetzt|ahora|maintenant|agora|adesso))?)[\s"'`„“«「『*_(]{0,3}$/iu
/** Elements of a list, after its name. */
const inList = /^\\{0,8}["']?\s{0,3}[:=]\s{0,3}\[[^\][]*$/
/** A sentence that says what the secret is. */
const says =
  /^[^\u0000-\u024f]{1,4}\s{0,3}[:：]?\s{0,3}["'`„“«「『]?$|^["'`]?[^"'`=<>{}()\n]{0,40}\b(?:is|to|was|be|lautet|ist|es|est|é|è):?[\s"'`*(]{1,4}$/i
/** Words that announce something that is no secret. */
export const announces =
  /(?:\b|(?<=[a-z_]))(?:sha\d*|(?<!^\s\d{1,5}\s)md5|commit|digest|checksum|etag|integrity|fingerprint|hash|uuid|guid|ids?|ur[li]|path|file|branch|tag|version|image|public|pub|rev|sum|signature)\b["']?\W{0,4}(?:\w+\W)?$/i
/** The name of a user before the password. */
const pair =
  /^\w{0,12}[\s:=([{"']{1,6}[\w.@-]{1,60}\\{0,8}["']\s{0,4}[,:]\s{0,4}\\{0,8}["']?$|^["']?[\w.+-]{1,40}@[\w.-]{1,60}["']?[ ,:/|]{1,3}["']?$/
/** A shorter value is too little next to a word that may say something else. */
const leasts: Partial<Record<SecretName['kind'], number>> = { password: 8, key: 20, vendor: 20 }

/** Whether a candidate is a secret: the less its place says so, the more its own look must. */
function isSecretBehind({ value, quoted, gap }: Candidate, name: SecretName): boolean {
  const isStated = isPromise(name.kind) && says.test(gap)
  if (!quoted && !isStated && !mayHold.test(value)) return false
  const isLinked = name.isVague !== true && link.test(gap)
  const least = leasts[name.kind] ?? 10
  const isSecret =
    (name.kind === 'code' && inList.test(gap) && isCode(value)) ||
    ((isLinked || least < 20 || inList.test(gap)) && isDefinite(value, least)) ||
    (isLinked && isStated && isSecretValue(name, value, quoted ? 'quoted' : 'prose')) ||
    (isLinked && isPromise(name.kind) && name.kind !== 'password' && isMachineMade(value)) ||
    ((isLinked ? name.kind === 'password' || name.kind === 'secret' : pair.test(gap)) && isSaid(value))
  return isSecret && !announces.test(gap) && (name.kind === 'code' || isUnnamed(value, isLinked && isStated))
}

/** Whether a value is nothing but a secret, next to whatever word. */
function isDefinite(value: string, least: number): boolean {
  if (value.length < least || /^[\da-f-]+$/i.test(value)) return false
  // A number that begins so is a time: https://github.com/ulid/spec
  if (/^(?:[a-z\d]{24,}|(?!0)[A-Z\d]{24,})$/.test(value))
    return wordShare(value) < 0.5 && isMachineMade(value)
  if (/[\s/\\(){}[\]<>;,|]/.test(value) && !/^[A-Za-z0-9+/]{24,}={0,2}$/.test(value)) return false
  return /[a-z]/.test(value) && /[A-Z]/.test(value) && wordShare(value) < 0.65 && isMachineMade(value)
}

/** An argument may follow without a bracket in Ruby, Perl and Visual Basic. */
const opened = /[\w.:<>\]]{0,40}(?:\(|(?<!:)[ ](?=["']))/y
const textEnd = /\n|\\n|"(?:\s*[\]}])/
const argumentsOf = /^(?:[^()]|\([^()]*\))*/
const literal = /\\{0,8}(["'`])((?:(?!\1)[^\n\\]){6,200})(?=\\{0,8}\1)/g

/** Literals between the brackets of a call. */
export function reportArguments(scan: Scan, at: number, holds: 'call' | 'said' | 'pair'): void {
  opened.lastIndex = at
  const end = scan.text[at - 1] === '(' ? at : opened.test(scan.text) ? opened.lastIndex : -1
  if (end < 0 || scan.commandBudget < 0) return
  const inside = argumentsOf.exec(scan.text.slice(end, end + 300))![0]
  scan.commandBudget -= inside.length
  // A call that is cut off does not go on after the text that holds it.
  const isWhole = scan.text[end - 1] === '(' && scan.text[end + inside.length] === ')'
  const own = isWhole ? inside : inside.split(textEnd, 1)[0]!
  for (const { 0: whole, 2: value = '', index } of own.matchAll(literal)) {
    const isChosen = holds === 'said' || (holds === 'pair' && own.slice(0, index).includes(','))
    if ((isChosen ? isSaid(value) : isMachineMade(value)) && isUnnamed(value, false))
      scan.report(end + index + whole.length - value.length, end + index + whole.length, 'password')
  }
}
