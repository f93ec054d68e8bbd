import { matchArgument } from './credential-calls.ts'
import { exactTriggers, type Scan, type Trigger } from './scan.ts'
import { classifyName } from './secret-names.ts'
import { isStrongPassword } from './secret-value.ts'
import { listWords } from './shell-words.ts'
import { isTypedPassword } from './typed-password.ts'
import { looksDrawn } from './value-shape.ts'

/** Secrets known by their place among others: columns of SQL, fields of `.pgpass`, a name and a password in one line. */
export const positionalTriggers: readonly Trigger[] = [
  { literal: 'insert into', exact: false, match: matchInsert },
  ...exactTriggers([':5432:'], matchField(/:5432:[\w*-]{1,63}:[\w*-]{1,63}:([^\s:"'`]{4,100})/y)),
  ...exactTriggers(['jdbc:oracle:'], matchField(/jdbc:oracle:\w{2,8}:[\w$#]{1,64}\/([^\s@"'/]{4,100})@/y)),
  ...exactTriggers(['"-p"', "'-p'", '-p\\"'], matchShortOption),
  ...['login:', 'user:', 'username:', 'account:', 'credentials:', 'creds:'].map((literal) => ({
    literal,
    exact: false,
    match: matchPair,
  })),
]

const insert = /insert into[ \t]{1,4}[\w."`[\]]{1,100}\s{0,8}\(([^()]{1,600})\)\s{0,20}values\s{0,20}\(/iy

/** `INSERT INTO users (name, password) VALUES ('…', '…')`. */
function matchInsert(scan: Scan, at: number): void {
  insert.lastIndex = at
  const found = insert.exec(scan.text)
  if (found === null) return
  const columns = (found[1] as string).split(',').map((column) => column.replace(/[\s"`[\]]/g, ''))
  const from = insert.lastIndex
  for (const [index, column] of columns.entries()) {
    const name = classifyName(column)
    if (name !== undefined && name.kind !== 'key' && name.kind !== 'vendor' && index < 30)
      matchArgument(scan, from, index)
  }
}

function matchField(pattern: RegExp): (scan: Scan, at: number) => void {
  return (scan, at) => {
    pattern.lastIndex = at
    const found = pattern.exec(scan.text)
    if (found === null) return
    const value = found[1] as string
    const start = at + found[0].lastIndexOf(value)
    if (isTypedPassword(value)) scan.report(start, start + value.length, 'password')
  }
}

/** `["-p", "…"]`: the option may be a port or a project as well. */
function matchShortOption(scan: Scan, _: number, end: number): void {
  const [next] = listWords(scan.text, end)
  if (next === undefined || /[/\s]|^-/.test(next.text)) return
  if (isStrongPassword(next.text) || looksDrawn(next.text)) scan.report(next.start, next.end, 'password')
}

/** `login: name / password`: only for what cannot be a word. */
const pairPattern =
  /\w{4,11}:[ \t]{0,4}["'`]?[\w.@+-]{1,60}["'`]?[ \t]{1,3}[/|][ \t]{1,3}["'`]?([^\s"'`,]{8,64})/y

function matchPair(scan: Scan, at: number): void {
  pairPattern.lastIndex = at
  const found = pairPattern.exec(scan.text)
  if (found === null) return
  const value = found[1] as string
  if (isStrongPassword(value))
    scan.report(pairPattern.lastIndex - value.length, pairPattern.lastIndex, 'password')
}
