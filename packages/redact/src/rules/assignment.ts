import { isUrlCode } from '../char-code.ts'
import { endsLine, reportDrawn, wordsOfLine } from './bare-values.ts'
import { matchNear, reportArguments } from './near.ts'
import type { Scan, Trigger } from './scan.ts'
import { classifyMember, classifyName, classifySpacedName, type SecretName } from './secret-names.ts'
import { isChosen, isSaid, isSecretValue, type ValueSetting } from './secret-value.ts'
import { listWords } from './shell-words.ts'
import { matchColumn } from './tables.ts'
import { matchLength, readValue } from './value-reader.ts'
import { isSessionId, isUuid } from './value-shape.ts'
import { wakingVendors } from './vendor-names.ts'

const keywords =
  'pass pwd pswd psswd psswrd psswo psw pasw paasword secret token key auth cred jwt nonce salt cookie session sid= phpsessid sid: sid" csrf sas_ sas= dockerconfigjson macaroon psk pepper mnemonic community _code= code: code" -code codes access" refresh" refresh= samlresponse code= state= verifier signature= sign= hmac= ticket= otp puk pin: pin= pin" _pin sig= bearer _pat pat= pat: phrase pw: pw= _pw pw" pw\' mdp= kennwort senha wachtwoord heslo -encrypt authtok encrypt= encrypt" encrypt:'.split(
    ' ',
  )

/** Literals that trigger the reader of names and values. */
export const assignmentTriggers: readonly Trigger[] = [
  ...new Set([...keywords, 'pw =', 'pat is', 'encrypt =', ...wakingVendors]),
].map((literal) => ({
  literal,
  exact: false,
  match: matchName,
}))

const nameReach = 64
const nameBehind = /[\w.-]{0,64}/y

