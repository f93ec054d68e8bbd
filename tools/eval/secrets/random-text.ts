import { pick } from '../random.ts'

const lower = 'abcdefghijklmnopqrstuvwxyz'
const upper = lower.toUpperCase()
const digits = '0123456789'

/** Alphabets of secrets. */
export const alphabets = {
  digits,
  lower,
  hex: `${digits}abcdef`,
  lowerDigits: `${lower}${digits}`,
  upperDigits: `${upper}${digits}`,
  base32: `${upper}234567`,
  mixed: `${lower}${upper}${digits}`,
  base64: `${lower}${upper}${digits}+/`,
  base64url: `${lower}${upper}${digits}-_`,
  base58: '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz',
  bech32: '023456789ACDEFGHJKLMNPQRSTUVWXYZ',
} as const

/** Characters of an alphabet drawn one by one. */
export function randomText(alphabet: string, length: number, random: () => number): string {
  let text = ''
  for (let index = 0; index < length; index++) text += alphabet[Math.floor(random() * alphabet.length)]
  return text
}

const words =
  'summer dragon falcon winter tiger orange monkey coffee silver rocket guitar shadow thunder pepper marble castle'.split(
    ' ',
  )

export function randomWord(random: () => number): string {
  return pick(words, random)
}
