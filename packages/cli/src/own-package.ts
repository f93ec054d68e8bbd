import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

// This module is one folder below the package, both in the build (dist/) and in the bundle (lib/).

/** Path of the program: what `tenfold` runs. */
export const programPath = fileURLToPath(new URL('../bin/tenfold.js', import.meta.url))

/** Version of this package. */
export function ownVersion(): string {
  const manifest: { version: string } = JSON.parse(
    readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
  )
  return manifest.version
}
