import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { errorCodes } from '@tenfold/core'
import { describe, expect, it } from 'vitest'

// After a change of codes: UPDATE_DOCS=1 npx vitest run test/documents/errors-doc.test.ts
const root = resolve(import.meta.dirname, '../..')
const path = resolve(root, 'docs/errors.md')

const introduction = `# Errors

If something goes wrong that you can act on, Tenfold throws a \`TenfoldError\`: its \`code\` is stable, and its \`message\` describes what happened and what to do.
\`TenfoldError.isInstance(error)\` also recognizes errors of another copy of the package. With \`--json\`, the command prints code and message. Wrong options
throw a TypeError or a RangeError, and an abort rejects with the reason of its signal.

| code | meaning |
|---|---|
`

describe('the codes of errors', () => {
  it('are listed in docs/errors.md', () => {
    const rows = Object.entries(errorCodes).map(([code, meaning]) => `| \`${code}\` | ${meaning} |\n`)
    const text = `${introduction}${rows.join('')}`
    if (process.env.UPDATE_DOCS !== undefined) writeFileSync(path, text)
    expect(readFileSync(path, 'utf8')).toBe(text)
  })

  it('are all in use', () => {
    const sources = execFileSync('git', ['ls-files', 'packages/*/src/*.ts'], { cwd: root, encoding: 'utf8' })
      .split('\n')
      .filter((file) => file !== '' && file !== 'packages/core/src/errors.ts')
      .map((file) => readFileSync(resolve(root, file), 'utf8'))
      .join('\n')
    const inErrors = ['storage-conflict', 'storage-failed', 'invalid-bundle']
    const unused = Object.keys(errorCodes).filter(
      (code) => !inErrors.includes(code) && !sources.includes(`'${code}'`),
    )
    expect(unused).toEqual([])
    expect(sources).not.toContain("'no-such-code'")
  })
})
