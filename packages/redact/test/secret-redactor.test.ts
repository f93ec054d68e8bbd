import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { repeats } from '../../../test/support/repeats.ts'
import { seedOf } from '../../../test/support/seed.ts'
import { vendorShapes } from '../src/rules/token-shapes.ts'
import { secretRedactor } from '../src/secret-redactor.ts'
import { sampleToken, seeded } from './support/token-samples.ts'

const redactor = secretRedactor()
const shapes = vendorShapes

/** Whether the findings cover all of a value except an edge of three characters. */
function isCovered(text: string, value: string): boolean {
  const start = text.indexOf(value)
  const covered = new Set<number>()
  for (const finding of redactor.find(text)) {
    for (let index = finding.start; index < finding.end; index += 1) covered.add(index)
  }
  return (
    Array.from({ length: value.length }, (_, index) => covered.has(start + index)).filter((hit) => !hit)
      .length <= 3
  )
}

const carriers: readonly [string, (value: string) => string][] = [
  ['plain', (value) => `the value is ${value} as of now`],
  ['JSON', (value) => JSON.stringify({ output: value, ok: true })],
  ['env', (value) => `HOME=/root\nSOME_SETTING=${value}\nPWD=/srv`],
  [
    'ANSI',
    (value) => `\u001b[36mSETTING\u001b[0m=\u001b[33m${value.slice(0, 7)}\u001b[1m${value.slice(7)}\u001b[0m`,
  ],
  ['escaped JSON', (value) => JSON.stringify({ a: JSON.stringify({ text: `first\n${value}\nlast` }) })],
  ['diff line', (value) => `@@ -1,2 +1,3 @@\n APP=web\n+${value}\n`],
]

describe('token shapes', () => {
  const random = seeded(20)
  const samples = shapes.map((shape) => ({ shape, value: sampleToken(shape, random) }))

  it.each(carriers)('are found in %s', (carrier, wrap) => {
    const missed = samples.filter(({ value }) => {
      const text = wrap(value)
      return carrier === 'ANSI'
        ? redactor.find(text).length === 0
        : !isCovered(text, JSON.stringify(value).slice(1, -1))
    })
    expect(missed.map(({ shape, value }) => `${shape.prefix} ${value}`)).toEqual([])
  })

  // Rows were lost once that no sample of another test held.
  it.each([
    ...[
      'lin_api_',
      'lin_oauth_',
      'figd_',
      'nfp_',
      'cfut_',
      'AzCa',
      'GOOG',
      'live_',
      'y0_',
      'hf_',
      'NRAK-',
      'HRKU-',
    ],
    ...[
      'FLWSECK-',
      'rzp_live_',
      'pscale_pw_',
      'xkeysib-',
      'PMAK-',
      'snyk_uat.',
      'ABSK',
      'fo1_',
      'AIza',
      'sk-',
    ],
  ])('know the tokens that begin with %s', (prefix) => {
    expect(shapes.map((shape) => shape.prefix)).toContain(prefix)
  })

  it('cover a value that a colour splits, escapes included', () => {
    const value = ['gh', 'p_', 'Zk3vQ9xT7mB2nR8sL4dW6yH1jF5cP0aGuE7k'].join('')
    const text = `\u001b[33m${value.slice(0, 12)}\u001b[0m${value.slice(12)}\u001b[0m`
    expect(redactor.find(text)).toEqual([{ start: 5, end: text.length - 4, type: 'github-token' }])
  })

  it('have marks with lower-case names of at most fifty characters', () => {
    const types = new Set(shapes.map(({ type }) => type))
    expect([...types].filter((type) => !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(type))).toEqual([])
    expect(types.size).toBeLessThanOrEqual(50)
  })

  it('are not found if a placeholder fills them', () => {
    const fill = shapes.filter(({ body }) => !body.includes("'")).map(({ prefix }) => prefix + 'x'.repeat(48))
    expect(fill.filter((text) => redactor.find(text).length > 0)).toEqual([])
  })

  it('need their edge: a letter before the prefix means that it is not a token of that vendor', () => {
    const [finding] = redactor.find(['xgh', 'p_', 'Zk3vQ9xT7mB2nR8sL4dW6yH1jF5cP0aGuE7k'].join(''))
    expect(finding?.type).toBe('api-token')
    expect(redactor.find(['xsk_', 'live_', 'Zk3vQ9xT7mB2nR8s'].join(''))).toEqual([])
  })
})

