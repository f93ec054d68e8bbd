import { readFileSync } from 'node:fs'
import { join } from 'node:path'

// This module is one folder below the package in both the build (dist/) and the bundle (lib/).

export const programPath = join(import.meta.dirname, '../bin/tenfold.js')

export function ownVersion(): string {
  const manifest: { version: string } = JSON.parse(
    readFileSync(join(import.meta.dirname, '../package.json'), 'utf8'),
  )
  return manifest.version
}
