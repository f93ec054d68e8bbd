import { isEdge } from './edge.ts'
import { exactTriggers, type Scan, type Trigger } from './scan.ts'
import { characterKinds, distinctCharacters, looksRandom } from './value-shape.ts'

/** The secret half of a key pair has no mark; it is near the public half. */
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

/** Tokens known by a key id nearby or by a number that they start with. */
export const keyPairTriggers: readonly Trigger[] = [
  ...halves.flatMap(({ literals, id, half, type }) =>
    exactTriggers(literals, (scan, at) => {
      id.lastIndex = at
      if (!id.test(scan.text)) return
      const from = Math.max(0, at - 160)
      for (const found of scan.text.slice(from, at + 240).matchAll(half)) {
        const { upper, lower, digit } = characterKinds(found[0])
        const isMixed = upper && lower && digit && distinctCharacters(found[0], 16) >= 14
        if (isMixed && looksRandom(found[0], 24))
          scan.report(from + found.index, from + found.index + found[0].length, type)
      }
    }),
  ),
  // Numbers in base64 start with `M`, `N` or `O`: Discord's id, Jira's and Bitbucket's `number:random`.
  ...exactTriggers(
    Array.from('MNO').flatMap((first) =>
      Array.from('DTjzZ').flatMap((second) =>
        Array.from('AEIMQUYcgk1').map((third) => first + second + third),
      ),
    ),
    matchNumbered,
  ),
]

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
