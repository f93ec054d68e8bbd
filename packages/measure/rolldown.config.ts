import { inlinePageAssets } from '../core/build/inline-page-assets.ts'
import { libraryConfig } from '../core/build/library-config.ts'

// With what draws the plots in it, and the scripts and styles of the pages: core alone is installed beside it.
export default {
  ...libraryConfig({ index: 'dist/index.js', html: 'dist/html/index.js', internal: 'dist/internal.js' }, [
    inlinePageAssets(),
  ]),
  external: /^@tenfold\/core(?:\/|$)/,
}