describe('the laws of findings', () => {
  const pieces = fc.oneof(
    fc.string(),
    fc.string({ unit: 'binary' }),
    fc.constantFrom(
      'password=',
      '"token": "',
      '://a:b@',
      'Bearer ',
      'Basic ',
      '-----BEGIN PRIVATE KEY-----\n',
      '-----END PRIVATE KEY-----',
      'eyJ',
      '.ey',
      '\\"',
      '\\n',
      '\u001b[31m',
      '\u001b]0;',
      '[redacted:password]',
      'kind: Secret\ndata:\n  a: ',
      ['AK', 'IA'].join(''),
      ['gh', 'p_'].join(''),
      'aB3dE5gH7jK9mN1pQ3sT5vW7yZ',
      "'",
      '`',
      '=',
      ' -u ',
    ),
  )

  it('hold for any text: in range, sorted, disjoint, named', () => {
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
        const text = parts.join('')
        let last = 0
        for (const { start, end, type } of secretRedactor({ emails: true }).find(text)) {
          expect(start).toBeGreaterThanOrEqual(last)
          expect(end).toBeGreaterThan(start)
          expect(end).toBeLessThanOrEqual(text.length)
          expect(type).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/)
          last = end
        }
      }),
      { numRuns: repeats({ few: 150, all: 1500 }), seed: seedOf(7) },
    )
  })

  it('find nothing more once marks replace the secrets', () => {
    const texts = syntaxes.map(([, text]) => text)
    for (const text of texts) {
      for (const mark of ['[redacted:X]', '[redacted:X:2]']) {
        const once = replaced(text, mark)
        expect(redactor.find(once), once).toEqual([])
      }
    }
  })

  it('leave alone what a mark is part of', () => {
    const texts = [
      `token="abc[redacted:api-key:3]${V}"`,
      `postgres://app:x9[redacted:password]y8@db.local/shop`,
    ]
    expect(texts.flatMap((text) => redactor.find(text))).toEqual([])
  })

  it('hold for a secret that spans two windows of a long text', () => {
    const value = ['gh', 'p_', 'Zk3vQ9xT7mB2nR8sL4dW6yH1jF5cP0aGuE7k'].join('')
    const window = 1 << 19
    for (const at of [window - 20, window, window - value.length, 2 * window - 1]) {
      const text = `${' '.repeat(at)}${value}${' '.repeat(window)}`
      expect(redactor.find(text)).toEqual([{ start: at, end: at + value.length, type: 'github-token' }])
    }
  })
})

function replaced(text: string, mark: string): string {
  return redactor
    .find(text)
    .reduceRight(
      (rest, { start, end, type }) => rest.slice(0, start) + mark.replace('X', type) + rest.slice(end),
      text,
    )
}

const V = ['Vq7', 'xT2mZ', '9sKd', '4Lw8Rb'].join('')
const P = ['Tr0u', 'b4dor', '&3x'].join('')
const uuid = '3b1f7c1e-0d0e-4b8e-9b1a-2f3c4d5e6f70'
const b64 = (text: string): string => Buffer.from(text).toString('base64')
const pemLines = Array.from({ length: 4 }, (_, line) =>
  b64(`line ${line} of a key that is none ${V}`).slice(0, 48),
)
const begin = (kind = 'RSA '): string => ['-----BEGIN ', kind, 'PRIVATE KEY-----'].join('')
const end = (kind = 'RSA '): string => ['-----END ', kind, 'PRIVATE KEY-----'].join('')
const jwt = [
  b64('{"alg":"HS256","typ":"JWT"}'),
  b64('{"sub":"42","name":"nobody"}'),
  'c2lnbmF0dXJlLXRoYXQtaXMtbm9uZQ',
]
  .join('.')
  .replaceAll('=', '')

