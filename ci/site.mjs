import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

// The configuration of the site, which make-docs.mjs copies beside the documents.
const pages = join(import.meta.dirname, '..')
const titleOf = (path) => /^# (.+)/m.exec(readFileSync(join(pages, path), 'utf8'))?.[1] ?? path
const linkTo = (path) => ({
  text: titleOf(path),
  link: `/${path.replace(/index\.md$/, '').replace(/\.md$/, '')}`,
})
const inFolder = (folder) =>
  readdirSync(join(pages, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name}`)
const api = readdirSync(join(pages, 'api'), { recursive: true }).filter(
  (name) => name.endsWith('index.md') && name !== 'index.md',
)

const sidebar = [
  { text: 'Start', items: ['README.md', 'docs/concepts.md', 'docs/agents.md'].map(linkTo) },
  { text: 'Guides', items: inFolder('docs/guides').map(linkTo) },
  {
    text: 'Extend',
    items: ['reader', 'summarizer', 'storage'].map((what) => linkTo(`docs/add-a-${what}.md`)),
  },
  {
    text: 'Reference',
    items: ['functions', 'commands', 'models', 'errors', 'numbers', 'queue'].map((name) =>
      linkTo(`docs/${name}.md`),
    ),
  },
  {
    text: 'Packages',
    collapsed: true,
    items: readdirSync(join(pages, 'packages')).map((name) => linkTo(`packages/${name}/README.md`)),
  },
  {
    text: 'All functions and types',
    collapsed: true,
    items: api.sort().map((name) => linkTo(`api/${name}`)),
  },
  { text: 'Project', collapsed: true, items: ['CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md'].map(linkTo) },
]

export default {
  title: 'Tenfold',
  description:
    "An agent's session as a bundle of 5–10 % of its tokens, with which the next one picks up the work.",
  cleanUrls: false,
  // Files of the repository that are no pages, such as examples.
  ignoreDeadLinks: [(url) => !existsSync(join(pages, url))],
  themeConfig: {
    nav: [
      { text: 'Guides', link: '/docs/guides/session-end' },
      { text: 'Functions', link: '/docs/functions' },
      { text: 'Demo', link: '/demo.html', target: '_self' },
    ],
    sidebar,
    search: { provider: 'local' },
    outline: [2, 3],
  },
  markdown: {
    config(md) {
      // A link to what is no page, such as an example, names the file only.
      const render =
        md.renderer.rules.link_open ??
        ((tokens, at, options, _, self) => self.renderToken(tokens, at, options))
      md.renderer.rules.link_open = (tokens, at, options, env, self) => {
        const href = tokens[at].attrGet('href') ?? ''
        const [path] = href.split('#')
        const target = join(dirname(env.relativePath ?? ''), path ?? '')
        if (path !== '' && !/^[a-z]+:|^\//.test(href) && !path.endsWith('.md')) {
          if (!existsSync(join(pages, target))) tokens[at].attrSet('href', '#')
        }
        return render(tokens, at, options, env, self)
      }
    },
  },
}
