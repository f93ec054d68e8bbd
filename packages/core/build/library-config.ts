import { defineConfig, type RolldownOptions } from 'rolldown'
import { listLicenses } from './ship-packages.ts'

/**
 * How a library beside core is bundled: an entry a file, what they share in chunks, and other packages left out, except
 * for zod, whose 80 files would take longer to load than all of the library.
 */
export function libraryConfig(input: Readonly<Record<string, string>>): RolldownOptions {
  return defineConfig({
    input: { ...input },
    platform: 'node',
    external: /^(?!zod(?:$|\/))(?:@[\w-]+\/)?\w[\w-]*(?:\/|$)/,
    plugins: [listLicenses()],
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