/** Name, text, the secret in it, its type. */
const syntaxes: readonly (readonly [string, string, string, string])[] = [
  ['env', `API_TOKEN=${V}`, V, 'access-token'],
  ['export', `export STRIPE_SECRET_KEY=${V}`, V, 'secret'],
  ['env password', `DB_PASSWORD=${P}\nX=1`, P, 'password'],
  ['JSON', `{"client_secret": "${V}"}`, V, 'secret'],
  ['escaped JSON', `{"a":"{\\"password\\": \\"${P}\\"}"}`, P, 'password'],
  ['twice escaped JSON', `{\\\\\\"apiKey\\\\\\": \\\\\\"${V}\\\\\\"}`, V, 'api-key'],
  ['escaped newline', `{"ini": "A_TOKEN=${V}\\nB=2"}`, V, 'access-token'],
  ['YAML', `db:\n  password: ${P}\n`, P, 'password'],
  ['YAML pair', `- name: MY_TOKEN\n  value: "${V}"`, V, 'access-token'],
  ['YAML block', `token: |\n  ${V}\n`, V, 'access-token'],
  ['JSON pair', `{"name": "MY_SECRET", "value": "${V}"}`, V, 'secret'],
  ['Terraform', `variable {\n  name = "API_KEY"\n  secret_value = "${V}"\n}`, V, 'api-key'],
  ['TOML', `api_key = "${V}"`, V, 'api-key'],
  ['INI', `secret = ${V}`, V, 'secret'],
  ['properties', `spring.datasource.password=${P}`, P, 'password'],
  ['XML element', `<accessToken>\n    ${V}\n</accessToken>`, V, 'access-token'],
  ['XML attribute', `<add key="Password" value="${P}" />`, P, 'password'],
  ['Java', `String apiKey = "${V}";`, V, 'api-key'],
  ['Java call', `System.setProperty("API_TOKEN", "${V}")`, V, 'access-token'],
  ['Go', `clientSecret := \`${V}\``, V, 'secret'],
  ['Ruby', `:password => '${P}'`, P, 'password'],
  ['PHP', `$config['secret'] = '${V}';`, V, 'secret'],
  ['Python default', `def connect(passwd: str = "${P}"):`, P, 'password'],
  ['Python bytes', `SECRET_KEY = b'${V}'`, V, 'secret'],
  ['Scala', `val password: String = "${P}"`, P, 'password'],
  ['C#', `var clientSecret = @"${V}";`, V, 'secret'],
  ['Makefile', `API_TOKEN ?= ${V}`, V, 'access-token'],
  ['Rust', `let token: &str = "${V}";`, V, 'access-token'],
  ['C', `#define API_KEY "${V}"`, V, 'api-key'],
  ['property list', `<key>ApiKey</key>\n<string>${V}</string>`, V, 'api-key'],
  ['Android', `<string name="api_key">${V}</string>`, V, 'api-key'],
  ['Markdown', `**API Key:** \`${V}\``, V, 'api-key'],
  ['Markdown table', `| API key | ${V} |`, V, 'api-key'],
  ['coded quotes', `token=\\u0022${V}\\u0022`, V, 'access-token'],
  ['HTML quotes', `token=&quot;${V}&quot;`, V, 'access-token'],
  ['sshpass', `sshpass -p ${P} ssh me@host`, P, 'password'],
  ['next line', `Your new token:\n${V}\n`, V, 'access-token'],
  [
    'next line in JSON',
    JSON.stringify({ out: `password:\n  ${P}\n` }).replace('\\n  ', '\n  '),
    P,
    'password',
  ],
  [
    'hex number as long as a key',
    `private_key = 0x${b64(V).length}a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f6071`,
    `0x${b64(V).length}a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f6071`,
    'secret',
  ],
  ['session cookie in hex', 'Cookie: a=b; session=5f2c9a7be41d0386ff', '5f2c9a7be41d0386ff', 'credential'],
  ['vendor name', `kraken_key="${V}"`, V, 'api-key'],
  ['SQL', `CREATE USER a IDENTIFIED BY '${P}'`, P, 'password'],
  ['SQL with', `ALTER USER a WITH PASSWORD '${P}'`, P, 'password'],
  ['connection string', `Server=db;User Id=sa;Password=${P};Encrypt=true`, P, 'password'],
  ['flag', `tool --password ${P} --verbose`, P, 'password'],
  ['flag with =', `tool --api-key=${V}`, V, 'api-key'],
  ['docker -e', `docker run -e DB_PASSWORD=${P} -p 80:80 image`, P, 'password'],
  ['mysql', `mysql -u root -p${P} shop`, P, 'password'],
  ['curl -u', `curl -u deploy:${P} https://example.com`, P, 'password'],
  [
    'curl -u over lines',
    `date -u; curl -s \\\n  -H "Accept: a/b" $(host) \\\n  -u deploy:${P} https://example.com`,
    P,
    'password',
  ],
  ['SQL of a plug-in', `CREATE USER a IDENTIFIED WITH sha2 AS '${P}'`, P, 'password'],
  ['curl header', `curl -H "X-Api-Key: ${V}" https://example.com`, V, 'api-key'],
  ['bearer', `Authorization: Bearer ${V}`, V, 'bearer-token'],
  ['token scheme', `authorization: token ${V}`, V, 'credential'],
  ['basic', `Authorization: Basic ${b64(`deploy:${V}`)}`, b64(`deploy:${V}`), 'basic-auth'],
  ['netrc', `machine example.com login me password ${P}`, P, 'password'],
  ['npmrc', `//npm.example.com/:_authToken=${uuid}`, uuid, 'access-token'],
  [
    'htpasswd',
    `me:${['$2', 'y$10$'].join('')}${V}${V}${V}`,
    ['$2', 'y$10$', V, V, V].join(''),
    'password-hash',
  ],
  ['URL userinfo', `postgres://app:${V}@db.local/shop`, V, 'url-password'],
  ['URL with @', `mongodb+srv://app:${V}@x1@db.local/shop`, `${V}@x1`, 'url-password'],
  ['git remote', `origin\thttps://x-access-token:${V}@github.com/a/b.git`, V, 'url-password'],
  ['URL query', `GET https://example.com/?page=2&access_token=${V}&limit=5`, V, 'access-token'],
  ['cookie', `Cookie: theme=dark; session=${V}9aZ; lang=en`, `${V}9aZ`, 'credential'],
  ['ANSI', `\u001b[36mAPI_TOKEN\u001b[0m=\u001b[33m${V}\u001b[0m`, V, 'access-token'],
  ['spelled colours', `\\u001b[36mAPI_TOKEN\\u001b[0m=\\u001b[33m${V}\\u001b[0m`, V, 'access-token'],
  [
    'continued line',
    `API_TOKEN=${V.slice(0, 9)}\\\n${V.slice(9)}\n`,
    `${V.slice(0, 9)}\\\n${V.slice(9)}`,
    'access-token',
  ],
  ['JWT', `token ${jwt} expired`, jwt, 'jwt'],
  ['encoded JWT', `x: ${b64(jwt)}`, b64(jwt), 'jwt'],
  ['PEM', `${begin()}\n${pemLines.join('\n')}\n${end()}`, pemLines.join('\n'), 'private-key'],
  ['PEM without end', `${begin('')}\n${pemLines.join('\n')}\n`, pemLines.join('\n'), 'private-key'],
  [
    'PEM in JSON',
    JSON.stringify({ key: `${begin()}\n${pemLines.join('\n')}\n${end()}\n` }),
    pemLines.join('\\n'),
    'private-key',
  ],
  ['PEM in a diff', `+${begin()}\n+${pemLines.join('\n+')}\n+${end()}`, pemLines.join('\n+'), 'private-key'],
  [
    'Kubernetes',
    `kind: Secret\nmetadata:\n  name: a\ndata:\n  extra: ${b64(`${V}xyz`)}\n`,
    b64(`${V}xyz`),
    'kubernetes-secret',
  ],
  ['JSON web key', `{"kty":"oct","k":"${V}${V}"}`, `${V}${V}`, 'private-key'],
  [
    'key pair',
    `${['AK', 'IA'].join('')}Q3ZT7K5M2X4WB6RN ${V}${V}${V.slice(0, 4)}`,
    `${V}${V}${V.slice(0, 4)}`,
    'aws-secret-key',
  ],
]

describe('a secret in a known syntax', () => {
  it.each(syntaxes)('is found in: %s', (_, text, secret, type) => {
    const found = redactor
      .find(text)
      .filter((finding) => text.slice(finding.start, finding.end).includes(secret))
    expect(found.map((finding) => finding.type)).toEqual([type])
    const [finding] = found
    if (type !== 'private-key') expect(text.slice(finding!.start, finding!.end)).toBe(secret)
  })
})

describe('e-mail addresses', () => {
  it('are found on request only, except those of examples', () => {
    const text = 'From: jo.doe+x@company.co.uk, no-reply@company.com, a@example.com, git@github.com:a/b'
    expect(redactor.find(text)).toEqual([])
    const found = secretRedactor({ emails: true }).find(text)
    expect(found.map(({ start, end: stop, type }) => [text.slice(start, stop), type])).toEqual([
      ['jo.doe+x@company.co.uk', 'email'],
    ])
  })
})
