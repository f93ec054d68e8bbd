import type { Scan, Trigger } from './scan.ts'

const names =
  'mnemonic,phrase,frase ,seed,recover:,hdwalletprovider(,bip39,bip-39,wallet words,these words,助记词'
const reach = 72
/** Twelve or more words of BIP-39, perhaps numbered; the list holds no word of other lengths. */
const seedWords = /(?<![\w-])[a-z]{3,8}(?:[\s,]{1,3}(?:\d{1,2}[.):][ \t]?)?[a-z]{3,8}){11,23}(?![\w-])/
const proseWord = /\b(?:the|and|for|with|from|your|are|was|not|but|has|have|its|our|into|which|when)\b/

/** The words that a wallet's keys are made from: https://github.com/bitcoin/bips/blob/master/bip-0039.mediawiki */
function matchSeed(scan: Scan, at: number): void {
  if (scan.commandBudget < 0) return
  scan.commandBudget -= reach
  const found = seedWords.exec(scan.text.slice(at, at + 400))
  if (found === null || found.index > reach || proseWord.test(found[0])) return
  scan.report(at + found.index, at + found.index + found[0].length, 'seed-phrase')
}

export const seedTriggers: readonly Trigger[] = names.split(',').map((literal) => ({
  literal,
  exact: literal === '助记词',
  match: (scan, at) => matchSeed(scan, at + literal.length),
}))
