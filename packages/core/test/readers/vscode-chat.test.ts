import { describe, expect, it } from 'vitest'
import { applyChange } from '../../src/readers/vscode-chat/read.ts'

describe('a change', () => {
  it('sets, appends, cuts and deletes', () => {
    const chat = applyChange({}, { kind: 0, v: { requests: [{ response: [1, 2, 3] }] } }) ?? {}
    applyChange(chat, { kind: 2, k: ['requests', 0, 'response'], i: 1, v: [4] })
    applyChange(chat, { kind: 1, k: ['customTitle'], v: 'Cart' })
    expect(chat).toEqual({ requests: [{ response: [1, 4] }], customTitle: 'Cart' })
    applyChange(chat, { kind: 3, k: ['customTitle'] })
    applyChange(chat, { kind: 2, k: ['requests', 0, 'followups'], v: [5] })
    expect(chat).toEqual({ requests: [{ response: [1, 4], followups: [5] }], customTitle: undefined })
  })

  it('has the result that it should have if a line is damaged', () => {
    expect(applyChange({}, { kind: 2, k: ['requests', 0, 'response'], v: [1] })).toEqual({
      requests: [{ response: [1] }],
    })
    for (const requests of [null, 7, { a: { b: [] } }])
      for (const change of [
        { kind: 2, k: ['requests'], v: [{ response: [1] }] },
        { kind: 2, k: ['requests', 0, 'response'], v: [1] },
      ])
        expect(applyChange({ requests }, change)).toEqual({ requests: [{ response: [1] }] })
    for (const request of [null, 7, [1, null]])
      expect(applyChange({ requests: [request] }, { kind: 1, k: ['requests', 0, 'result'], v: {} })).toEqual({
        requests: [{ result: {} }],
      })
  })

  it('that does not fit is refused, and none reaches a prototype', () => {
    const chat = { requests: [], title: 'Cart', turns: [{}] }
    for (const change of [
      { kind: 1, k: ['requests', 2_000_000, 'x'], v: 1 },
      { kind: 1, k: ['requests', 2_000_000], v: 1 },
      { kind: 1, k: ['requests', -1], v: 1 },
      { kind: 1, k: ['title', 'length'], v: 1 },
      { kind: 1, k: ['turns', 'x', 'y'], v: 1 },
      { kind: 2, k: ['title'], v: [1] },
      { kind: 2, k: ['requests'], v: 'x' },
      { kind: 1, k: ['requests'], v: 7 },
      { kind: 1, k: ['requests'], v: null },
      { kind: 1, k: ['__proto__', 'polluted'], v: true },
      { kind: 1, k: ['__proto__'], v: { polluted: true } },
      { kind: 1, k: [], v: 1 },
      { kind: 0, v: 'x' },
    ])
      expect(applyChange(chat, change)).toBeUndefined()
    expect(chat).toEqual({ requests: [], title: 'Cart', turns: [{}] })
    applyChange(chat, { kind: 1, k: ['constructor', 'prototype', 'polluted'], v: true })
    expect('polluted' in {}).toBe(false)
  })
})
