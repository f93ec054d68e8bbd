import { describe, expect, it } from 'vitest'
import { classifySentence } from '../../../src/facts/constraints/binding/classify-sentence.ts'
import { grammars } from '../../../src/facts/constraints/binding/grammar.ts'

const headings =
  /^(?:(?:prohibition|necessity|standing|limit|keep|preference) (?:head|lead|clause|sentence)(?: weak)?|(?:question|narrative|report|musing) (?:head|sentence)(?: weak)?|breaks|fillers|polite|steps|allows|releases|rule names|ends|cancels|negations|passing|moment|always|(?:forbidden )?headings|(?:strong|weak) demand|common|letters|empty)$/

describe('the cues of a language', () => {
  it.each(grammars())('of $language have all their patterns in lower case', ({ sections, alternatives }) => {
    const patterns = sections.map((section) => alternatives(section).replace(/\\[pP]\{\w+\}|\\[a-zA-Z]/g, ''))
    expect(patterns.filter((pattern) => pattern !== pattern.toLowerCase())).toEqual([])
  })

  it.each(grammars())('of $language are below known headings, each once', ({ sections }) => {
    expect(sections.filter((section) => !headings.test(section))).toEqual([])
    expect(new Set(sections).size).toBe(sections.length)
  })

  it.each(grammars())('of $language use only parts that they define', ({ sections, alternatives }) => {
    expect(sections.filter((section) => /\{[a-z]/.test(alternatives(section)))).toEqual([])
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
  ])('is recognized in %j', (sentence, binds) => {
    expect(classifySentence(sentence).binds).toBe(binds)
  })
})
