import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createRedaction } from '../src/redaction.ts'
import { secretRedactor } from '../src/secret-redactor.ts'
import { formsLeft } from './planted.ts'

const token = ['gh', 'p_', 'Vn4kT8wQ2xLr6ZbY0sHc9JdMf3PgAe7UiK1o'].join('')
const password = 'qV7#mR2$xL9w'
const mark = '[redacted:github-token]'

function redact(text: string): string {
  const clean = createRedaction([secretRedactor()]).redact(text)
  expect(createRedaction([secretRedactor()]).redact(clean)).toBe(clean)
  return clean
}

/** As `xxd` prints bytes. */
function xxd(text: string): string {
  return lines(text, (bytes, offset) => {
    const hex = bytes.toString('hex').replace(/.{4}(?=.)/g, '$& ')
    return `${offset.toString(16).padStart(8, '0')}: ${hex.padEnd(39)}  ${bytes.toString('latin1')}`
  })
}

/** As `hexdump -C` prints bytes. */
function hexdump(text: string): string {
  return lines(text, (bytes, offset) => {
    const hex = bytes
      .toString('hex')
      .replace(/../g, '$& ')
      .replace(/^(.{24})/, '$1 ')
    return `${offset.toString(16).padStart(8, '0')}  ${hex.padEnd(50)} |${bytes.toString('latin1')}|`
  })
}

function lines(text: string, line: (bytes: Buffer, offset: number) => string): string {
  const bytes = Buffer.from(text)
  return Array.from({ length: Math.ceil(bytes.length / 16) }, (_, index) =>
    line(bytes.subarray(index * 16, index * 16 + 16), index * 16),
  ).join('\n')
}

describe('secrets in text that a terminal does not show', () => {
  it.each([
    ['title', `\u001b]0;export GH_TOKEN=${token}\u0007$ `],
    ['link', `\u001b]8;;https://api.example.com/?key=${token}\u001b\\here\u001b]8;;\u001b\\`],
    ['clipboard', `\u001b]52;c;${token}\u0007`],
  ])('are replaced: %s', (_, text) => {
    const clean = redact(text)
    expect(formsLeft(clean, token)).toEqual([])
    expect(clean).toContain(mark)
    expect(clean.startsWith('\u001b]')).toBe(true)
  })

  it('are replaced even if only another text names them', () => {
    const redaction = createRedaction([secretRedactor()])
    redaction.learn(`DB_PASSWORD="${password}"`)
    expect(redaction.redact(`\u001b]0;psql ${password}x\u0007`)).toBe(
      '\u001b]0;psql [redacted:password]x\u0007',
    )
  })
})

describe('a known secret with signs between its letters', () => {
  const [head, middle, tail] = [token.slice(0, 9), token.slice(9, 24), token.slice(24)]
  it.each([
    ['lists that are joined', `['${head}', '${middle}', '${tail}'].join('')`],
    ['dots', [head, middle, tail].join('.')],
    ['blanks', [...token].join(' ')],
    ['pictures', `${head}🙂${middle}🙂${tail}`],
    ['boxes', `│ ${head}${middle} │\n│ ${tail}              │`],
    ['quotes of mails', `> ${head}${middle}\n> ${tail}`],
    ['upper case', token.toUpperCase()],
    ['lower case over lines', `${head}${middle}\n    ${tail}`.toLowerCase()],
    ['backslashes', token.replace('_', '\\_')],
  ])('is replaced: %s', (_, text) => {
    const clean = redact(`GH_TOKEN=${token}\n\nit says:\n${text}\n`)
    const letters = clean
      .replaceAll(mark, '')
      .replace(/[^A-Za-z0-9]/g, '')
      .toLowerCase()
    expect(letters).toBe(text.includes('join(') ? 'ghtokenitsaysjoin' : 'ghtokenitsays')
  })

  it('leaves words that hold the letters of a word', () => {
    const text = 'MY_SECRET="meadow-crystal-harbor-44"\nmeadow; crystal; harbor; 44'
    expect(redact(text)).toContain('meadow; crystal; harbor; 44')
  })
})

describe('secrets in dumps of bytes', () => {
  it.each([
    ['xxd', xxd(`first line\nTOKEN=${token}\nlast line of it`)],
    ['hexdump -C', hexdump(`first line\nTOKEN=${token}\nlast line of it`)],
  ])('are replaced in both columns: %s', (_, text) => {
    const clean = redact(text)
    const digits = clean.replaceAll(mark, '').replace(/\s/g, '')
    for (let at = 0; at + 8 <= token.length; at += 4) {
      expect(digits).not.toContain(Buffer.from(token.slice(at, at + 8)).toString('hex'))
      expect(clean).not.toContain(token.slice(at, at + 8))
    }
    expect(clean).toContain('first line')
    expect(clean.split('\n')).toHaveLength(text.split('\n').length)
  })

  it('are the only thing replaced in a dump', () => {
    const text = xxd('the quick brown fox jumps over the lazy dog, twice')
    expect(redact(text)).toBe(text)
  })
})

