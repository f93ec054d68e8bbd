import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { loadDump, restoreDump } from '../../src/entries/halt.ts'
import { memoryStorage } from '../../src/storage/memory-storage.ts'
import { makeFolder, makeRepository } from '../git/repository.ts'
import { assistant, makeSession, shell, user } from '../support/session.ts'
import { dumpTo, jsonOf, textsOf, treeOf } from './support.ts'

const token = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`
const password = 'kX9vQ27ztmW4rT'
const variable = 'only-the-environment-knows-9'

function repositoryWithSecrets() {
  const repository = makeRepository()
  repository.commit({
    'plain.ts': 'export const a = 1\n',
    'old.env': `A=1\nB=2\nC=3\nD=4\nTOKEN=${token}\n`,
    'near.env': `A=1\nTOKEN=${token}\nC=3\n`,
    'removed.env': `TOKEN=${token}\n`,
    'kept.env': `TOKEN=${token}\n# kept\n`,
    'moved.env': `SECRET_KEY=${token}\n`,
    '.gitattributes': '*.lock -diff\n',
  })
  repository.write({
    'plain.ts': 'export const a = 2\n',
    'old.env': `A=2\nB=2\nC=3\nD=4\nTOKEN=${token}\n`,
    'near.env': `A=1\nTOKEN=${token}\nC=4\n`,
    'new.env': `A=1\nDB_PASSWORD=${password}\n# ${variable}\nlast\n`,
    'text.lock': `token: ${token}\n`,
    'noise.txt': `see ${password} here\n`,
  })
  repository.git('rm', '--quiet', 'removed.env')
  repository.git('mv', 'moved.env', `to-${token}`)
  repository.git('mv', 'kept.env', 'came.env')
  return repository
}

const halt = {
  details: { note: `Bearer ${token}` },
  stateKey: `redis://user:${password}@localhost/1`,
  nextCommand: `curl -H "Authorization: Bearer ${token}" https://example.com`,
  agent: {
    prompt: `Use ${token}`,
    stdout: `export DB_PASSWORD=${password}`,
    stderr: `${variable}`,
    conversation: makeSession([
      user(`my password: ${password}`),
      assistant(`It is ${password}.`),
      ...shell(
        'c1',
        `deploy --token ${token}`,
        JSON.stringify({ env: variable, escaped: JSON.stringify(token) }),
      ),
    ]),
  },
  readState: async () => JSON.stringify({ token, nested: { again: variable } }),
}
const env = { PATH: `/bin:${variable}`, MY_API_KEY: variable, NODE_OPTIONS: `--token=${token}` }

