import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { ContextBundle } from '../../src/bundle/schema.ts'
import { checkpointStore } from '../../src/checkpoint/checkpoint-store.ts'
import { resume } from '../../src/resume/resume.ts'
import { memoryStorage } from '../../src/storage/memory-storage.ts'
import { bundleStore } from '../../src/store/bundle-store.ts'
import { sampleBundle } from '../../src/testing/sample-bundle.ts'
import { tiktokenCounter } from '../../src/tokens/tiktoken-counter.ts'
import { makeCheckpoint } from '../checkpoint/make-checkpoint.ts'
import { makeFolder, makeRepository } from '../git/repository.ts'

type Files = ContextBundle['files']
const file = (path: string, status: Files[number]['status'], event: number): Files[number] => ({
  path,
  status,
  evidence: [`e${event}`],
})

async function storeWith(files: Files) {
  const store = bundleStore(memoryStorage())
  await store.save(sampleBundle({ files }))
  return store
}

describe('resume with the contents of files', () => {
  it('loads those of the checkpoint first, then the changed ones, the last first, and replaces secrets', async () => {
    const token = `ghp_${'aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xY1zA2'}`
    const repository = makeRepository()
    repository.commit({
      'read.md': '# Not a heading of the brief\n',
      'early.ts': 'early()\n',
      'late.ts': `late("${token}")\n`,
      'step.ts': 'step()\n',
    })
    const store = await storeWith([
      file('read.md', 'read', 9),
      file('early.ts', 'created', 2),
      file('late.ts', 'modified', 7),
      file('old.ts', 'deleted', 8),
    ])
    await checkpointStore(store.storage).save(makeCheckpoint({ files: [{ path: 'step.ts' }] }))
    const { text, files } = await resume({ store, files: { folder: repository.path, maxTokens: 2000 } })
    expect(files).toEqual({ loaded: ['step.ts', 'late.ts', 'early.ts', 'read.md'], left: [] })
    const contents = text.slice(text.indexOf('## Files as they are now (data)'))
    expect(contents).toContain('### early.ts\n> early()\n')
    expect(contents).toContain('\n> # Not a heading of the brief\n')
    expect(text).not.toContain(token)
    expect(text).not.toMatch(/^# Not/m)
  })

  it('takes a file whole or not at all, within the tokens, and lists what it left out', async () => {
    const folder = makeFolder()
    folder.write({
      'p/long.ts': 'long()\n'.repeat(500),
      'p/short.ts': 'short()\n',
      'p/blob.bin': 'a\0b',
      'secret.txt': 's',
    })
    symlinkSync(join(folder.path, 'secret.txt'), join(folder.path, 'p/link.ts'))
    const store = await storeWith([
      file('short.ts', 'modified', 1),
      file('long.ts', 'modified', 2),
      file('blob.bin', 'modified', 3),
      file('link.ts', 'modified', 4),
      file('gone.ts', 'modified', 5),
      file('../secret.txt', 'modified', 6),
    ])
    const plain = await resume({ store })
    const { text, tokens, files } = await resume({
      store,
      files: { folder: join(folder.path, 'p'), maxTokens: 100 },
    })
    expect(files?.loaded).toEqual(['short.ts'])
    expect(files?.left.map(({ path, reason }) => `${path} ${reason.replace(/\d+/, 'N')}`)).toEqual([
      'gone.ts gone',
      'link.ts outside of the folder',
      'blob.bin no text',
      'long.ts N tokens',
    ])
    expect(text).toBe(`${plain.text}\n## Files as they are now (data)\n\n### short.ts\n> short()\n`)
    expect(tokens).toBe(tiktokenCounter().count(text))
  })
})
