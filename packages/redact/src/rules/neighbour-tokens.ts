import { exactTriggers, type Scan, type Trigger } from './scan.ts'
import { isEdge } from './token-shape.ts'
import { characterKinds, distinctCharacters, looksRandom } from './value-shape.ts'

/** Tokens without a mark of their own, known by a name or a key id nearby or by a number they start with. */
export const neighbourTokenTriggers: readonly Trigger[] = [
  ...exactTriggers(
    ['ATATT3'],
    matchWhole(/ATATT3[\w=.-]{150,400}(?:(?:%3[dD]|\\{1,4}=)[0-9A-F]{8})?/y, 'atlassian-token'),
  ),
  ...exactTriggers(['-1:'], matchWhole(/-1:[A-Za-z0-9+/]{86}==/y, 'private-key')),
  { literal: 'x-amz-credential=', exact: false, match: matchWhole(/[\w%/-]{20,200}/y, 'aws-access-key', 17) },
  { literal: 'facebook', exact: false, match: matchFacebookApp },
  { literal: 'sidekiq', exact: false, match: matchHexPair },
  { literal: 'contribsys', exact: false, match: matchHexPair },
  ...keyPairTriggers(),
  ...numberedTokenTriggers(),
]

function matchWhole(pattern: RegExp, type: string, skip = 0): (scan: Scan, at: number) => void {
  return (scan, at) => {
    pattern.lastIndex = at + skip
    if (pattern.test(scan.text)) scan.report(at + skip, pattern.lastIndex, type)
  }
}

const hexPair =
  /[\w.-]{0,40}\\{0,8}["'`]?[ \t]{0,3}(?:[:.?]{0,3}=>?|:|,|>)\s{0,8}\\{0,8}["'`]?([0-9a-f]{8}:[0-9a-f]{8})(?![\w:])/iy

/** Sidekiq's `name:password` of two hex numbers. */
function matchHexPair(scan: Scan, at: number): void {
  hexPair.lastIndex = at
  if (hexPair.test(scan.text)) scan.report(hexPair.lastIndex - 17, hexPair.lastIndex, 'credential')
}

const facebookApp = /[^\n]{0,40}?(?<!\d)(\d{13,17}(?:\||%7C)[\w-]{20,40})/y

/** `app id|app secret`: only the name before it distinguishes it from other numbers. */
function matchFacebookApp(scan: Scan, at: number): void {
  facebookApp.lastIndex = at + 8
  const found = facebookApp.exec(scan.text)
  if (found !== null)
    scan.report(facebookApp.lastIndex - found[1]!.length, facebookApp.lastIndex, 'facebook-token')
}

/** The secret half of a key pair has no mark; it is near the public half. */
function keyPairTriggers(): readonly Trigger[] {
  const halves = [
    {
      literals: ['AKIA', 'ASIA'],
      id: /(?:AKIA|ASIA)[A-Z0-9]{16,17}(?![A-Za-z0-9])/y,
      half: /(?<![\w+/=.-])[A-Za-z0-9+/]{40}(?![\w+/=.-])/g,
      type: 'aws-secret-key',
    },
    {
      literals: ['LTAI'],
      id: /LTAI[A-Za-z0-9]{12,24}(?![A-Za-z0-9])/y,
      half: /(?<![\w+/=.-])[A-Za-z0-9]{30}(?![\w+/=.-])/g,
      type: 'api-token',
    },
    {
      literals: ['.apps.googleusercontent.com'],
      id: /\.apps/y,
      half: /(?<![\w+/=.-])[\w-]{24}(?![\w+/=.-])/g,
      type: 'gcp-key',
    },
  ]
  return halves.flatMap(({ literals, id, half, type }) =>
    literals.map((literal) => ({
      literal,
      exact: true,
      match: (scan: Scan, at: number) => {
        id.lastIndex = at
        if (!id.test(scan.text)) return
        const from = Math.max(0, at - 160)
        for (const found of scan.text.slice(from, at + 240).matchAll(half)) {
          const kinds = characterKinds(found[0])
          if (
            kinds.upper &&
            kinds.lower &&
            kinds.digit &&
            distinctCharacters(found[0], 16) >= 14 &&
            looksRandom(found[0], 24)
          )
            scan.report(from + found.index, from + found.index + found[0].length, type)
        }
      },
    })),
  )
}

const discord = /[MNO][\w-]{22,25}\.[\w-]{6}\.[\w-]{27,40}/y
const accessToken = /[MNO][A-Za-z0-9+/]{43}(?![A-Za-z0-9+=])/y

/** Tokens that start with a number in base64: `M`, `N` or `O`. Discord's id, Jira's and Bitbucket's `number:random`. */
function numberedTokenTriggers(): readonly Trigger[] {
  const literals = Array.from('MNO').flatMap((first) =>
    Array.from('DTjzZ').flatMap((second) => Array.from('AEIMQUYcgk1').map((third) => first + second + third)),
  )
  return exactTriggers(literals, matchNumbered)
}

function matchNumbered(scan: Scan, at: number): void {
  const { text } = scan
  if (!isEdge(text, at)) return
  discord.lastIndex = at
  if (discord.test(text)) {
    scan.report(at, discord.lastIndex, 'discord-token')
    return
  }
  accessToken.lastIndex = at
  if (!accessToken.test(text)) return
  const decoded = Buffer.from(text.slice(at, at + 44), 'base64').toString('latin1')
  if (/^\d{9,14}:/.test(decoded)) scan.report(at, at + 44, 'atlassian-token')
}
