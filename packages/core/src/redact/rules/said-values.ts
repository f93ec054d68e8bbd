import { isAlphanumeric } from '../char-code.ts'
import { exactTriggers, type Scan, type Trigger } from './scan.ts'
import { isMachineMade } from './typed-password.ts'

/** Words for a password, which code has too. */
const english = ['password', 'passcode', 'passphrase']
/** Words before a name and a password. */
const accounts = ['credentials', 'creds', 'login', 'log in with', 'account:', 'user:', 'username:']
/** The same in other languages with Latin letters. */
const latin = [
  ...[
    'passwort',
    'kennwort',
    'zugangs',
    'schlüssel',
    'Schlüssel',
    'contrase',
    'clave',
    'credencia',
    'senha',
    'chave',
  ],
  ...[
    'mot de passe',
    'identifiants',
    'mdp',
    'clé',
    'credenziali',
    'parola',
    'wachtwoord',
    'lozinka',
    'heslo',
  ],
  ...['hasł', 'Hasł', 'ifre', 'senord', 'adgangskode', 'passord', 'salasana', 'jelsz', ' khẩu', 'kata sandi'],
]
/** Commands of protocols, with the value or with a name and the value after them. */
const protocol = ['AUTH ', 'LOGIN ', 'PASS ', ' on >', 'bindpw ', 'snmp-server community ', 'ipv6 community ']
/** The same in other scripts. */
const otherScripts =
  /密码|密碼|口令|密钥|密鑰|令牌|パスワード|暗証番号|トークン|비밀번호|암호|토큰|парол[ьяюе]м?|токен[ауе]?м?|ключ[ауе]?м?|كلمة (?:المرور|السر)|पासवर्ड|รหัสผ่าน|סיסמ[הא]|κωδικ[όο]ς?/giu
const otherLetters = /[\u0370-\u06ff\u0900-\u097f\u0e00-\u0e7f\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]/

/** Maximum distance between a name and its value. */
const reach = 72
const wordPattern = /[!-~]{6,100}/g
/** What is directly before a value: a sign, a word for `is`, `to`, `as` and `and`, or another script. */
const before =
  /(?:[:：=—–|(→-]|(?:^|\s)\/|\.{3}|[^\u0000-\u024f\u1e00-\u1eff]|(?:^|\s)(?:is|was|to|as|and|ist|lautet|sind|und|es|son|y|est|sont|et|é|è|são|e|jest|to|i|en|zijn|je|är|er|on|là|adalah|van|[05789]|\/d)(?:\s(?:now|jetzt|ahora|maintenant|agora|adesso))?)[\s"'`„“«「『*_(]{0,3}$/iu

/** The rest of an inflected word and a blank. */
const afterForeign = /^\p{L}{0,6}\s+$/u
/** What is between a name and its password. */
const inPair = /\s(?:[/|:]|and|und|y|et|e|i|en)\s+["'`]?$/
const afterCommand = /^(?:["']?[\w.@-]{1,40}["']?[ \t]+)?["']?$/

/** Passwords that a sentence names: `the password for the database is …`, `Zugangsdaten sind root und …`. */
export const saidTriggers: readonly Trigger[] = [
  ...['mnemonic', 'phrase', 'seed=', 'seed:', 'hdwalletprovider(', 'bip39', 'bip-39', 'wallet words'].map(
    (literal) => ({
      literal,
      exact: false,
      match: (scan: Scan, at: number) => matchSeed(scan, at + literal.length),
    }),
  ),
  ...[...english, ...accounts, ...latin].map((literal) => ({
    literal,
    exact: /[^\u0000-\u007f]/.test(literal),
    match: (scan: Scan, at: number) => {
      if (literal.startsWith(' ') || !isAlphanumeric(scan.text.charCodeAt(at - 1)))
        matchSaid(
          scan,
          at + literal.length,
          latin.includes(literal) ? afterForeign : undefined,
          accounts.includes(literal) ? inPair : before,
        )
    },
  })),
  ...exactTriggers(protocol, (scan, _, end) => matchSaid(scan, end, afterCommand)),
  ...exactTriggers(
    [' as the pass', ' as pass', ' as a pass', ' as admin pass', ' as root pass'],
    matchReversed,
  ),
]

/** Reports values after names in letters that are not Latin. */
export function matchOtherScripts(scan: Scan): void {
  if (!otherLetters.test(scan.text)) return
  for (const match of scan.text.matchAll(otherScripts))
    matchSaid(scan, match.index + match[0].length, afterForeign)
}

/** `direct`: what may be between the name and its value besides a sentence that says `is`. */
function matchSaid(scan: Scan, at: number, direct: RegExp | undefined, said = before): void {
  if (scan.commandBudget < 0) return
  scan.commandBudget -= reach
  const line = scan.text.slice(at, at + reach + 100)
  const end = line.search(/\\n|[\n;]/)
  for (const match of line.slice(0, end < 0 ? undefined : end).matchAll(wordPattern)) {
    if (match.index > reach) return
    const [start, length] = valueIn(match[0])
    const value = match[0].slice(start, start + length)
    const between = line.slice(0, match.index + start)
    if (!isMachineMade(value) || !(said.test(between) || direct?.test(between) === true)) continue
    scan.report(at + match.index + start, at + match.index + start + length, 'password')
    return
  }
}

/** `use … as the password`. */
function matchReversed(scan: Scan, at: number): void {
  const word = /[!-~]{6,100}$/.exec(scan.text.slice(Math.max(0, at - 100), at))?.[0]
  if (word === undefined) return
  const [start, length] = valueIn(word)
  const from = at - word.length + start
  if (isMachineMade(word.slice(start, start + length))) scan.report(from, from + length, 'password')
}

/** Where a value is in a word: quotes and signs of the sentence belong to the sentence. */
function valueIn(word: string): [start: number, length: number] {
  const start = /^(?:[A-Za-z][\w.@-]{0,40}[:=/](?=\S))?["'`*_(]*/.exec(word)![0].length
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
