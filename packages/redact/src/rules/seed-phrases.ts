import { jargon } from './allow-list.ts'
import type { Scan, Trigger } from './scan.ts'

const names = 'mnemonic,phrase,frase ,seed,recover:,bip39,bip-39,助记词'
const reach = 72
/** Twelve or more words of BIP-39, perhaps numbered or in quotes; the list holds no word of other lengths. */
const seedWords =
  /(?<![\w-])[a-z]{3,8}(?:\\{0,4}["']?(?:[\s,|]|\\n){1,3}(?:\d{1,2}[.):]?[ \t]{0,3})?["']?[a-z]{3,8}){11,23}(?![\w-])/
const proseWord = /\b(?:the|and|for|with|from|your|are|was|not|but|has|have|its|our|into|which|when)\b/

/** The words that a wallet's keys are made from: https://github.com/bitcoin/bips/blob/master/bip-0039.mediawiki */
function matchSeed(scan: Scan, at: number): void {
  if (scan.commandBudget < 0) return
  scan.commandBudget -= reach
  const found = seedWords.exec(scan.text.slice(at, at + 500))
  if (found === null || found.index > reach || proseWord.test(found[0])) return
  scan.report(at + found.index, at + found.index + found[0].length, 'seed-phrase')
}

export const seedTriggers: readonly Trigger[] = names.split(',').map((literal) => ({
  literal,
  exact: literal === '助记词',
  match: (scan, at) => matchSeed(scan, at + literal.length),
}))

/** The shortest phrase. */
const shortest = 12 * 3 + 11
const alone = /(?<![\w'-]|\w )[a-z]{3,8}(?: [a-z]{3,8}){11,23}(?! ?[\w'-])/g

/** Phrases without a name: no sentence has as many words that differ, are as long and of which none joins others. */
export function matchSeeds({ text, codes, report }: Scan): void {
  for (let at = shortest - 1; at < text.length; at += shortest) {
    let start = at
    while (start > 0 && isWordCode(codes[start - 1]!)) start--
    while (isWordCode(codes[at]!)) at++
    if (at - start < shortest) continue
    for (const { 0: phrase, index } of text.slice(Math.max(0, start - 2), at + 2).matchAll(alone)) {
      const words = phrase.split(' ')
      const from = Math.max(0, start - 2) + index
      if (words.length % 3 === 0 && new Set(words).size > words.length * 0.85 && !proseWord.test(phrase))
        report(from, from + phrase.length, 'seed-phrase')
    }
  }
}

function isWordCode(code: number): boolean {
  return code === 32 || (code >= 97 && code <= 122)
}

const phrase =
  /^[\w ]{0,24}?(?:\s(?:is|was|to)|\s?[:=])\s{1,3}(["'`]?)([a-z]{3,12}(?:[ -][a-z]{3,12}){2,11})(?=\1[.,;)]?\s*$|["'`])/

/** The words of a passphrase after its name: none of them joins others or says what is done with one. */
export function reportPhrase(scan: Scan, start: number, end: number, rest: string): boolean {
  const isNamed = /phrase$/i.test(scan.text.slice(start, end))
  const [whole = '', quote, said = ''] = (isNamed && phrase.exec(rest)) || []
  const words = said.split(/[ -]/)
  if (words.length < (quote === '' ? 4 : 3) || proseWord.test(said)) return false
  if (words.some((word) => jargon.has(word) || /(?:ed|ing|ly|[^suia]s)$|never|only/.test(word))) return false
  scan.report(end + whole.length - said.length, end + whole.length, 'password')
  return true
}
