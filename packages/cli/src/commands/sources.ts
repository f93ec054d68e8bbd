import { listSources, sourcesOptions } from '../sources/list-sources.ts'
import { defineCommand } from './define-command.ts'

export const addCommand = defineCommand({
  name: 'sources',
  description:
    'List the agents that keep sessions on this machine: how many, how large, not compressed yet, soon deleted.',
  options: sourcesOptions,
  help: `
A session counts as compressed if a hook, a sweep or the given store made a bundle of it; logs are compared by digest.
aider and SpecStory logs are searched for in this folder.

Examples:
  tenfold sources
  tenfold sources --json | jq '.[] | select(.uncompressed > 0) | .agent'`,
  run: listSources,
})
