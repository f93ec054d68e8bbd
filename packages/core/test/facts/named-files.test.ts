import { describe, expect, it } from 'vitest'
import { extractFacts } from '../../src/facts/extract-facts.ts'
import { assistant, makeSession, shell, user } from '../support/session.ts'

function namedIn(...drafts: Parameters<typeof makeSession>[0]): string[] {
  return extractFacts(makeSession(drafts)).namedFiles.map(({ path }) => path)
}

describe('files that were named and never opened', () => {
  it('are those that a tool printed and the agent mentioned, in the order of the last mention', () => {
    const names = namedIn(
      user('Where is the version set?'),
      ...shell(
        '1',
        'grep -rn 3.12 .',
        'pyproject.toml:6:requires >=3.12\nuv.lock:3:>=3.12\nnotes/old.md:9: 3.12',
      ),
      assistant('`uv.lock` and `pyproject.toml` still say 3.12, and so does uv.lock below.'),
    )
    expect(names).toEqual(['pyproject.toml', 'uv.lock'])
  })

  it('exclude files that no tool was given or printed', () => {
    expect(
      namedIn(user('Could it be in config/paths.yaml?'), assistant('I look at config/paths.yaml.')),
    ).toEqual([])
  })

  it('exclude an opened file that a prompt names with an @', () => {
    expect(
      namedIn(
        user('Can you shorten @apps/web/side-bar.tsx and @apps/web/top-bar.tsx?'),
        ...shell('1', 'ls apps/web', 'apps/web/side-bar.tsx\napps/web/top-bar.tsx'),
        ...shell('2', 'cat /repo/apps/web/side-bar.tsx', 'export {}'),
      ),
    ).toEqual(['@apps/web/top-bar.tsx'])
  })

  it('exclude the last word of an opened file whose name has spaces', () => {
    const names = namedIn(
      ...shell('1', 'ls docs', 'Größen Liste.md\nListe.txt'),
      ...shell('2', "cat 'docs/Größen Liste.md'", '# Größen'),
      assistant('docs/Größen Liste.md is read, Liste.txt is not.'),
    )
    expect(names).toEqual(['Liste.txt'])
  })

  it('exclude files that a call opened, under any spelling', () => {
    const names = namedIn(
      ...shell('1', 'cat src/deep/table.ts', 'export const table = 1'),
      ...shell('2', 'ls src/deep', 'src/deep/table.ts'),
      assistant('table.ts, deep/table.ts and src/deep/table.ts are the same file.'),
    )
    expect(names).toEqual([])
  })

  it('exclude output of tools that the agent put into a file', () => {
    const path = '/home/ann/.claude/projects/-shop/5f/tool-results/b1.txt'
    expect(namedIn(...shell('1', 'ls', path), assistant(`I read ${path} next.`))).toEqual([])
  })

  it('exclude files of commands, such as those that were staged', () => {
    expect(namedIn(...shell('1', 'git add CHANGES.md docs/plan.md', ''))).toEqual([
      'CHANGES.md',
      'docs/plan.md',
    ])
  })

  it('exclude files that an open error complains about', () => {
    const failed = shell('1', 'make', 'error: packages/ui/rollup.config.mjs: unknown option', {
      status: 'error',
    })
    expect(namedIn(...failed)).toEqual(['packages/ui/rollup.config.mjs'])
  })

  it('include folders, with a slash at the end', () => {
    const names = namedIn(
      ...shell('1', 'find . -name "*.svg"', './media/icons/a.svg\n./media/icons/b.svg'),
      assistant('All of them lie in `media/icons/`.'),
    )
    expect(names).toEqual(['media/icons/'])
  })

  it('exclude products, packages and URLs', () => {
    const names = namedIn(
      ...shell('1', 'npm ls', 'Next.js 15 node_modules/left-pad/index.js https://example.com/a/b.html'),
      assistant('Next.js comes with node_modules/left-pad/index.js, see https://example.com/a/b.html.'),
    )
    expect(names).toEqual([])
  })

  it('are at most sixty, those that were named last', () => {
    const all = Array.from({ length: 100 }, (_, at) => `src/part${at}.ts`)
    const names = namedIn(...shell('1', 'ls', all.join('\n')), assistant(all.join(', ')))
    expect(names).toHaveLength(60)
    expect(names.at(-1)).toBe('src/part99.ts')
  })
})
