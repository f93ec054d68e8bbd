// Makes a static site in `site`: the API reference from the docstrings, the documents, and the page of an example session.
// TypeDoc needs the compiler of TypeScript 6 as a library, which TypeScript 7 has not: both are fetched for this run only.
import { execFileSync } from 'node:child_process'

const run = (command, ...args) => execFileSync(command, args, { stdio: 'inherit' })
run('npx', '--yes', '-p', 'typedoc@0.28.20', '-p', 'typescript@6.0', 'typedoc')
const session = 'examples/logs/claude-code-rate-limiter.jsonl'
run(process.execPath, 'packages/cli/bin/tenfold.js', 'view', session, '-o', 'site/demo.html')
