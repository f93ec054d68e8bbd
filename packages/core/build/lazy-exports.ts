import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Plugin } from 'rolldown'

/**
 * Makes an entry load the modules of its async functions at their first call: whoever calls one waits anyway, and most
 * programs call one or two. All else that the entry exports stays as it is.
 */
export function lazyExports(entry: RegExp): Plugin {
  return {
    name: 'lazy-exports',
    load: {
      filter: { id: entry },
      handler: (id) =>
        readFileSync(id, 'utf8').replace(
          /^export \{([^}]*)\} from '(\.[^']+)'/gm,
          (_, list: string, path: string) => {
            const module = readFileSync(join(dirname(id), path), 'utf8')
            const isAsync = (name: string) =>
              new RegExp(`^export async function ${name}\\b`, 'm').test(module)
            const names = list.split(',').flatMap((name) => name.trim() || [])
            const others = names.filter((name) => !isAsync(name)).join(', ')
            const lines = names
              .filter(isAsync)
              .map((name) => `export const ${name} = async (...a) => (await import('${path}')).${name}(...a)`)
            return [`export { ${others} } from '${path}'`, ...lines].slice(others === '' ? 1 : 0).join('\n')
          },
        ),
    },
  }
}
