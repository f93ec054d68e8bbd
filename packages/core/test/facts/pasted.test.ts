import { describe, expect, it } from 'vitest'
import { splitPasted } from '../../src/facts/pasted.ts'

const trace = Array.from(
  { length: 20 },
  (_, index) => `    at run${index} (http://localhost:3000/chunk-z33mq3ks.js:${35000 + index}:28)`,
).join('\n')

describe('splitPasted', () => {
  it('separates a pasted stack trace from the words around it', () => {
    const pieces = splitPasted(
      `I get this when I click the tree:\n${trace}\nPlease fix it, and keep the list as it is.`,
    )
    expect(pieces.map(({ pasted }) => pasted)).toEqual([false, true, false])
    expect(pieces[1]?.text).toBe(trace)
  })

  it('returns the whole message when its pieces are joined', () => {
    const message = `one two three four\n\n${trace}\n\n\nfive\n`
    expect(
      splitPasted(message)
        .map(({ text }) => text)
        .join('\n'),
    ).toBe(message)
  })

  it('treats messages inside a log as part of it', () => {
    const log = Array.from({ length: 31 }, (_, index) =>
      index % 3 === 2
        ? 'Connection to the server was lost again'
        : `12:00:${index} 10.0.0.${index} 0x${index}f 443`,
    ).join('\n')
    expect(splitPasted(`${log}\n${log}`).map(({ pasted }) => pasted)).toEqual([true])
  })

  it.each([
    [
      'a list of demands',
      Array.from({ length: 30 }, (_, index) => `- the button number ${index} must not be blue`).join('\n'),
    ],
    ['a short snippet', 'Use this:\nconst a = 1\nconst b = 2\nplease'],
    ['Chinese', Array.from({ length: 30 }, () => '請幫我檢查一下這個檔案，並且更新說明文件').join('\n')],
    ['one word', 'yes'],
    ['nothing', ''],
  ])('keeps %s as words', (_, message) => {
    expect(splitPasted(message)).toEqual([{ text: message, pasted: false }])
  })
})
