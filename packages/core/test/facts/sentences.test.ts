import { describe, expect, it } from 'vitest'
import { sentenceTexts, splitSentences } from '../../src/facts/constraints/sentences.ts'

const quoted = (...lines: string[]) =>
  splitSentences(lines.join('\n'))
    .filter((sentence) => sentence.quoted)
    .map(({ text }) => text)
const own = (...lines: string[]) =>
  splitSentences(lines.join('\n'))
    .filter((sentence) => !sentence.quoted)
    .map(({ text }) => text)
const listed = (...lines: string[]) =>
  splitSentences(lines.join('\n'))
    .filter((sentence) => sentence.listed)
    .map(({ text }) => text)

it('splitting with positions gives the same sentences', () => {
  const text =
    'Rules:\n- one file. It is small.\n\n> quoted\n\n## Output\n```\ncode. here\n```\nThis is a long\nline. So.\n    at a (b.ts:1:2)'
  expect(sentenceTexts(text)).toEqual(splitSentences(text).map((sentence) => sentence.text))
  expect(sentenceTexts(text)).toContain('This is a long line.')
})

it('a sentence that continues after brackets does not end inside them', () => {
  expect(
    own('Then remove the old parts (a.ts and b.ts, right? nothing else), and list the new ones. Then rest.'),
  ).toEqual([
    'Then remove the old parts (a.ts and b.ts, right? nothing else), and list the new ones.',
    'Then rest.',
  ])
  expect(own('Keep (for now. The rest goes) them.')).toEqual(['Keep (for now.', 'The rest goes) them.'])
})

it('a sentence does not end inside code, nor with a quote after which it continues', () => {
  expect(own('The line "Bake it." is not needed. "Cool it." Then rest.')).toEqual([
    'The line "Bake it." is not needed.',
    '"Cool it."',
    'Then rest.',
  ])
  expect(own('Run `git add ... && git commit ...` so that it is one call. Then rest.')).toEqual([
    'Run `git add ... && git commit ...` so that it is one call.',
    'Then rest.',
  ])
  expect(own('Mind the ` there. It is alone.\nAnd rest.')).toContain('And rest.')
})

describe('binding lists', () => {
  it('end with the first paragraph after them', () => {
    expect(listed('Constraints:', '- Node 22', '- one file', '', 'Then run it.', '- and again')).toEqual([
      'Node 22',
      'one file',
    ])
  })

  it('follow a Markdown heading until the next one', () => {
    expect(listed('## Rules', 'Some words.', '- small', '## Steps', '- build it')).toEqual(['small'])
  })

  it('may be on one line', () => {
    expect(listed('Constraints: Node 22, one file.')).toEqual(['Constraints: Node 22, one file.'])
  })

  it('bind by the first sentence of an item only', () => {
    expect(listed('Rules:', '- One file. It is easier to read.')).toEqual(['One file.'])
  })

  it('have a title that forbids, and no other title', () => {
    const under = (...lines: string[]) => splitSentences(lines.join('\n')).map((sentence) => sentence.under)
    expect(under('Do not:', '- touch the lexer', '- add files')).toEqual([undefined, 'Do not', 'Do not'])
    expect(under('## You must never', '- push')).toEqual([undefined, 'You must never'])
    expect(under('Rules:', '- one file')).toEqual([undefined, undefined])
  })

  it('do not include other lists', () => {
    expect(listed('Steps:', '- build it', '- ship it')).toEqual([])
  })
})

describe('text that the user did not write', () => {
  it('is between the tags of a document', () => {
    const lines = ['<issue_description>', 'It must be blue.', '</issue_description>', 'Never change the API.']
    expect(quoted(...lines)).toEqual(['It must be blue.'])
    expect(own(...lines)).toEqual(['Never change the API.'])
  })

  it('follows a line that introduces it, up to the end of its list', () => {
    const lines = ['Fix these review comments:', '1. Never block here.', '2. Keep it.', '', 'Do not commit.']
    expect(quoted(...lines)).toEqual(['Never block here.', 'Keep it.'])
    expect(own(...lines)).toContain('Do not commit.')
  })

  it('does not include the findings that a task for an agent mentions', () => {
    const task = 'You are the second reviewer and you never push. '
    const text = 'Rule on each of them with evidence from the code. '.repeat(8).trim()
    expect(quoted(task, '', 'MINOR: the label.', text)).toEqual([])
  })

  it('is above a last line with a question about it', () => {
    const text = 'The loader never closes its file and must be fixed. '.repeat(6).trim()
    expect(own(text, '', text, '', 'can you explain this?')).toEqual(['can you explain this?'])
  })

  it('is written in the voice of a review', () => {
    const finding = 'Medium Severity'
    const text = 'The handle must be closed, or the pool runs dry under load. '.repeat(5).trim()
    expect(own(finding, '', text)).toEqual([])
  })

  it('cites lines of code and addresses nobody, or is a list of paragraphs', () => {
    const prose = 'The split of the edits must be precise, as all data is there. '.repeat(4).trim()
    expect(own(prose, '', 'Instead of lines 35-36, the sum must be exact.')).not.toContain(
      'Instead of lines 35-36, the sum must be exact.',
    )
    expect(own(prose, '', 'In kiln.ts:35 we must keep the sum.')).toContain(
      'In kiln.ts:35 we must keep the sum.',
    )
    const item = 'The lid stays open, which is fine unless you see it in a log (kiln/lid.ts:82). '.repeat(4)
    expect(own(`1. ${item}`, `2. ${item}`)).toEqual([])
  })

  it('is in the lines of a blockquote, unless the whole message is one', () => {
    expect(own('> never do this', 'What do you say to it?')).toEqual(['What do you say to it?'])
    expect(own('> never do this', '> keep that')).toEqual(['never do this', 'keep that'])
  })

  it('does not include a message that begins with "ok"', () => {
    expect(own('ok keep the old one')).toEqual(['ok keep the old one'])
    expect(own('ok  example.com/pkg 0.31s')).toEqual([])
  })
})
