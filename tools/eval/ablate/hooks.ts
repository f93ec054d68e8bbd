// Hooks of Node's module loader: https://nodejs.org/api/module.html#customization-hooks
import { existsSync } from 'node:fs'
import type { InitializeHook, LoadHook, ResolveHook } from 'node:module'

let target = ''

/** Takes the URL of the module to switch off. */
export const initialize: InitializeHook<string> = (url) => {
  target = url
}

/** Takes packages as they are compiled, a module a file, instead of the few files that they ship. */
export const resolve: ResolveHook = async (specifier, context, next) => {
  const found = await next(specifier, context)
  const [, root, name] = /^(.*\/packages\/[^/]+)\/lib\/(.+)\.js$/.exec(found.url) ?? []
  if (root === undefined || name === undefined) return found
  const url = [`entries/${name}`, name, `${name}/index`]
    .map((entry) => `${root}/dist/${entry}.js`)
    .find((file) => existsSync(new URL(file)))
  return url === undefined ? found : { ...found, url }
}

/** Puts wrappers in the place of the functions that the module exports. */
export const load: LoadHook = async (url, context, next) => {
  if (url !== target) return await next(url, context)
  const { source } = await next(url, context)
  const names = new Set(
    [...String(source).matchAll(/^export (?:async )?(?:function\*? |const )(\w+)/gm)].map(([, name]) => name),
  )
  const lines = [
    `import { neutral } from ${JSON.stringify(new URL('./neutral.js', import.meta.url).href)}`,
    `import * as whole from ${JSON.stringify(`${url}?whole`)}`,
    ...[...names].map((name) => `export const ${name} = neutral(whole.${name})`),
  ]
  return { format: 'module', shortCircuit: true, source: lines.join('\n') }
}