describe('secrets in literals that code joins', () => {
  const [head, tail] = [token.slice(0, 17), token.slice(17)]
  it.each([
    ['plus', `const k = "${head}" + "${tail}"`, `const k = "${mark}"`],
    ['plus over lines', `k = '${head}' +\n      '${tail}'`, `k = '${mark}'`],
    ['next to each other', `k = ("${head}"\n     "${tail}")`, `k = ("${mark}")`],
    ['blanks', `printf "${head}" "${tail}"`, `printf "${mark}"`],
    ['dot of PHP', `$k = '${head}' . '${tail}';`, `$k = '${mark}';`],
    ['continued line', `K="${head}"\\\n"${tail}"`, `K="${mark}"`],
    ['diff', `+  "${head}" +\n+  "${tail}"`, `+  "${mark}"`],
    ['numbered lines', `  7\t"${head}" +\n  8\t  "${tail}"`, `  7\t"${mark}"`],
    ['escaped quotes', `sh -c "k=\\"${head}\\" + \\"${tail}\\""`, `sh -c "k=\\"${mark}\\""`],
  ])('are replaced: %s', (_, text, clean) => {
    expect(redact(text)).toBe(clean)
  })

  it('need no shape of their own if they have a name', () => {
    const clean = redact(`password = '${password.slice(0, 5)}' +\n  '${password.slice(5)}'`)
    expect(clean).toMatch(/^password = '\[redacted:password(?::\d)?\]'$/)
  })

  it('are not joined across a comma', () => {
    const text = `["${head}", "${tail}"]`
    expect(redact(text)).toBe(text)
  })
})

describe('secrets behind a prefix on each line', () => {
  const prefixes: Readonly<Record<string, (line: string, index: number) => string>> = {
    'numbers with an arrow': (line, index) => `${String(index + 8).padStart(6)}→${line}`,
    'numbers with a tab': (line, index) => `${index + 98}\t${line}`,
    'numbers of grep': (line, index) => `${index + 98}:${line}`,
    'added lines of a diff': (line) => `+${line}`,
    'removed lines of a diff': (line) => `-${line}`,
    'a quote': (line) => `> ${line}`,
    'a quote in a quote': (line) => `> > ${line}`,
    'a comment': (line) => `// ${line}`,
    'a box': (line) => `│ ${line.padEnd(64)} │`,
    'a numbered diff': (line, index) => `${index + 8}→+${line}`,
  }
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  })
  const value = `${token}${[...token].reverse().join('')}`

  it.each(Object.entries(prefixes))('are replaced: %s', (_, prefixed) => {
    const lines = (text: string): string => text.split('\n').map(prefixed).join('\n')
    const key = redact(`before\n${lines(privateKey.trim())}\nafter`)
    for (const line of privateKey.split('\n').slice(1, -2)) expect(key).not.toContain(line.slice(0, 8))
    expect(key.startsWith('before\n') && key.endsWith('\nafter')).toBe(true)

    const known = createRedaction([secretRedactor()])
    known.learn(`API_KEY="${value}"`)
    const wrapped = known.redact(lines(`the value is ${value.replace(/.{20}(?=.)/g, '$&\n')}\nno more`))
    for (let at = 0; at + 8 <= value.length; at += 4) expect(wrapped).not.toContain(value.slice(at, at + 8))

    expect(redact(lines(`- name: DB_PASSWORD\n  value: ${password}`))).not.toContain(password)
  })

  it('do not join lines of code', () => {
    const text = Object.values(prefixes)
      .map((prefixed) =>
        ['const id = makeToken(', '  password,', '  sessionKey', ')', 'return { key: 1 }']
          .map(prefixed)
          .join('\n'),
      )
      .join('\n')
    expect(redact(text)).toBe(text)
  })
})

describe('cut secrets', () => {
  it('are replaced if a text has at least half of a value that is known whole', () => {
    const redaction = createRedaction([secretRedactor()])
    redaction.learn(`token ${token}`)
    expect(redaction.redact(`${token.slice(0, 26)}… and …${token.slice(16)}`)).toBe(`${mark}… and …${mark}`)
    expect(redaction.count).toBe(1)
  })

  it('are replaced by their prefix if dots follow', () => {
    expect(redact(`It begins with ${token.slice(0, 18)}...`)).toBe(`It begins with ${mark}...`)
    const short = `It begins with ${token.slice(0, 8)}...`
    expect(redact(short)).toBe(short)
  })

  it('do not include half of a value made of words', () => {
    const redaction = createRedaction([secretRedactor()])
    redaction.learn('password = "correct-horse-battery-staple-7K!"')
    expect(redaction.redact('correct-horse-batteries')).toBe('correct-horse-batteries')
  })
})

