import { describe, expect, it } from 'vitest'
import {
  classifySentence,
  isBindingHeading,
} from '../../../src/facts/constraints/binding/classify-sentence.ts'
import { binding, notBinding } from './labelled-sentences.ts'

describe('classifySentence', () => {
  it.each(Object.entries(binding))('classifies sentences as binding: %s', (why, sentences) => {
    const classified = sentences.map((text) => ({ text, ...classifySentence(text) }))
    expect(classified.filter((each) => !each.binds || each.why !== why)).toEqual([])
  })

  it.each(Object.entries(notBinding))('does not classify sentences as binding: %s', (_, sentences) => {
    const classified = sentences.map((text) => ({ text, ...classifySentence(text) }))
    expect(classified.filter((each) => each.binds)).toEqual([])
  })

  it('gives the reason why a sentence does not bind', () => {
    const why = (text: string) => classifySentence(text).why
    expect(why('Should we never cache this?')).toBe('question')
    expect(why('maybe the cache should be shared')).toBe('musing')
    expect(why('The list should show three rows but it shows two.')).toBe('report')
    expect(why('Currently, they must type the address again.')).toBe('report')
    expect(why('Rename the file.')).toBe('plain')
  })

  it('gives the position of the clause that decided', () => {
    const text = 'Fix the parser, but do not touch the lexer.'
    expect(text.slice(classifySentence(text).at)).toBe('do not touch the lexer.')
  })

  it('accepts items of a binding list, except questions', () => {
    expect(classifySentence('Node 22', { listed: true })).toMatchObject({ binds: true, why: 'listed' })
    expect(classifySentence('Node 22?', { listed: true })).toMatchObject({ binds: false, why: 'question' })
  })

  it('accepts only plain orders from a plan that an agent wrote', () => {
    const approved = (text: string) => classifySentence(text, { approved: true }).binds
    expect(approved('Never write to the cache folder.')).toBe(true)
    expect(approved('The file must stay valid JSON.')).toBe(true)
    expect(approved('Keep the helper for the endpoint.')).toBe(false)
    expect(approved('The button should be grey.')).toBe(false)
  })

  it('ignores text in quotes or backticks', () => {
    expect(classifySentence('Rename the test "never push to main" please.').binds).toBe(false)
    expect(classifySentence('Where `must not` stands, remove it.').binds).toBe(false)
  })

  it('recognizes titles of lists that bind', () => {
    for (const title of [
      'Constraints',
      'Hard rules',
      'Rules for the tests',
      'Requirements (from the client)',
      'Rules(important)',
      'Rules and conventions',
      'Constraints — read first',
      'Do not',
      "Don'ts",
      '约束',
      'Vorgaben',
      'Ограничения',
      '制約',
    ])
      expect([title, isBindingHeading(title)]).toEqual([title, true])
    for (const title of [
      'Context',
      'Steps',
      'Verification',
      'Do the following',
      'Requirements analysis',
      'Rule engine',
      'Never mind',
      'Always green again',
      'Rules and results',
    ])
      expect([title, isBindingHeading(title)]).toEqual([title, false])
  })
})
