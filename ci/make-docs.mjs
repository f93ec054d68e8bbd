// Makes the site in `site`: Start, Guides and Reference of the documents, the functions from the comments in the code, and
// the page of an example session. VitePress and TypeDoc, which needs the compiler of TypeScript 6 as a library, are
// installed into a folder for this run only, so that nobody else waits for them.
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { deadLinks } from './dead-links.mjs'

const root = resolve(import.meta.dirname, '..')
const work = mkdtempSync(join(tmpdir(), 'tenfold-docs-'))
const run = (command, args, cwd) => execFileSync(command, args, { stdio: 'inherit', cwd })

writeFileSync(join(work, 'package.json'), '{ "private": true, "type": "module" }')
const tools = ['vitepress@1.6.4', 'typedoc@0.28.20', 'typedoc-plugin-markdown@4.14.1', 'typescript@6.0']
console.log(`Fetching ${tools.join(', ')} from the npm registry, for this run only.`)
run('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', ...tools], work)

// The documents, at the places that they have in the repository, so that their links hold.
const pages = join(work, 'pages')
const documents = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md', 'docs']
for (const name of documents) cpSync(join(root, name), join(pages, name), { recursive: true })
const packages = readdirSync(join(root, 'packages'))
for (const name of packages) {
  mkdirSync(join(pages, 'packages', name), { recursive: true })
  cpSync(join(root, 'packages', name, 'README.md'), join(pages, 'packages', name, 'README.md'))
}
cpSync(join(root, 'README.md'), join(pages, 'index.md'))
cpSync(join(root, 'ci/site.mjs'), join(pages, '.vitepress/config.mjs'))

// One page of functions for each entry that a program can import, but those for our own packages.
const entries = packages.flatMap((name) => {
  const { exports } = JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8'))
  return Object.entries(exports).flatMap(([path, target]) => {
    const types = target.types?.replace('./dist/', 'src/').replace('.d.ts', '.ts')
    return types === undefined || path.startsWith('./internal') ? [] : [join('packages', name, types)]
  })
})
run(
  process.execPath,
  [
    join(work, 'node_modules/typedoc/bin/typedoc'),
    ...entries,
    ...['--plugin', join(work, 'node_modules/typedoc-plugin-markdown/dist/index.js')],
    ...['--tsconfig', 'tsconfig.base.json', '--skipErrorChecking', '--disableSources', '--excludeInternal'],
    ...['--readme', 'none', '--hidePageHeader', '--hideBreadcrumbs', '--outputFileStrategy', 'modules'],
    ...['--entryFileName', 'index', '--useHTMLEncodedBrackets', '--excludeExternals', '--logLevel', 'Error'],
    ...['--out', join(pages, 'api')],
  ],
  root,
)

run(join(work, 'node_modules/.bin/vitepress'), ['build', 'pages'], work)
rmSync(join(root, 'site'), { recursive: true, force: true })
cpSync(join(pages, '.vitepress/dist'), join(root, 'site'), { recursive: true })
cpSync(join(root, 'llms.txt'), join(root, 'site/llms.txt'))
const session = 'examples/logs/claude-code-rate-limiter.jsonl'
run(process.execPath, ['packages/cli/bin/tenfold.js', 'view', session, '-o', 'site/demo.html'], root)
rmSync(work, { recursive: true, force: true })

const dead = deadLinks('site')
if (dead.length > 0) {
  console.error(`Links that lead nowhere:\n${dead.join('\n')}`)
  process.exitCode = 1
}