/** Brackets, or lines below a heading. */
const listStart = /\\{0,8}["']?[ \t]{0,3}[:=]?[ \t]{0,3}(?:[[({"']|\\n|\r?\n)/y

function matchName(scan: Scan, at: number): void {
  if (at < scan.namesReadTo) return
  const { text } = scan
  let start = at
  while (start > 0 && at - start < nameReach && isNameCode(text.charCodeAt(start - 1))) start -= 1
  let end = at + matchLength(nameBehind, text, at)
  scan.namesReadTo = end
  while (end > start && text[end - 1] === '.') end -= 1
  if (end - start < 4 && /[/+]/.test(text[start - 1] ?? '') && !isListed(text, start)) return
  if (start > 0 && text[start - 1] === ':' && text.endsWith('[redacted:', start)) return
  const name =
    /[?&]/.test(text[start - 1] ?? '') && loginParameter.test(text.slice(start, end))
      ? login
      : classifyName(text.slice(start, end))
  const longer =
    name === undefined || name.kind === 'key'
      ? (classifySpacedName(text, start, end) ?? (name && classifyMember(text, start, end)))
      : undefined
  const isSetting = name?.isVague === true && account.test(text.slice(Math.max(0, start - 120), start))
  const classified = longer ?? (isSetting ? { ...name, isVague: false } : name)
  if (classified === undefined) {
    // A list of secrets has a name in the plural.
    const one =
      /[^s]s(?:_(?:b64|base64|hex))?$/.test(text.slice(start, end)) && matchLength(listStart, text, end) > 0
        ? (classifyName(text.slice(start, end).replace(/s(?:_\w+)?$/, '')) ??
          classifySpacedName(text, start, end - 1))
        : undefined
    if (one !== undefined && !/auth|sess|vend/.test(one.kind)) matchNear(scan, start, end, 'call', one)
    else if (text[end] === '(' && /secret|passw|token|key|jwt/i.test(text.slice(start, end)))
      reportArguments(scan, end, 'call')
    return
  }
  const before = scan.found
  // A list of codes is read whole.
  if (classified.kind === 'code' && text[end - 1] === 's') matchNear(scan, start, end, 'password', classified)
  if (scan.found === before && !isProse(text, start, end)) matchValue(scan, start, end, classified)
  const isVendor = classified.kind === 'vendor' && !/key$/i.test(text.slice(start, end))
  if (scan.found === before && !isVendor && classified.kind !== 'session')
    matchNear(scan, start, end, 'password', classified)
}

/** What makes `pass` the name of a setting rather than the result of a test. */
const account = /\b(?:user(?:name)?|login|host|server)["']?\s{0,4}[:=]/i

/** What a browser carries back from a login: https://www.rfc-editor.org/rfc/rfc6749#section-4.1.2 */
const loginParameter = /^(?:code|state|session_state)$/
const login: SecretName = { kind: 'auth', type: 'credential' }

/** `ID/PW: …`, `10.0.0.2/pw: …`: words joined by a slash, not the middle of base64. */
function isListed(text: string, start: number): boolean {
  return (
    /(?:^|[\s(,])(?:\w{2,8}:)?[\w.@{}-]{2,32}\/$/.test(text.slice(Math.max(0, start - 48), start)) &&
    text[start + 2] === ':'
  )
}

/** A name and a blank before another word: an assignment only with a flag, in SQL and netrc. */
function isProse(text: string, start: number, end: number): boolean {
  if (text.charCodeAt(end) !== 32 || !/[A-Za-z]/.test(text[end + 1] ?? '') || text[start] === '-')
    return false
  const name = text.slice(start, end)
  return !/pa[as]?s|pw|psw/i.test(name) && !constant.test(name) && matchLength(typed, text, end) === 0
}

/** A type or an attribute after a name. */
const typed = /[ ](?:str(?:ing)?\b|\w{1,20}=")/iy

function isNameCode(code: number): boolean {
  return isUrlCode(code) || code === 46
}

/** Quotes and brackets that close around a name: `"name"`, `['name']`, `**name**`, `\"name\"`. */
const close = /(?:\\{0,8}["'`]|&quot;|%22|\\{1,8}u0022|\]|\)|\*\*){0,3}/y
const operatorPattern =
  /(?:(?:[ \t][\w:]{1,20}="[^"<>\n]{0,80}"){1,3}(?=>)|\[\w{0,16}\]|[ \t]?\{[ \t]?get;[^{}\n]{0,40}\})?[ \t]{0,24}(?:(:[ \t]?&?[A-Za-z][\w.]{0,24}(?:\[\w{0,16}\]|\?)?[ \t]{1,3}=(?![=>])|:[ \t]?(?:str|string|bytes|char)=(?!=)|[ \t](?:string|str|String|As String)[ \t]{0,3}=(?!=))|(:{0,3}={1,3}>?|[.?+]=|!={1,2}|->|<-|—|:(?!:)(?:\*\*)?|%3[ad]|\|\|=?|\?:|(?<=[ \t])[|│](?=[ \t])|(?<=\n\|\w{2,60})\||\?\?|or(?=[ \t]["'])|,[ \t]?<<(?=")|,|>|\{(?=[ \t]?["'])|\(|\.(?:fill|type|send_?[Kk]eys|setValue|press_?[Ss]equentially)\())[ \t]{0,24}/iy
/** The value is on the next line: XML, YAML blocks. */
const nextLine =
  /(?:[|>][+-]?)?\r?\n(?:\r?\n|[-=]{3,40}\r?\n)?[ \t]{1,40}|[ \t]{0,8}\r?\n(?:\r?\n|[-=]{3,40}\r?\n)?[ \t]{0,40}/y
/** What holds the value of a thing whose name stands before it. */
const sibling =
  /(?:(?<![A-Za-z])(?:secret_?|default_?)?(?:value|val|default|content|text|result)\\{0,8}["']?[ \t]{0,12}[:=]|V[ ]\d{1,4}\r?\n|\d{1,5}\)[ ]|<input[^<>\n]{0,80}?[ ]value=|<\/\w{1,10}>\s{0,20}(?:<\w{1,10}(?:[ ][^<>\n]{0,60})?>){1,2})[ \t]{0,3}/i
/** From the name to it: nothing, or settings of the same thing. */
const toSibling =
  /^(?:[ ](?:field|input|box|textbox))?\\{0,8}["']?(?:[ \t,;]|\r?\n|\\{1,8}[nrt]|<\/\w{1,10}>|:[ \t]*\r?\n|[ \t:]{0,3}\{)(?:(?!\bname\b|\r?\n\r?\n)[^{}])*(?:[{[](?:(?!\bname\b|\r?\n\r?\n)[^{}])*)?$|^$/
const siblingReach = 240

/** The value of a setting, a variable or a field that its name stands before: `name: …, value: …`. */
function matchSibling(scan: Scan, end: number, name: SecretName): boolean {
  if (scan.commandBudget < 0) return false
  const ahead = scan.text.slice(end, end + siblingReach)
  const found = sibling.exec(ahead)
  scan.commandBudget -= (found?.index ?? 0) / 2
  if (found === null || !toSibling.test(ahead.slice(0, found.index))) return false
  return report(scan, name, end + found.index + found[0].length, 'setting')
}

/** A call around a literal: `SecretStr("…")`, `Buffer.from('…')`. */
const call = /(?:(?:(?:\[\]|[A-Za-z_])[\w.:]{0,40})?\(\s{0,40}){1,3}(?=[bruf]?\\{0,8}["'`])/y
/** An anchor of YAML, and the type and length of a dump of PHP. */
const typeBefore =
  /![\w!]{2,12} |(?:<\/?(?:code|b|strong|kbd|tt|em|span)>[ \t]{0,4}){1,3}|&[\w-]{1,40}[ \t]{1,3}|\s{0,12}string(?:\(\d{1,5}\))? (?=["'])/y
/** What a reader of files puts before a line. */
const lineNumber = /[ \t]{0,8}\d{1,6}(?:→|\\{1,4}t|\t)/y
const schemePattern =
  /(?:bearer|basic|token|apikey|api-key|key|oauth|jwt|bot|ssws|geniekey|splunk|negotiate|ntlm)[ \t]{1,4}/iy

function matchValue(scan: Scan, start: number, end: number, name: SecretName): void {
  const { text } = scan
  if (matchSibling(scan, end, name)) return
  if (text[end] === ':' && text.startsWith('//', start - 2)) return
  const closed = end + matchLength(close, text, end)
  operatorPattern.lastIndex = closed
  const operator = operatorPattern.exec(text)
  if (matchColumn(scan, start, closed, name)) return
  if (operator === null) {
    matchFlag(scan, start, end, closed, name)
    return
  }
  const at = operatorPattern.lastIndex
  const sign = operator[2]
  if (sign === '|' && (name.kind === 'auth' || text[start - 1] === '$')) return
  else if (sign?.startsWith('.') === true && sign.endsWith('(')) reportQuoted(scan, name, at)
  else if (sign === '==' || sign === '!=' || sign === '===' || sign === '!==') reportQuoted(scan, name, at)
  else if (sign === ',' || sign === '(') {
    // A call has no blank before its bracket; prose has.
    const called = sign === '(' && text[closed] === '('
    const isName = (closed > end && isFirstArgument(text, start)) || constant.test(text.slice(start, end))
    if (called || (sign === ',' && isName)) reportQuoted(scan, name, at)
    else if (sign === ',' && closed > end && text[start] === '-') {
      const [next] = listWords(text, closed)
      if (next !== undefined && !next.text.startsWith('-')) reportQuoted(scan, name, next.open)
    }
  } else if (sign === '>') reportElement(scan, name, start, at)
  else report(scan, name, at, settingOf(text, start, end, closed, operator[0], sign))
}

function settingOf(
  text: string,
  start: number,
  end: number,
  closed: number,
  whole: string,
  sign: string | undefined,
): ValueSetting {
  if (sign === '|' || sign === '│') return 'prose'
  if (sign?.startsWith(':') === true && !sign.includes('=')) return 'colon'
  const tight = !/[ \t]/.test(whole)
  const first = text[start]
  if (tight && closed === end)
    return /^[A-Z0-9_]+$/.test(text.slice(start, end)) ||
      first === '-' ||
      /[;,&?]/.test(text[start - 1] ?? '') ||
      /-\w+[ =]["']$/.test(text.slice(Math.max(0, start - 12), start))
      ? 'setting'
      : 'colon'
  return 'code'
}

/** `API_KEY`, as in `#define API_KEY "…"`, `setx API_KEY …`. */
const constant = /^[A-Z][A-Z0-9]*_[A-Z0-9_]+$/

/** `--password value`, `PASSWORD 'value'` of SQL, `login x password y` of netrc. */
function matchFlag(scan: Scan, start: number, end: number, closed: number, name: SecretName): void {
  const { text } = scan
  if (closed !== end || name.kind === 'vendor' || name.kind === 'key') return
  const blanks = matchLength(/[ \t]{1,8}/y, text, end)
  if (blanks === 0) return
  const at = end + blanks
  const before = text.slice(Math.max(0, start - 80), start)
  const next = readValue(scan, at)
  if (next === undefined || name.kind === 'session') return
  if (text[start] === '-' || /(?:login|user|\\set)[ \t]+(?:\S{1,60}[ \t]+)?$/i.test(before))
    report(scan, name, at, 'setting')
  else if (next.quoted || text[end] === '\t') {
    const scheme = matchLength(schemePattern, text, next.start)
    const said = text.slice(next.start + scheme, next.end)
    if (scheme > 0) report(scan, name, at, 'quoted')
    else if (isSaid(said) || (name.kind === 'password' && isChosen(said, 'prose')))
      scan.report(next.start, next.end, name.type)
  } else if (constant.test(text.slice(start, end)) || name.kind === 'password')
    report(scan, name, at, 'prose')
}

/** `("NAME", "value")`: elsewhere a comma joins things of one kind. */
function isFirstArgument(text: string, start: number): boolean {
  return /\([ \t]{0,4}\\{0,8}["'`](?:[#.]|(?:[\w.~-]{0,40}\/){1,6})?$/.test(
    text.slice(Math.max(0, start - 80), start),
  )
}

function reportElement(scan: Scan, name: SecretName, start: number, at: number): void {
  if (!/[</"':]/.test(scan.text.slice(Math.max(0, start - 1), start))) return
  const from = at + matchLength(nextLine, scan.text, at)
  const inner = from + matchLength(innerElement, scan.text, from)
  const end = inner + matchLength(elementText, scan.text, inner)
  if (isSecretValue(name, scan.text.slice(inner, end), 'quoted')) scan.report(inner, end, name.type)
  else report(scan, name, inner, 'setting')
}

const innerElement = /<\w{1,20}>\s{0,20}/y
const elementText = /[^<>\n]{5,200}(?=<\/)/y

function reportQuoted(scan: Scan, name: SecretName, at: number): void {
  const value = readValue(scan, at + matchLength(call, scan.text, at))
  if (value?.quoted === true && !/^\\{0,8}["'`][ \t]{0,4}:/.test(scan.text.slice(value.end, value.end + 16)))
    report(scan, name, at, 'quoted')
}

function report(scan: Scan, name: SecretName, at: number, setting: ValueSetting): boolean {
  const { text } = scan
  let from = at + matchLength(call, text, at)
  const sameLine = from
  if (setting === 'colon') from += matchLength(nextLine, text, from)
  from += matchLength(typeBefore, text, from)
  const mayHaveScheme = name.kind === 'auth' || name.kind === 'token'
  const outer = mayHaveScheme ? matchLength(schemePattern, text, from) : 0
  from += outer
  const value = readValue(scan, from)
  if (value === undefined) return reportDrawn(scan, name, from, from, setting)
  const called = from > at && text[from - 1] === '('
  if (
    !value.quoted &&
    from > sameLine &&
    text.slice(sameLine, from).includes('\n') &&
    !endsLine(text, value.end)
  )
    return false
  const number = value.quoted ? matchLength(lineNumber, text, value.start) : 0
  const scheme = value.quoted && mayHaveScheme ? matchLength(schemePattern, text, value.start + number) : 0
  const start = value.start + number + scheme
  if (!value.quoted && reportDrawn(scan, name, start, value.end, setting)) return true
  const words = value.quoted || name.kind !== 'password' ? 0 : wordsOfLine(text, value.start)
  if (
    words > 0 &&
    name.isVague !== true &&
    isChosen(text.slice(value.start, value.start + words), /^co/.test(setting) ? 'quoted' : 'prose')
  ) {
    scan.report(value.start, value.start + words, name.type)
    return true
  }
  if (!value.quoted && /[([]/.test(text[value.end] ?? '')) return false
  const end = value.quoted
    ? value.end
    : start + text.slice(start, value.end).replace(/[.:?]{1,3}$/, '').length
  if (name.least !== undefined && end - start < name.least) return false
  if (name.kind === 'session' && setting !== 'setting' && isSessionId(text, start, end)) return false
  // Bytes as hex are a key; under that name in quotes may be a digest.
  const isBytes = called && name.kind === 'key' && /(?:hex|from)\($/.test(text.slice(at, from))
  const prose = called || (setting === 'colon' && text[value.end] === '`')
  const quoted = isBytes ? 'setting' : prose ? 'colon' : 'quoted'
  const as = value.quoted && setting !== 'prose' ? quoted : setting
  const said = text.slice(start, end)
  const isWords = value.quoted && as === 'prose' && name.kind === 'password' && isChosen(said, 'quoted')
  const isSchemed = outer + scheme > 0 && isUuid(said)
  if (!isWords && !isSchemed && !isSecretValue(name, said, as)) return false
  scan.report(start, end, name.type)
  const next = value.quoted ? matchLength(/\\{0,8}["'][ \t]->[ \t]/y, text, end) : 0
  if (next > 0) report(scan, name, end + next, 'quoted')
  return true
}
