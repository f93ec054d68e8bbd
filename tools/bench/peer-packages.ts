import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * ccusage 20 is a native program, which not every registry has. Of the packages that rank sentences
 * textrank-node does not run on Node 20, and node-summarizer needs a script at its installation.
 */
const peerVersions = {
  ccusage: '18.0.11',
  'gpt-tokenizer': '4.0.0',
  'js-tiktoken': '1.0.21',
  textrank: '1.0.5',
} as const

export type PeerName = keyof typeof peerVersions

export interface Peers {
  /** Path of a file of a peer. */
  path(file: string): string
  /** What a peer exports; the caller describes the part that it needs. */
  load(name: string): unknown
}

/** Installs the peers from npm into a folder outside of the repository, unless they are there. */
export function installPeers(): Peers {
  const packages = Object.entries(peerVersions).map(([name, version]) => `${name}@${version}`)
  const folder = join(tmpdir(), 'tenfold-peers', packages.join('+'))
  const manifest = join(folder, 'package.json')
  if (!existsSync(join(folder, 'installed'))) {
    mkdirSync(folder, { recursive: true })
    writeFileSync(manifest, '{ "private": true }')
    try {
      const options = ['--no-audit', '--no-fund', '--ignore-scripts', '--prefix', folder]
      execFileSync('npm', ['install', ...options, ...packages], { stdio: ['ignore', 'ignore', 'pipe'] })
    } catch (error) {
      const cause = error instanceof Error ? error.message.trim() : String(error)
      throw new Error(`the peers cannot be installed; is npm's registry reachable? ${cause}`)
    }
    writeFileSync(join(folder, 'installed'), '')
  }
  const require = createRequire(manifest)
  return { path: (file) => join(folder, 'node_modules', file), load: (name) => require(name) }
}

export function titleOf(name: PeerName): string {
  return `${name} ${peerVersions[name]}`
}
