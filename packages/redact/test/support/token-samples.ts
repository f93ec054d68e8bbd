import { bodyParts, type TokenShape } from '../../src/rules/token-shape.ts'

/** Numbers from 0 to 1 that are the same in every run. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** A made-up value for a row of a token table, so that the repository contains none; a strict one holds a digit. */
export function sampleToken(shape: TokenShape, random: () => number): string {
  const body = sampleOf(shape.body, random)
  if (shape.edge === 'strict' && !/\d/.test(body)) return sampleToken(shape, random)
  return sampleOf(shape.before ?? '', random) + shape.prefix + body
}

function sampleOf(parts: string, random: () => number): string {
  return bodyParts(parts)
    .map((part) => {
      if ('literal' in part) return part.literal
      const length = Math.min(part.max, part.min + (part.max > part.min ? Math.floor(random() * 4) : 0))
      return randomText(part.characters, length, random)
    })
    .join('')
}

/** Random characters of a class such as `a-z0-9`, starting with a letter or digit if possible. */
function randomText(characters: string, length: number, random: () => number): string {
  const inside = new RegExp(`[${characters}]`)
  const all = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index)).filter((character) =>
    inside.test(character),
  )
  const plain = all.filter((character) => /[A-Za-z0-9]/.test(character))
  return Array.from({ length }, (_, index) => {
    const from = (index === 0 || index === length - 1) && plain.length > 0 ? plain : all
    return from[Math.floor(random() * from.length)]!
  }).join('')
}
