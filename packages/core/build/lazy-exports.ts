import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Plugin } from 'rolldown'

/**
 * Loads the modules of async functions at the first call: `import` of the package does not wait for them. What returns
 * at once stays as it is.
 */
export function lazyExports(entry: RegExp): Plugin {
  return {
    name: 'lazy-exports',
    transform: {
      filter: { id: entry },
      handler: (code, id) =>
        code.replace(/^export \{([^}]*)\} from '([^']+)'/gm, (line, names: string, path: string) => {
          const source = readFileSync(join(dirname(id), path), 'utf8')
          const parts = names.split(',').map((name) => name.trim()).filter((n) => n !== '')
          const isLazy = (name: string) => new RegExp(`^export async function ${name}\\b`, 'm').test(source)
          const lazy = parts.filter(isLazy)
          const rest = parts.filter((name) => !isLazy(name))
          return [
            ...(rest.length === 0 ? [] : [`export { ${rest.join(', ')} } from '${path}'`]),
            ...lazy.map(
              (name) =>
                `export const ${name} = async (...args) => (await import('${path}')).${name}(...args)`,
            ),
          ].join('\n')
        }),
    },
  }
}
