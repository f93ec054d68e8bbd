import { cleanLine } from '@tenfold/core'
import { trustOf } from '../state/trust.ts'
import { type ConfigFile, type FoundConfig, projectConfig, readConfig, userConfig } from './config-file.ts'
import { configDigest } from './named-files.ts'

/**
 * Options that a config file may set for all commands that have them.
 */
const sharedOptions = ['store', 'summarizer', 'model', 'fallback', 'counter', 'max-log-size']

/**
 * The config files that count in a folder, the project's before the user's. A project's file may come with a clone and
 * could send sessions elsewhere, so it counts only if the user trusts it; `untrusted` is one that is left out.
 */
export function loadConfig(
  folder: string,
  env: NodeJS.ProcessEnv,
  commands: readonly string[],
): { readonly files: readonly ConfigFile[]; readonly untrusted?: string } {
  const project = projectConfig(folder)
  const user = userConfig(env)
  const isTrusted = project !== undefined && isTrustedConfig(project)
  const counted = [isTrusted ? project : undefined, user].filter((found) => found !== undefined)
  return {
    files: counted.map((found) => readConfig(found, namesIn(commands))),
    ...(project === undefined || isTrusted ? {} : { untrusted: cleanLine(project.path) }),
  }
}

function isTrustedConfig(found: FoundConfig): boolean {
  const digest = trustOf(found.path)?.digest
  return digest !== undefined && digest === configDigest(found)
}

/** What the first level of a config file may name. */
export function namesIn(commands: readonly string[]): readonly string[] {
  return [...commands, ...sharedOptions, '$schema']
}
