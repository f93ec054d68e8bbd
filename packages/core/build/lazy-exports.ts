import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Plugin } from 'rolldown'

/**
 * Makes an entry load the modules of its async functions at their first call: whoever calls one waits anyway, and most
 * programs call one or two. All else that the entry exports stays as it is, and so do the modules of `kept`, which
 * other entries load at once.
 */
export function lazyExports(entry: RegExp, kept?: RegExp): Plugin {
  return {
    name: 'lazy-exports',
    load: {
      filter: { id: entry },
      handler: (id) =>
        readFileSync(id, 'utf8').replace(
          /^export \{([^}]*)\} from '(\.[^']+)'/gm,
          (line, list: string, path) => {
            if (kept?.test(path)) return line
            const module = readFileSync(join(dirname(id), path), 'utf8')
            const names = list.split(',').flatMap((name) => name.trim() || [])
            const lazy = names.map((name) => lazyLine(name, path, module))
            const others = names.filter((_, at) => lazy[at] === undefined).join(', ')
            const lines = lazy.filter((added) => added !== undefined)
            return [...(others === '' ? [] : [`export { ${others} } from '${path}'`]), ...lines].join('\n')
          },
        ),
    },
  }
}

/** The line that exports an async function or generator of a module; undefined for anything else. */
function lazyLine(name: string, path: string, module: string): string | undefined {
  const star = new RegExp(`^export async function(\\*?) ${name}\\b`, 'm').exec(module)?.[1]
  if (star === undefined) return undefined
  const call = `(await import('${path}')).${name}(...a)`
  return star === ''
    ? `export const ${name} = async (...a) => ${call}`
    : `export const ${name} = async function* (...a) { yield* ${call} }`
}
