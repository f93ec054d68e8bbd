import { everydayFamilies } from './everyday-families.ts'
import { harmlessFamilies } from './harmless-families.ts'
import type { SecretCase } from './labelled-cases.ts'
import { alphabets, randomText, randomWord } from './random-text.ts'
import { bareSyntaxes, credentialSyntaxes, namedSyntaxes, nameOf } from './syntaxes.ts'
import { namedFamilies, plainFamilies, tokenFamilies } from './token-families.ts'

const allAlphabets: Readonly<Record<string, string>> = {
  ...alphabets,
  signs: `${alphabets.mixed}!@#$%^&*`,
  manySigns: `${alphabets.mixed}!@#%^&*_-+=?.,~`,
  shifted: `${alphabets.mixed}!@#$%^&*()`,
  django: `${alphabets.lowerDigits}!@#$%^&*(-_=+)`,
}

/** Draws until a syntax accepts the value; a syntax that accepts hardly any is left out. */
const maxDraws = 50

/** A value by its pattern: `[alphabet length]`, `[word]`, `[Word]` and `[WORD]` are random, the rest is literal. */
export function randomValue(pattern: string, random: () => number): string {
  return pattern.replace(/\[(\w+)(?: (\d+))?\]/g, (whole, name: string, length?: string) => {
    const word = randomWord(random)
    if (name === 'word') return word
    if (name === 'WORD') return word.toUpperCase()
    if (name === 'Word') return word.charAt(0).toUpperCase() + word.slice(1)
    const alphabet = allAlphabets[name]
    return alphabet === undefined || length === undefined
      ? whole
      : randomText(alphabet, Number(length), random)
  })
}

/** `count` random values of every family in every syntax; `family` is the family's name, `source` the kind of it. */
export function* generatedCases(
  count: number,
  random: () => number,
): Generator<SecretCase & { syntax: string }> {
  for (const [family, pattern] of Object.entries(tokenFamilies))
    for (const [syntax, write] of Object.entries(bareSyntaxes))
      for (let index = 0; index < count; index++) {
        const value = randomValue(pattern, random)
        yield { ...placed(write(value), value), source: 'tokens', family, syntax }
      }
  const named = [
    ...Object.entries(namedFamilies).map(([name, value]) => ['vendors', name, name, value] as const),
    ...Object.entries(plainFamilies).map(([family, one]) => ['names', family, one.name, one.value] as const),
  ]
  for (const [source, family, words, pattern] of named)
    for (const [syntax, { write, takes }] of Object.entries(namedSyntaxes))
      for (let index = 0; index < count; index++) {
        const value = taken(() => randomValue(pattern, random), takes)
        if (value !== undefined)
          yield { ...placed(write(nameOf(words), value), value), source, family, syntax }
      }
  for (const [syntax, write] of Object.entries(credentialSyntaxes))
    for (let index = 0; index < count; index++) {
      const value = randomText(alphabets.mixed, 12, random)
      const text = write(value)
      const secret = text.includes(value) ? value : (/Basic (\S+)/.exec(text)?.[1] ?? value)
      yield { ...placed(text, secret), source: 'credentials', family: syntax, syntax }
    }
}

/** `count` random values of every everyday text; its kind is the family. */
export function* everydayCases(
  count: number,
  random: () => number,
): Generator<SecretCase & { syntax: string }> {
  for (const [family, lines] of Object.entries(everydayFamilies))
    for (const syntax of lines
      .trim()
      .split('\n')
      .map((line) => line.trim()))
      for (let index = 0; index < count; index++)
        yield { ...everydayCase(syntax, random), source: 'everyday', family, syntax }
}

function everydayCase(template: string, random: () => number): Pick<SecretCase, 'text' | 'secrets' | 'tier'> {
  const secrets: { start: number; end: number }[] = []
  let text = ''
  for (const [index, part] of template.split(/[‹›]/).entries()) {
    const start = text.length
    text += randomValue(part.replaceAll('\\n', '\n').replaceAll('\\t', '\t'), random)
    // Every other part is between the signs.
    if (index % 2 === 1) secrets.push({ start, end: text.length })
  }
  return { text, secrets, tier: 'generated' }
}

/** `count` random texts of every family that hold no secret. */
export function* harmlessCases(count: number, random: () => number): Generator<SecretCase> {
  for (const [family, patterns] of Object.entries(harmlessFamilies))
    for (let index = 0; index < count; index++)
      for (const pattern of patterns)
        yield {
          source: 'harmless',
          family,
          tier: 'generated',
          text: randomValue(pattern, random),
          secrets: [],
        }
}

function taken(draw: () => string, takes: RegExp | undefined): string | undefined {
  for (let tries = 0; tries < maxDraws; tries++) {
    const value = draw()
    if (takes === undefined || takes.test(value)) return value
  }
  return undefined
}

/** Every occurrence of the value is a secret. */
function placed(text: string, value: string): Pick<SecretCase, 'text' | 'secrets' | 'tier'> {
  const secrets: { start: number; end: number }[] = []
  for (let at = text.indexOf(value); at !== -1; at = text.indexOf(value, at + value.length))
    secrets.push({ start: at, end: at + value.length })
  return { text, secrets, tier: 'generated' }
}
