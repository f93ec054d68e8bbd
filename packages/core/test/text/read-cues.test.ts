import { expect, it } from 'vitest'
import { cueFinder } from '../../src/text/read-cues.ts'

const cues = cueFinder(`
where verb: use|keep
choice:
  let's {verb}|so only|решил
  决定
reason: because|car
`)

it.each([
  ['Let’s use a pool because it is fast.', 0, 17],
  ['It is slow, so only the pool helps.', 12, -1],
  ['We lock (because of the pool).', -1, 9],
  ['Je garde le verrou, car il protège.', -1, 20],
  ['The carpet, car by car.', -1, 12],
  ['A carpet and a scar. Because_of is a name.', -1, -1],
  ['Ярешил так.', -1, -1],
  ['我们决定用它', 2, -1],
])(
  'finds the first cue of a heading as whole words, anywhere in scripts without spaces: %s',
  (text, choice, reason) => {
    expect([cues.at('choice', text), cues.at('reason', text)]).toEqual([choice, reason])
  },
)

it('recognizes the beginning of a sentence, and a whole sentence', () => {
  expect([cues.begins('reason', 'Because it is so'), cues.begins('reason', 'Not because')]).toEqual([
    true,
    false,
  ])
  expect([cues.is('choice', 'so only'), cues.is('choice', 'so only this')]).toEqual([true, false])
})
