import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { readSession } from '../../src/readers/read-session.ts'

it('reads the one session of a folder', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'pi-'))
  try {
    const name = '2026-05-04T08-00-00-000Z_019f0000-bbbb-7000-8000-000000000001.jsonl'
    await writeFile(join(folder, name), readFileSync(new URL('../fixtures/pi/tree.jsonl', import.meta.url)))
    expect(await readSession(folder)).toMatchObject({ format: 'pi', title: 'Round carts' })
  } finally {
    await rm(folder, { recursive: true })
  }
})
