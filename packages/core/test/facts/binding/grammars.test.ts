import { describe, expect, it } from 'vitest'
import { classifySentence } from '../../../src/facts/constraints/binding/classify-sentence.ts'
import { grammars } from '../../../src/facts/constraints/binding/grammars.ts'

describe('a grammar', () => {
  it.each(grammars)('of $language has all its patterns in lower case', (grammar) => {
    const { breaks, fillers, polite = [], steps = [], rules, refusals } = grammar
    const patterns = [
      ...[...breaks, ...fillers, ...polite, ...steps],
      ...[...rules, ...refusals].flatMap((rule) => rule.patterns),
      ...[...grammar.allows, ...grammar.releases, ...grammar.cancels, ...grammar.negations],
      ...[...grammar.headings, ...grammar.forbiddenHeadings],
    ].map((pattern) => pattern.replace(/\\[pP]\{\w+\}|\\[a-zA-Z]/g, ''))
    expect(patterns.filter((pattern) => pattern !== pattern.toLowerCase())).toEqual([])
  })
})

describe('a boundary of words', () => {
  it.each([
    ["Les clés ne doivent pas être dans l'URL.", true],
    ["Suivez l'ordre du fichier pour les modules.", true],
    ['NÃO ALTERE O ESQUEMA DO BANCO.', true],
    ['Por favor, não alterem o esquema.', true],
    ['O campo nãoalterado é do esquema.', false],
    ['ÄNDERE BITTE NIEMALS DIE TABELLE.', true],
    ['Non modificare lo schema del database.', true],
  ])('is known in %j', (sentence, binds) => {
    expect(classifySentence(sentence).binds).toBe(binds)
  })
})
