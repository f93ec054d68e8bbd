import { expect, it } from 'vitest'
import { pointLine, pointParts } from '../../src/bundle/point-line.ts'
import { checkHint } from '../../src/bundle/session-summary.ts'

const request = 'pick a claim, draw the lid, glaze it, fire it, and then report what came of it in the notes'
const call = `Bash (Commit the lid): ${'cd kiln && '.repeat(40)}git commit`

it('a resume point has a short line with the task and the call that has no result', () => {
  const action = `Continue: glaze the lid. Asked for: ${request}. Last: I commit it. ${checkHint}: ${call}.`
  expect(pointParts(action)).toEqual([
    'Continue: glaze the lid.',
    `Asked for: ${request}.`,
    `Last: I commit it. ${checkHint}: ${call}.`,
  ])
  expect(pointLine(action)).toMatch(
    /^Continue: glaze the lid\. No result in the log, check .*\(Commit the lid\)/,
  )
  for (const text of [action, `Continue: ${request.repeat(4)}. Last: ${call}`])
    expect(pointLine(text).length).toBeLessThanOrEqual(162)
  const waits = 'Waits for a word of the user: say the word and I run `git push`.'
  expect(pointLine(`Delivered: commit 1a2b3c4 ${request}. ${waits}`)).toBe(waits)
  expect(pointLine('Add the rim')).toBe('Add the rim')
})