describe('known secrets that are written in another way', () => {
  const secret = 'zK7mQ2-vT9xB4_nR8sL3dW6y'

  it.each([
    ['in capitals', secret.toUpperCase(), '*'],
    ['in small letters', `a ${secret.toLowerCase()}`, 'a *'],
    ['for a shell', secret.replace(/[-_]/g, '\\$&'), '*'],
    ['for LaTeX', secret.replaceAll('_', '\\_'), '*'],
    ['with a blank that nobody sees', `${secret.slice(0, 9)}\u00a0${secret.slice(9)}`, '*'],
    ['as quoted-printable', `${secret.slice(0, 9)}=\n${secret.slice(9)}`, '*'],
    ['without its start', `…${secret.slice(9)}`, '…*'],
    ['without both ends', `…${secret.slice(5, 19)}…`, '…*…'],
    ['in two variables', `A=${secret.slice(0, 12)}; B=${secret.slice(12)}`, 'A=*; B=*'],
    ['less than half of it', secret.slice(0, 11), '*'],
    ['hardly anything of it', secret.slice(0, 7), secret.slice(0, 7)],
  ])('are replaced: %s', (_, text, left) => {
    const redaction = createRedaction([secretRedactor()])
    redaction.learn(`API_KEY="${secret}"`)
    expect(redaction.redact(text).replaceAll('[redacted:api-key]', '*')).toBe(left)
  })

  it.each([
    ['URLs', (code: string) => `%${code}`],
    ['strings of code', (code: string) => `\\x${code}`],
    ['strings of JSON in a text', (code: string) => `\\u00${code}`],
    ['HTML', (code: string) => `&#x${code};`],
    ['mails', (code: string) => `=${code.toUpperCase()}`],
  ])('are found in a text whose every character is escaped for %s', (_, written) => {
    const text = Array.from('password=rZ7kQ2mV9xT4', (one) => written(one.charCodeAt(0).toString(16))).join(
      '',
    )
    const redaction = createRedaction([secretRedactor()])
    expect(redaction.redact(`body ${text}`)).toBe(
      `body ${text.slice(0, (text.length / 21) * 9)}[redacted:password]`,
    )
  })

  it('do not include what a vendor puts before each token', () => {
    const redaction = createRedaction([secretRedactor()])
    redaction.learn(token)
    expect(redaction.redact('a ghp_ token, and ghp_Vn4')).toBe('a ghp_ token, and ghp_Vn4')
  })

  it('count once behind line numbers', () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const lines = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString().trim().split('\n')
    const redaction = createRedaction([secretRedactor()])
    redaction.redact(lines.map((line, index) => `${String(index + 1).padStart(6)}→${line}`).join('\n'))
    expect(redaction.count).toBe(1)
  })
})

describe('secrets in encoded text, which nothing else names', () => {
  const base64 = (text: string): string => Buffer.from(text).toString('base64')
  const hex = (text: string): string => Buffer.from(text).toString('hex')

  it.each([
    ['base64', `echo ${base64(`token: ${token}\n`)} | base64 -d`],
    ['an address in an address', `/in?next=${encodeURIComponent(encodeURIComponent(`/a?k=${token}`))}`],
    ['base64 alone', base64(token)],
    ['base64 of a file', base64(`HOST=db.example.com\nGITHUB_TOKEN=${token}\nPORT=5432\n`)],
    ['hex', `bytes ${hex(`key=${token}`)}`],
    ['hex in capitals', hex(`${token}\n`).toUpperCase()],
  ])('are replaced: %s', (_, text) => {
    const clean = redact(text)
    expect(clean).toContain(mark)
    expect(formsLeft(clean, token)).toEqual([])
    for (const [run] of clean.matchAll(/[A-Za-z0-9+/]{8,}/g))
      for (const encoding of ['base64', 'hex'] as const)
        expect(Buffer.from(run, encoding).toString('latin1')).not.toContain(token.slice(8, 16))
  })

  it('are looked for in texts only', () => {
    const image = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n'), Buffer.from(`tEXt${token}`)])
    for (const text of [
      `data:image/png;base64,${image.toString('base64')}`,
      'sha256 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
      '/home/dev/projects/shop/packages/server/source/handlers/orders/index',
      base64('The quick brown fox jumps over the lazy dog, and then it sleeps.'),
    ])
      expect(redact(text)).toBe(text)
  })
})
