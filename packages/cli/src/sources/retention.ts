import { join } from 'node:path'
import type { AgentPlace, RetentionRule } from '@tenfold/core'
import { parse } from 'jsonc-parser'
import { readTextNow } from '../terminal/regular-file.ts'
import { errorCode } from '../terminal/thrown.ts'

/** How long an agent keeps a session, by its settings. */
export interface Retention {
  readonly days: number
  /** The file of the setting. */
  readonly from: string
}

// https://code.claude.com/docs/en/settings and https://geminicli.com/docs/cli/session-management
const claudeDays = 30
const geminiDays = 30

/** When an agent deletes sessions by itself; undefined if it does not. Unreadable settings count as the default. */
export async function retentionOf(rule: RetentionRule, place: AgentPlace): Promise<Retention | undefined> {
  const { env, home } = place
  if (rule === 'claude-code') {
    const settings = await readSettings(join(env.CLAUDE_CONFIG_DIR || join(home, '.claude'), 'settings.json'))
    const days = settings?.cleanupPeriodDays
    return typeof days === 'number' && Number.isFinite(days) && days >= 0
      ? { days, from: 'cleanupPeriodDays' }
      : { days: claudeDays, from: 'default' }
  }
  if (rule === 'gemini-cli') {
    const settings = await readSettings(join(env.GEMINI_CLI_HOME || home, '.gemini', 'settings.json'))
    const retention = asObject(asObject(settings?.general)?.sessionRetention)
    if (retention?.enabled === false) return undefined
    const days = daysOf(retention?.maxAge)
    return days === undefined
      ? { days: geminiDays, from: 'default' }
      : { days, from: 'sessionRetention.maxAge' }
  }
  return undefined
}

async function readSettings(path: string): Promise<Record<string, unknown> | undefined> {
  try {
    return asObject(parse(readTextNow(path), [], { allowTrailingComma: true }))
  } catch (error) {
    // Missing, or not ours to read: the agent's default applies.
    if (errorCode(error) !== undefined) return undefined
    throw error
  }
}

/** `30d`, `7d`, `24h`, `4w`, `2m`. */
function daysOf(age: unknown): number | undefined {
  const [, count, unit] = /^(\d{1,6})([hdwm])$/.exec(typeof age === 'string' ? age : '') ?? []
  if (count === undefined) return undefined
  return Number(count) * ({ h: 1 / 24, d: 1, w: 7, m: 30 }[unit ?? ''] ?? 1)
}

function asObject(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined
}
