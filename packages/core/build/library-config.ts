import { defineConfig, type Plugin, type RolldownOptions } from 'rolldown'
import { lazyBuiltins } from './lazy-builtins.ts'
import { listLicenses } from './ship-packages.ts'

/**
 * How a library beside core is bundled: an entry a file, what they share in chunks, and other packages left out, except
 * for zod, whose 80 files would take longer to load than all of the library, and a small one that only it uses.
 */
export function libraryConfig(
  input: Readonly<Record<string, string>>,
  plugins: readonly Plugin[] = [],
): RolldownOptions {
  return defineConfig({
    input: { ...input },
    platform: 'node',
    external: /^(?!(?:zod|eventsource-parser)(?:$|\/))(?:@[\w-]+\/)?\w[\w-]*(?:\/|$)/,
    plugins: [lazyBuiltins(), ...plugins, listLicenses()],
    output: {
      dir: 'lib',
      format: 'esm',
      cleanDir: true,
      sourcemap: true,
      sourcemapExcludeSources: true,
      comments: false,
    },
  })
}
