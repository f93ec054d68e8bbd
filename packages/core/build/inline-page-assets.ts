import { pathToFileURL } from 'node:url'
import type { Plugin } from 'rolldown'

/** Puts the scripts and styles of pages, which @tenfold/view and measure read from their own folders, into the code. */
export function inlinePageAssets(): Plugin {
  return {
    name: 'inline-page-assets',
    load: {
      filter: { id: /\/(view|measure)\/dist\/(html\/)?page-assets\.js$/ },
      async handler(id) {
        const assets: Record<string, () => string> = await import(pathToFileURL(id).href)
        return Object.entries(assets)
          .map(([name, read]) => `export const ${name} = () => ${JSON.stringify(read())}`)
          .join('\n')
      },
    },
  }
}
