// Makes a static site in `site`: the API reference from the docstrings, the documents, and the page of an example session.
// TypeDoc needs the compiler of TypeScript 6 as a library, which TypeScript 7 has not: both are fetched for this run only.
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { deadLinks } from './dead-links.mjs'

const run = (command, ...args) => execFileSync(command, args, { stdio: 'inherit' })
run('npx', '--yes', '-p', 'typedoc@0.28.20', '-p', 'typescript@6.0', 'typedoc')
const session = 'examples/logs/claude-code-rate-limiter.jsonl'
run(process.execPath, 'packages/cli/bin/tenfold.js', 'view', session, '-o', 'site/demo.html')

// TypeDoc writes the links of the navigation as they are given, also on pages in folders.
for (const name of readdirSync('site', { recursive: true })) {
  if (!name.endsWith('.html') || dirname(name) === '.') continue
  const page = readFileSync(join('site', name), 'utf8')
  writeFileSync(join('site', name), page.replaceAll('href="demo.html"', 'href="../demo.html"'))
}
const dead = deadLinks('site')
if (dead.length > 0) {
  console.error(`Links that lead nowhere:\n${dead.join('\n')}`)
  process.exitCode = 1
}
