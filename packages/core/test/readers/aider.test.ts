import { expect, it } from 'vitest'
import { extractFacts } from '../../src/facts/extract-facts.ts'
import { readSession } from '../../src/readers/read-session.ts'

const edit = (path: string, before: string, after: string) =>
  `${path}\n\`\`\`ts\n<<<<<<< SEARCH\n${before}=======\n${after}>>>>>>> REPLACE\n\`\`\`\n`

it('counts what edits of aider change, and what its commands did', async () => {
  const text = `
# aider chat started at 2025-07-15 11:38:37

> Main model: gpt-4o with diff edit format  

#### Add the rates  

${edit('src/new.ts', '', 'a\nb\n')}
${edit('src/empty.ts', '', 'a\n')}
${edit('src/same.ts', 'a\nb\n', 'a\nb\n')}
${edit('src/one.ts', 'a\nb\nc\n', 'a\nx\nc\n')}
${edit('src/gone.ts', 'a\n', 'b\n')}
> src/new.ts  
> Create new file? (Y)es/(N)o [Yes]: y  
> Applied edit to src/new.ts  
> Applied edit to src/empty.ts  
> Applied edit to src/same.ts  
> Applied edit to src/one.ts  
> Applied edit to src/gone.ts  
> Commit 1234567 feat: add the rates  
> git push origin main  
> Run shell command? (Y)es/(N)o/(D)on't ask again [Yes]: y  
> Running git push origin main  
> Added 50 lines of output to the chat.  
> Running rm src/gone.ts  
> Commit 2345678 feat: round the rates  
`
  const bytes = new TextEncoder().encode(text)
  const { commands, files, git } = extractFacts(await readSession(bytes, { format: 'aider' }))
  expect(files.map(({ path, status, added, removed }) => [path, status, added, removed])).toEqual([
    ['src/new.ts', 'created', 2, 0],
    ['src/empty.ts', 'modified', 1, 0],
    ['src/same.ts', 'read', undefined, undefined],
    ['src/one.ts', 'modified', 1, 1],
    ['src/gone.ts', 'deleted', 1, 1],
  ])
  expect(commands.map(({ command }) => command)).toEqual(['git push origin main', 'rm src/gone.ts'])
  expect(git.commits.map(({ sha, pushed }) => [sha, pushed])).toEqual([
    ['1234567', 'unknown'],
    ['2345678', undefined],
  ])
})
