import { isEdge } from './edge.ts'
import { exactTriggers, type Scan, type Trigger } from './scan.ts'

/** Tokens known by a number that they start with. */
export const keyPairTriggers: readonly Trigger[] = [
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
