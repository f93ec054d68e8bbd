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

/** A package that is installed outside of the repository. */
export interface Peer {
  /** Path of one of its files. */
  path(file: string): string
  /** What it exports; the caller describes the part that it needs. */
  load(name: string): unknown
}

/** What a measure compares with is not there; the message says how to install it. */
export class MissingPeer extends Error {}

/** Installs a peer from npm, unless it is there. Throws {@link MissingPeer}. */
export function installPeer(name: PeerName): Peer {
  const folder = join(tmpdir(), 'tenfold-peers', titleOf(name).replace(' ', '-'))
  const manifest = join(folder, 'package.json')
  const options = ['--no-audit', '--no-fund', '--ignore-scripts', '--prefix', folder]
  const command = ['install', ...options, `${name}@${peerVersions[name]}`]
  if (!existsSync(join(folder, 'node_modules', name, 'package.json'))) {
    mkdirSync(folder, { recursive: true })
    writeFileSync(manifest, '{ "private": true }')
    try {
      execFileSync('npm', command, { stdio: 'ignore' })
    } catch {
      throw new MissingPeer(`${titleOf(name)} is not installed. To compare with it: npm ${command.join(' ')}`)
    }
  }
  const require = createRequire(manifest)
  return { path: (file) => join(folder, 'node_modules', file), load: (module) => require(module) }
}

export function titleOf(name: PeerName): string {
  return `${name} ${peerVersions[name]}`
}
