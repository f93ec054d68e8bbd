import type { Plugin } from 'rolldown'
import { parseAst } from 'rolldown/parseAst'

/**
 * Marks what is computed for a constant of our modules as free of side effects. A bundler drops a module that a program
 * does not use; of a file that holds many modules it drops only what is marked so.
 */
export function pureConstants(modules: RegExp): Plugin {
  return {
    name: 'pure-constants',
    transform: {
      filter: { id: modules },
      handler(code) {
        const values = parseAst(code, { lang: 'ts' }).body.flatMap((statement) => {
          const declared = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement
          if (declared?.type !== 'VariableDeclaration') return []
          return declared.declarations.flatMap(({ init }) => (init && isComputed(init) ? init : []))
        })
        // From the last to the first, so that the places of the others stay.
        return values.reduceRight((text, { start, end }) => {
          const value = text.slice(start, end)
          return `${text.slice(0, start)}/* @__PURE__ */ (() => (${value}))()${text.slice(end)}`
        }, code)
      },
    },
  }
}

/** Whether more than a literal or a function is needed to make it: a call, a spread, a property of something. */
function isComputed(node: unknown): boolean {
  if (Array.isArray(node)) return node.some(isComputed)
  if (typeof node !== 'object' || node === null || !('type' in node)) return false
  if (node.type === 'ArrowFunctionExpression' || node.type === 'FunctionExpression') return false
  const runs = [
    'CallExpression',
    'NewExpression',
    'MemberExpression',
    'SpreadElement',
    'TaggedTemplateExpression',
  ]
  return runs.includes(String(node.type)) || Object.values(node).some(isComputed)
}
