import { defineConfig } from 'rolldown'
import { lazyBuiltins } from '../core/build/lazy-builtins.ts'
import { pureConstants } from '../core/build/pure-constants.ts'

// What the package ships stands alone: of @tenfold/tokens, whose encodings take megabytes, it holds the two functions
// that it uses. Names and lines stay, so that stacks can be read.
export default defineConfig({
  input: { index: 'src/index.ts', internal: 'src/internal.ts' },
  platform: 'node',
  plugins: [lazyBuiltins(), pureConstants(/(?:redact|tokens)[\\/](?:src|lib)[\\/]/)],
  output: {
    dir: 'lib',
    format: 'esm',
    cleanDir: true,
    comments: { legal: false, annotation: true, jsdoc: false },
  },
})
