import { readFileSync } from 'node:fs'

/** Version of this package: a log that failed is tried again by another one. */
export function tenfoldVersion(): string {
  const manifest: { version: string } = JSON.parse(
    readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
  )
  return manifest.version
}
