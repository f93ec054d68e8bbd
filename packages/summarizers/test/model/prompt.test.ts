import { createHash } from 'node:crypto'
import { emptySummary, tiktokenCounter } from '@tenfold/core'
import { bundleKinds } from '@tenfold/core/bundle'
import { describe, expect, it } from 'vitest'
import { promptTokens } from '../../src/model/model-summarizer.ts'
import { promptVersion, systemPrompt, taskText } from '../../src/model/prompt.ts'
import { wireJsonSchema } from '../../src/model/wire-schema.ts'
import { itemOf, requestOf } from './support/request.ts'

const item = itemOf(1, 'user', 'x')
const carried = [{ id: 'c1', as: 'step' as const, text: 'Write the guide.' }]
const aboutCarried = taskText(requestOf([item], { carried }))
const systemPrompts = bundleKinds.flatMap((kind) => [systemPrompt(kind), systemPrompt(kind, true)])
const tasks = bundleKinds.flatMap((kind) => [
  taskText(requestOf([item], { kind })),
  taskText(requestOf([item], { kind, part: { number: 2, of: 5 } })),
  taskText(requestOf([item], { kind, earlier: emptySummary() })),
  taskText(requestOf([], { kind, earlier: emptySummary() })),
])

describe('the prompt', () => {
  it('has a version that changes with its words', () => {
    const hash = createHash('sha256').update([...systemPrompts, ...tasks, aboutCarried].join('\n'))
    // If this fails, the words changed: raise promptVersion and put the new hash here.
    expect([promptVersion, hash.digest('hex').slice(0, 12)]).toMatchInlineSnapshot(`
      [
        "summary-8",
        "5ee720e0cbc9",
      ]
    `)
  })

  it('names every field of the schema, so that it works with servers that ignore schemas', () => {
    for (const kind of bundleKinds) {
      const asked = `${systemPrompt(kind)}\n${taskText(requestOf([item], { kind, earlier: emptySummary(), carried }))}`
      for (const field of Object.keys(
        wireJsonSchema(kind, { updates: true, carries: true }).properties as object,
      ))
        expect(asked, `${kind}: ${field}`).toMatch(new RegExp(`^- ([\\w, ]+, )?${field}\\b`, 'm'))
    }
  })

  it('names every field of the short schema in its short form', () => {
    for (const kind of bundleKinds) {
      const asked = `${systemPrompt(kind, true)}\n${taskText(requestOf([item], { kind, earlier: emptySummary(), carried }))}`
      const form = { updates: true, carries: true, short: true }
      for (const field of Object.keys(wireJsonSchema(kind, form).properties as object))
        expect(asked, `${kind}: ${field}`).toMatch(new RegExp(`^- ([\\w, ]+, )?${field}\\b`, 'm'))
    }
  })

  it('takes half the tokens in its short form', () => {
    const { count } = tiktokenCounter()
    for (const kind of bundleKinds) {
      const size = (short: boolean) =>
        count(`${systemPrompt(kind, short)}${JSON.stringify(wireJsonSchema(kind, { short }))}`)
      expect(size(true)).toBeLessThan(size(false) * 0.6)
    }
  })

  it('takes less than its reserved tokens', () => {
    const counter = tiktokenCounter()
    for (const kind of bundleKinds)
      for (const task of tasks) {
        const all = [systemPrompt(kind), JSON.stringify(wireJsonSchema(kind, { updates: true })), task].join(
          '\n',
        )
        expect(counter.count(all) + 150).toBeLessThan(promptTokens)
      }
  })

  it('takes few tokens more for what earlier sessions left', () => {
    const { count } = tiktokenCounter()
    const size = (carries: boolean, task: string) =>
      count(`${JSON.stringify(wireJsonSchema('context', { carries }))}${task}`)
    expect(size(true, aboutCarried) - size(false, taskText(requestOf([item])))).toBeLessThan(150)
  })

  it('says what part of the session it shows, and how long the answer may be', () => {
    expect(taskText(requestOf([item], { part: { number: 2, of: 5 }, maxTokens: 1000 }))).toMatch(
      /part 2 of 5[\s\S]*about 500 words in all: summary 90/,
    )
  })

  it('contains no text of any request', () => {
    expect(systemPrompt('plan')).toBe(systemPrompt('plan'))
    expect(taskText(requestOf([itemOf(1, 'user', 'secret words')]))).not.toContain('secret')
  })
})
