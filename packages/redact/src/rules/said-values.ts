import { isAlphanumeric } from '../char-code.ts'
import type { Scan, Trigger } from './scan.ts'
import { isMachineMade, isSaid } from './secret-value.ts'

/** What is between a name and its value if the value follows at once, in whatever language. */
const direct = /^\p{L}{0,6}(?:\s(?:secret|segret|d.acc|admin)\p{L}{0,4})?[\s:=—–-]+["'`„“«「『*_(]{0,2}\s?$/u
/** What is directly before a value: a sign, a word for `is`, `to`, `as` and `and`, or another script. */
const before =
  /(?:[:：=—–|(→-]|(?:^|\s)\/|\.{3}|[^\u0000-\u024f\u1e00-\u1eff]|(?:^|\s)(?:is|be|was|to|from|as|and|in|auf|na|ist|lautet|sind|und|es|son|y|est|sont|et|é|è|são|e|jest|to|i|en|zijn|je|är|er|on|là|adalah|van|[05789]|\/d)(?:\s(?:now|jetzt|ahora|maintenant|agora|adesso))?)[\s"'`„“«「『*_(]{0,3}$/iu
/** What is between a name and its password. */
const inPair =
  /(?:\s(?:[/|:]|and|und|y|et|e|i|en)\s+|^\s[\w.@-]{1,40}\swith\s+|\s(?:are|is)\s+[\w.@-]{2,40}[:/])["'`]?$/
const afterCommand = /^(?:["']?[\w.@-]{1,40}["']?[ \t:]+)?["']?$/
const saysIs = /^[\w ()]{0,24}?(?:[\s:=("'`*—-]|\bis\b|\bwas\b|\bare\b){1,4}$/

/** How a value is distinguished from other words, and what is between it and its name. */
interface Saying {
  readonly between: readonly RegExp[]
  /** Weak passwords count too, words with digits as people choose them; a one-time code is digits. */
  readonly holds: 'password' | 'key' | 'code'
  readonly names: readonly string[]
  /** Nothing may continue the name: `password_encryption` names something else. */
  readonly whole?: boolean
}

/** Names of secrets in sentences: `the password for the database is …`, `Zugangsdaten sind root und …`. */
const sayings: readonly Saying[] = [
  {
    between: [before, /^\s["'`]?$/],
    whole: true,
    holds: 'password',
    names: 'password,passcode,passphrase,unseal key,setup key,enable secret,the secret, pw,pw for'.split(','),
  },
  {
    between: [before, direct],
    holds: 'password',
    names:
      'passwort,kennwort,zugangs,schlüssel,Schlüssel,contrase,clave,senha,palavra-passe,chave,mot de passe,code secret,code wifi,kunci,Kunci,parola,chiave,mdp,clé,wachtwoord,sleutel,lozinka,heslo,hasł,Hasł,klucz,ifre,anahtar,senord,nyckel,adgangskode,passord,salasana,jelsz, khẩu,kata sandi,wi-fi key,wifi key'.split(
        ',',
      ),
  },
  {
    between: [inPair],
    holds: 'password',
    names:
      'credentials,creds,login,log in with,logging in with,sign in with,log in as,wi-fi:,wifi:,account:,user:,username:,zugangs,credencia,identifiants,credenziali,inloggegevens,dane logowania,credenciais'.split(
        ',',
      ),
  },
  {
    between: [saysIs],
    holds: 'code',
    names:
      'passcode,pin code,verification code,confirmation code,security code,login code,sign-in code,one-time code,one-time password,2fa code,mfa code,otp code,sms code,pairing code,device code,the pin ,authentication code'.split(
        ',',
      ),
  },
  {
    between: [afterCommand],
    holds: 'key',
    names:
      'stats auth ,: PSK ,AUTH ,LOGIN ,PASS ,IDENTIFY , on >,bindpw ,-server key ,: EAP ,: XAUTH ,snmp-server community ,ipv6 community '.split(
        ',',
      ),
  },
]
/** The same in other scripts. */
const otherScripts =
  /密码|密碼|口令|密钥|密鑰|令牌|パスワード|暗証番号|トークン|秘密鍵|API\s?キー|비밀번호|비번|암호|토큰|API\s?키|парол[ьяюе]м?|токен[ауе]?м?|ключ[ауе]?м?|كلمة (?:المرور|السر)|पासवर्ड|รหัสผ่าน|סיסמ[הא]|κωδικ[όο]ς?/giu
const otherCodes = /验证码|驗證碼|認証コード|確認コード|인증\s?코드|인증번호|код подтверждения/giu
const otherLetters = /[\u0370-\u06ff\u0900-\u097f\u0e00-\u0e7f\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]/

/** Maximum distance between a name and its value. */
const reach = 72
const wordPattern = /[!-~]{4,100}/g

export const saidTriggers: readonly Trigger[] = [
  ...['mnemonic', 'phrase', 'seed=', 'seed:', 'hdwalletprovider(', 'bip39', 'bip-39', 'wallet words'].map(
    (literal) => ({
      literal,
      exact: false,
      match: (scan: Scan, at: number) => matchSeed(scan, at + literal.length),
    }),
  ),
  ...sayings.flatMap((saying) =>
    saying.names.map((literal) => ({
      literal,
      exact: /[^\u0000-\u007f]|[A-Z]/.test(literal),
      match: (scan: Scan, at: number) => {
        if (!/^[a-z]/i.test(literal) || !isAlphanumeric(scan.text.charCodeAt(at - 1)))
          matchSaid(scan, at + literal.length, saying)
      },
    })),
  ),
]

const foreign: Saying = { between: [before, direct], holds: 'password', names: [] }
const foreignCode: Saying = { between: [before, direct], holds: 'code', names: [] }

/** Reports values after names in letters that are not Latin. */
export function matchOtherScripts(scan: Scan): void {
  if (!otherLetters.test(scan.text)) return
  for (const [pattern, saying] of [
    [otherScripts, foreign],
    [otherCodes, foreignCode],
  ] as const)
    for (const match of scan.text.matchAll(pattern)) matchSaid(scan, match.index + match[0].length, saying)
}

const code = /(?<![\w.-])(?:\d{3}[ -]\d{3}|\d{4}[ -]\d{4}|[A-Z0-9]{4,5}-[A-Z0-9]{4,5}|\d{4,8})(?![\w-]|\.\d)/g

function matchSaid(scan: Scan, at: number, { between, holds, whole }: Saying): void {
  if (scan.commandBudget < 0 || (whole === true && /[\w-]/.test(scan.text[at] ?? ''))) return
  scan.commandBudget -= reach
  const rest = scan.text.slice(at, at + reach + 100)
  const end = rest.search(/\\n|[\n;]/)
  const line = rest.slice(0, end < 0 ? undefined : end)
  for (const match of line.matchAll(holds === 'code' ? code : wordPattern)) {
    if (match.index > reach) return
    const [start, length] = holds === 'code' ? [0, match[0].length] : valueIn(match[0])
    const value = match[0].slice(start, start + length)
    const gap = line.slice(0, match.index + start)
    const isOne = holds === 'code' || (holds === 'password' ? isSaid(value) : isMachineMade(value))
    if (!isOne || !between.some((one) => one.test(gap))) continue
    scan.report(
      at + match.index + start,
      at + match.index + start + length,
      holds === 'code' ? 'one-time-code' : 'password',
    )
    return
  }
}

/** Where a value is in a word: quotes and signs of the sentence belong to the sentence. */
function valueIn(word: string): [start: number, length: number] {
  const start = /^(?:[A-Za-z][a-z.@_-]{0,40}\d?[:=/](?=\S))?["'`*_(]*/.exec(word)![0].length
  const value = word.slice(start).replace(/(?:["'`*_),;:.!?|<\\\]}]|\\n.*)+$/, '')
  return [start, value.length]
}

/** Twelve or more words of BIP-39, perhaps numbered; the list holds no word of other lengths. */
const seedWords = /(?<![\w-])[a-z]{3,8}(?:[\s,]{1,3}(?:\d{1,2}[.):][ \t]?)?[a-z]{3,8}){11,23}(?![\w-])/
const proseWord = /\b(?:the|and|for|with|from|your|are|was|not|but|has|have|its|our|into|which|when)\b/

/** The words that a wallet's keys are made from: https://github.com/bitcoin/bips/blob/master/bip-0039.mediawiki */
function matchSeed(scan: Scan, at: number): void {
  if (scan.commandBudget < 0) return
  scan.commandBudget -= reach
  const found = seedWords.exec(scan.text.slice(at, at + 400))
  if (found === null || found.index > reach || proseWord.test(found[0])) return
  scan.report(at + found.index, at + found.index + found[0].length, 'seed-phrase')
}
