import { describe, expect, it } from 'vitest'
import { isBindingHeading, judgeSentence } from '../../../src/facts/constraints/binding/judge-sentence.ts'
import { binding, notBinding } from './labelled-sentences.ts'

describe('judgeSentence', () => {
  it.each(Object.entries(binding))('takes a %s as binding', (why, sentences) => {
    const judged = sentences.map((text) => ({ text, ...judgeSentence(text) }))
    expect(judged.filter((each) => !each.binds || each.why !== why)).toEqual([])
  })

  it.each(Object.entries(notBinding))('does not take a %s as binding', (_, sentences) => {
    const judged = sentences.map((text) => ({ text, ...judgeSentence(text) }))
    expect(judged.filter((each) => each.binds)).toEqual([])
  })

  it('says why a sentence does not bind', () => {
    const why = (text: string) => judgeSentence(text).why
    expect(why('Should we never cache this?')).toBe('question')
    expect(why('maybe the cache should be shared')).toBe('musing')
    expect(why('The list should show three rows but it shows two.')).toBe('report')
    expect(why('Rename the file.')).toBe('plain')
  })

  it('says where the clause stands that decided', () => {
    const text = 'Fix the parser, but do not touch the lexer.'
    expect(text.slice(judgeSentence(text).at)).toBe('do not touch the lexer.')
  })

  it('takes items of a binding list, but no question', () => {
    expect(judgeSentence('Node 22', { listed: true })).toMatchObject({ binds: true, why: 'listed' })
    expect(judgeSentence('Node 22?', { listed: true })).toMatchObject({ binds: false, why: 'question' })
  })

  it('takes only plain orders of a plan that an agent wrote', () => {
    const approved = (text: string) => judgeSentence(text, { approved: true }).binds
    expect(approved('Never write to the cache folder.')).toBe(true)
    expect(approved('The file must stay valid JSON.')).toBe(true)
    expect(approved('Keep the helper for the endpoint.')).toBe(false)
    expect(approved('The button should be grey.')).toBe(false)
  })

  it('does not read what stands in quotes or backticks', () => {
    expect(judgeSentence('Rename the test "never push to main" please.').binds).toBe(false)
    expect(judgeSentence('Where `must not` stands, remove it.').binds).toBe(false)
  })

  it('knows titles of lists that bind', () => {
    for (const title of [
      'Constraints',
      'Hard rules',
      'Do not',
      "Don'ts",
      '约束',
      'Vorgaben',
      'Ограничения',
      '制約',
    ])
      expect([title, isBindingHeading(title)]).toEqual([title, true])
    for (const title of ['Context', 'Steps', 'Verification', 'Do the following'])
      expect([title, isBindingHeading(title)]).toEqual([title, false])
  })
})
