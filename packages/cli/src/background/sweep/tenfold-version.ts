import { readFileSync } from 'node:fs'

/** Version of this package. Another version tries logs again that failed. */
export function tenfoldVersion(): string {
  const manifest: { version: string } = JSON.parse(
    readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
  )
  return manifest.version
}
