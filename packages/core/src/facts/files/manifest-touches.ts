import { programName } from '../../shell/shell-wrappers.ts'
import type { Touch } from './touch.ts'

/** Subcommands that add or remove a dependency, and the file that lists it. */
const manifests: Readonly<Record<string, readonly [subcommands: RegExp, file: string]>> = {
  npm: [/^(?:i|install|add|uninstall|remove|rm)$/, 'package.json'],
  pnpm: [/^(?:add|remove|rm)$/, 'package.json'],
  yarn: [/^(?:add|remove)$/, 'package.json'],
  bun: [/^(?:add|remove|rm)$/, 'package.json'],
  uv: [/^(?:add|remove)$/, 'pyproject.toml'],
  poetry: [/^(?:add|remove)$/, 'pyproject.toml'],
  pdm: [/^(?:add|remove)$/, 'pyproject.toml'],
  cargo: [/^(?:add|remove|rm)$/, 'Cargo.toml'],
  composer: [/^(?:require|remove)$/, 'composer.json'],
  go: [/^get$/, 'go.mod'],
}

/** The list of dependencies that a package manager changed in its folder, if the log names it: `pnpm add zod`. */
export function manifestTouches(words: readonly string[]): Touch[] {
  const name = programName(words[0] ?? '')
  const [subcommands, path] = (Object.hasOwn(manifests, name) && manifests[name]) || []
  if (subcommands === undefined || path === undefined || !subcommands.test(words[1] ?? '')) return []
  const args = words.slice(2)
  // Another folder, the whole machine, or no change of the list.
  if (args.some((arg) => elsewhere.test(arg)) || args.every((arg) => arg.startsWith('-'))) return []
  return [{ action: 'modify', path, onlyKnown: true }]
}

const elsewhere =
  /^(?:-g|--global|--no-save|-w|--workspace\S*|--filter\S*|-F|-C|--dir\S*|--prefix\S*|--cwd\S*|--project\S*|--directory\S*|--manifest-path\S*|-p|--package\S*|--dry-run)$/
