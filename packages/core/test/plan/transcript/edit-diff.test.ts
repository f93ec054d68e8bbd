import { describe, expect, it } from 'vitest'
import { editDiff } from '../../../src/plan/transcript/edit-diff.ts'

describe('editDiff', () => {
  it('shows removed and added lines, without those that stay', () => {
    const input = { old_string: 'keep\nold value\nend', new_string: 'keep\nnew value\nend' }
    expect(editDiff(input)).toBe('-old value\n+new value')
  })

  it('shows a removal alone', () => {
    expect(editDiff({ old_string: 'a\nb\nc', new_string: 'a\nc' })).toBe('-b')
  })

  it('shows each edit of several', () => {
    const edits = [
      { old_string: 'a', new_string: 'b' },
      { old_string: 'c', new_string: 'd' },
    ]
    expect(editDiff({ edits })).toBe('-a\n+b\n-c\n+d')
  })

  it('shows lines that only changed their order', () => {
    expect(editDiff({ old_string: 'a\nb', new_string: 'b\na' })).toBe('-a\n-b\n+b\n+a')
  })

  it('keeps the changes of a patch', () => {
    const patch = '*** Begin Patch\n*** Update File: a.ts\n@@ run\n same\n-old\n+new\n*** End Patch'
    expect(editDiff(patch)).toBe('*** Update File: a.ts\n@@ run\n-old\n+new')
  })

  it('is the text of a file that is written whole', () => {
    expect(editDiff({ file_path: 'a.md', content: 'one\ntwo' })).toBe('one\ntwo')
  })
})