describe('secrets in a dump', () => {
  it('reach no part of the storage, and each part reports how many it had', async () => {
    const repository = repositoryWithSecrets()
    const storage = memoryStorage()
    const given = { ...halt, sandboxRoot: repository.path }
    const { haltId, parts, secrets, notes } = await dumpTo(storage, given, {
      env,
      snapshots: ['noise.txt', 'new.env'],
    })
    for (const [key, text] of await textsOf(storage))
      for (const secret of [token, password, variable]) expect(text, key).not.toContain(secret)
    expect(secrets).toBeGreaterThanOrEqual(3)
    const redacted = new Map(parts.map((part) => [part.path, part.redacted ?? 0]))
    for (const path of ['agent/conversation.jsonl', 'agent/execution-context.json', 'agent/tool-calls.json'])
      expect(redacted.get(path), path).toBeGreaterThan(0)
    const { files } = await jsonOf(storage, haltId, 'filesystem/file-manifest.json')
    const marked = files.filter((file: { redacted?: number }) => file.redacted)
    expect(marked.map((file: { path: string }) => file.path)).toEqual([
      ...['came.env', 'near.env', 'new.env', 'noise.txt', 'old.env', 'text.lock'],
      'to-[redacted:github-token]',
    ])
    expect(notes).toMatchObject([{ code: 'patch-left-out', message: expect.stringContaining('removed.env') }])
    // The secret of old.env is at the top of the file, far from the change, so the patch does not show it.
    expect((await textsOf(storage)).get(`dumps/${haltId}/filesystem/git-diff.patch`)).toMatch(
      /^diff --git a\/old\.env [\s\S]*\ndiff --git a\/plain\.ts [\s\S]*\+export const a = 2\n$/,
    )
  })

  it('leave files with marks, which restoreDump names', async () => {
    const repository = repositoryWithSecrets()
    const storage = memoryStorage()
    const { haltId } = await dumpTo(storage, { sandboxRoot: repository.path }, { env })
    const folder = join(makeFolder().path, 'new')
    const restored = await restoreDump(await loadDump(storage, haltId), folder, {
      repository: repository.path,
    })
    expect(restored.ok).toBe(true)
    expect(restored.findings.map(({ code, path }) => `${code} ${path}`).sort()).toEqual([
      'redacted came.env',
      'redacted near.env',
      'redacted new.env',
      'redacted noise.txt',
      'redacted old.env',
      'redacted text.lock',
      'redacted to-[redacted:github-token]',
    ])
    expect(treeOf(folder)['plain.ts']).toBe(treeOf(repository.path)['plain.ts'])
    expect(existsSync(join(folder, 'removed.env'))).toBe(false)
    expect(readFileSync(join(folder, 'new.env'), 'utf8')).toBe(
      'A=1\nDB_PASSWORD=[redacted:password]\n# [redacted:known-value]\nlast\n',
    )
  })

  it('remain if redaction is switched off', async () => {
    const repository = repositoryWithSecrets()
    const storage = memoryStorage()
    const { haltId, secrets } = await dumpTo(
      storage,
      { ...halt, sandboxRoot: repository.path },
      { env, redactors: [] },
    )
    expect(secrets).toBe(0)
    const restored = await restoreDump(await loadDump(storage, haltId), join(makeFolder().path, 'new'), {
      repository: repository.path,
    })
    expect(restored).toMatchObject({ ok: true, findings: [] })
    expect((await jsonOf(storage, haltId, 'agent/execution-context.json')).prompt).toBe(`Use ${token}`)
  })

  it('in files that replaced others do not prevent restoring these', async () => {
    const repository = makeRepository()
    const secret = `TOKEN=${token}\n`
    repository.commit({
      'folder/old.env': secret,
      'file.env': secret,
      'becomes-link': secret,
      'b.txt': 'b\n',
    })
    repository.git('rm', '--quiet', '-r', 'folder', 'file.env', 'becomes-link')
    repository.write({ folder: 'a file now\n', 'file.env/inner.txt': 'in a folder now\n', 'b.txt': 'B\n' })
    symlinkSync('b.txt', join(repository.path, 'becomes-link'))
    const storage = memoryStorage()
    const { haltId } = await dumpTo(storage, { sandboxRoot: repository.path })
    for (const text of (await textsOf(storage)).values()) expect(text).not.toContain(token)
    const folder = join(makeFolder().path, 'new')
    const restored = await restoreDump(await loadDump(storage, haltId), folder, {
      repository: repository.path,
    })
    expect(restored).toMatchObject({ ok: true, findings: [] })
    expect(treeOf(folder)).toEqual(treeOf(repository.path))
  })

  it('of several lines keep the number of lines in the file that is stored whole', async () => {
    const repository = makeRepository()
    repository.commit({ 'a.txt': 'a\n' })
    const body = Array.from(
      { length: 6 },
      (_, index) => `${index}`.repeat(4) + 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASC'.repeat(2),
    )
    const key = ['-----BEGIN PRIVATE KEY-----', ...body, '-----END PRIVATE KEY-----'].join('\n')
    repository.write({ 'key.pem': `before\n${key}\nafter\n`, 'other.txt': 'b\n' })
    const storage = memoryStorage()
    const { haltId } = await dumpTo(storage, { sandboxRoot: repository.path })
    for (const text of (await textsOf(storage)).values()) expect(text).not.toContain('MIIEvQIBADAN')
    const folder = join(makeFolder().path, 'new')
    const restored = await restoreDump(await loadDump(storage, haltId), folder, {
      repository: repository.path,
    })
    expect(restored.findings).toMatchObject([{ code: 'redacted', path: 'key.pem' }])
    expect(treeOf(folder)['other.txt']).toBe(treeOf(repository.path)['other.txt'])
  })

  it('in binary files exclude these from the dump, with a note', async () => {
    const repository = makeRepository()
    repository.commit({ 'a.txt': 'a\n' })
    const wide = Buffer.from(`TOKEN=${token}`, 'utf16le')
    const files = {
      'blob.bin': Buffer.from(`\0\u0001 TOKEN=${token}\0end`),
      'wide.txt': wide,
      'log.gz': gzipSync(`TOKEN=${token}\n`),
      'clean.bin': Buffer.from('\0\u0001 nothing to hide\0'),
      'packed.zip': Buffer.from('PK\u0003\u0004\0nothing to see'),
    }
    for (const [name, bytes] of Object.entries(files)) writeFileSync(join(repository.path, name), bytes)
    const storage = memoryStorage()
    const { haltId } = await dumpTo(
      storage,
      { sandboxRoot: repository.path },
      { snapshots: Object.keys(files) },
    )
    const stored = await textsOf(storage)
    for (const [name, text] of stored)
      for (const secret of [token, wide.toString('latin1'), files['log.gz'].toString('latin1')])
        expect(text, name).not.toContain(secret)
    const { notes } = await jsonOf(storage, haltId, 'metadata.json')
    expect(notes).toMatchObject([
      { code: 'files-left-out', message: expect.stringMatching(/: blob\.bin, log\.gz, wide\.txt$/) },
      { code: 'files-not-searched', message: expect.stringMatching(/: packed\.zip$/) },
    ])
    expect([...stored.values()].some((text) => text.includes('nothing to hide'))).toBe(true)
  })
})
