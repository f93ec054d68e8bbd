import { join, parse } from 'node:path'
import { rolldown } from 'rolldown'

/** Bundles a program and all that it imports into one file, which starts in half the time. Returns its path. */
export async function bundleProgram(input: string, folder: string): Promise<string> {
  const bundle = await rolldown({ input, platform: 'node', resolve: { mainFields: ['module', 'main'] } })
  // Not `file`: Rolldown makes a second chunk of what only code that is left out would import.
  await bundle.write({ dir: folder, entryFileNames: '[name].mjs', format: 'esm', codeSplitting: false })
  await bundle.close()
  return join(folder, `${parse(input).name}.mjs`)
}
