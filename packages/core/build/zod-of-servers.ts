import { readFile } from 'node:fs/promises'
import type { Plugin } from 'rolldown'

const mark = '?of-servers'

/** Code that uses all of zod. */
const servers =
  /[\\/](?:@modelcontextprotocol[\\/]sdk|cli[\\/]dist[\\/](?:mcp|queue)|(?:queue|measure)[\\/]dist)[\\/]/

/**
 * Gives the MCP server, the queue and the report a zod of their own. Every command with a store uses a third of zod, and
 * would load the rest too, since a module is never cut in two.
 */
export function zodOfServers(): Plugin {
  return {
    name: 'zod-of-servers',
    async resolveId(name, importer) {
      if (importer === undefined) return null
      const isInside = importer.endsWith(mark)
      if (!isInside && !(/^zod(?:\/|$)/.test(name) && servers.test(importer))) return null
      const from = isInside ? importer.slice(0, -mark.length) : importer
      const found = await this.resolve(name, from, { skipSelf: true })
      return found && { ...found, id: found.id + mark }
    },
    load: {
      filter: { id: /\?of-servers$/ },
      handler: async (id) => ({ code: await readFile(id.slice(0, -mark.length), 'utf8'), moduleType: 'js' }),
    },
  }
}
