import { expect, it } from 'vitest'
import { pastedPieces, piecesOf } from '../../src/brief/passage.ts'

const pastedOf = (message: string) => {
  const pieces = piecesOf(message)
  const pasted = pastedPieces(pieces)
  return pieces.filter((_, at) => pasted[at]).map((piece) => piece.trim())
}

it('finds the frames of a stack, and the text between them', () => {
  expect(
    pastedOf(
      'The tree breaks. Please fix it.\nError in the console:\n    at div\n    at Tree (http://localhost:3000/app.js:58:3)\nCaught here\n    at render (app.js:12:20)\n\nIt worked before.',
    ),
  ).toEqual([
    'at div',
    'at Tree (http://localhost:3000/app.js:58:3)',
    'Caught here',
    'at render (app.js:12:20)',
  ])
})

it('finds records of a log and commits', () => {
  expect(
    pastedOf(
      'Still wrong:\n{"level":"INFO","msg":"stop"}\n* commit d49d2c3c21fb\n|   Author: Ana <ana@example.com>\n2026-02-15T15:06:04Z done\nWhy?',
    ),
  ).toHaveLength(4)
})

it('does not treat words of the user as pasted', () => {
  expect(pastedOf('1. Keep the API of `KeyValueStore`.\n2. No Docker, e.g. in CI.\n- at most 300')).toEqual(
    [],
  )
})
