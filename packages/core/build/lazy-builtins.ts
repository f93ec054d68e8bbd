import { getBuiltinModule } from 'node:process'
import { promisify } from 'node:util'
import type { Plugin } from 'rolldown'

// Loading one of these takes 8 ms of CPU, a fifth of what Node itself takes to start, and most runs call neither.
const builtins = ['node:crypto', 'node:child_process', 'node:fs/promises', 'node:timers/promises', 'node:tty']

/** Our own code, and commander; classes and values of these modules are not used there. */
const importers = /[\\/](?:packages[\\/][\w-]+[\\/](?:dist|src|lib)|commander)[\\/]/

/** Loads Node's larger modules at the first call of one of their functions, instead of when the program starts. */
export function lazyBuiltins(): Plugin {
  return {
    name: 'lazy-builtins',
    resolveId: {
      filter: { id: new RegExp(`^(?:${builtins.join('|')})$`) },
      handler: (id, importer) => (importer !== undefined && importers.test(importer) ? `\0lazy:${id}` : null),
    },
    load: {
      filter: { id: /^\0lazy:/ },
      handler(id) {
        const name = id.slice('\0lazy:'.length)
        const lines = Object.entries(getBuiltinModule(name) ?? {}).flatMap(([key, value]) =>
          /^[a-z]/.test(key) && typeof value === 'function' ? functionLine(key, value) : [],
        )
        const code = `const builtin = () => process.getBuiltinModule('${name}')\n${lines.join('\n')}`
        return { code, moduleType: 'js', moduleSideEffects: false }
      },
    },
  }
}

function functionLine(name: string, value: object): string {
  const call = `(...args) => builtin().${name}(...args)`
  if (!(promisify.custom in value)) return `export const ${name} = ${call}`
  // `promisify` takes another form of it.
  const symbol = "Symbol.for('nodejs.util.promisify.custom')"
  return `export const ${name} = /* @__PURE__ */ Object.assign(${call}, { [${symbol}]: (...args) => builtin().${name}[${symbol}](...args) })`
}
